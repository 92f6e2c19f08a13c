#include "core/database/compile/confirmations.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"

namespace quantgate::opdefs {
namespace {

Op* FindOp(std::string_view name, Ir& ir) {
  const size_t slash = name.find('/');
  const auto backend = ir.backends.find(std::string(name.substr(0, slash)));
  if (slash == name.npos || backend == ir.backends.end()) return nullptr;
  const auto op = backend->second.ops.find(std::string(name.substr(slash + 1)));
  return op == backend->second.ops.end() ? nullptr : &op->second;
}

// The sources of a row or a constraint; null where the op has none of that id.
std::vector<std::string>* SourcesOf(std::string_view id, Op& op) {
  for (Variant& row : op.variants) {
    if (id.starts_with('#') && row.id == id.substr(1)) return &row.sources;
  }
  for (Constraint& constraint : op.constraints) {
    if (constraint.id == id) return &constraint.sources;
  }
  return nullptr;
}

void Add(const std::string& source, std::vector<std::string>& sources) {
  if (std::find(sources.begin(), sources.end(), source) == sources.end()) sources.push_back(source);
}

std::string Nearest(std::string_view id, const Op& op) {
  std::vector<std::string> known;
  for (const Variant& row : op.variants) known.push_back("#" + row.id);
  for (const Constraint& constraint : op.constraints) known.push_back(constraint.id);
  return DidYouMeanOf(id, known);
}

}  // namespace

void AddConfirmations(const Node& node, const Reporter& reporter, Ir& ir) {
  const Node* list = node.find("sources");
  if (list == nullptr) return;
  for (const Node& entry : list->children) {
    const Node *id = entry.find("id"), *confirms = entry.find("confirms");
    if (id == nullptr || confirms == nullptr) continue;
    for (const Node& of_op : confirms->children) {
      Op* op = FindOp(of_op.key, ir);
      if (op == nullptr) {
        reporter.AtKey(of_op, absl::StrCat("there is no op ", Quoted(of_op.key)));
        continue;
      }
      for (const Node* one : OneOrMany(of_op)) {
        std::vector<std::string>* sources = SourcesOf(one->text, *op);
        if (sources == nullptr) {
          reporter.At(*one, absl::StrCat("unknown row or constraint ", Quoted(one->text),
                                         Nearest(one->text, *op)));
          continue;
        }
        Add(id->text, *sources);
        Add(id->text, op->sources);
      }
    }
  }
}

}  // namespace quantgate::opdefs
