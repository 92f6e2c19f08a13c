#include "core/lower/route/graph_rewriter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/rules/raise.h"

namespace quantgate {

GraphRewriter::GraphRewriter(std::string source, Resolved& resolved)
    : resolved_(resolved),
      note_(std::move(source)),
      graph_(*resolved.owned),
      old_(std::move(graph_.nodes)),
      old_sources_(std::move(resolved.op_source)),
      uses_(graph_.tensors.size()) {
  graph_.nodes.clear();
  resolved.op_source.clear();
  graph_.nodes.reserve(old_.size());
  resolved.op_source.reserve(old_.size());
  for (const Node& node : old_) {
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) ++uses_[static_cast<size_t>(id)];
    }
  }
}

// A view in another layout is no output of the graph itself: it is one where no op reads the
// tensor of that name.
bool GraphRewriter::IsOutput(TensorId id) const {
  const auto listed = [&](const auto& ids) {
    return std::any_of(ids.begin(), ids.end(), [&](TensorId other) {
      return other != kNoTensor && TensorOf(other).name == TensorOf(id).name;
    });
  };
  if (listed(graph_.outputs)) return true;
  return resolved_.layout.contains(id) &&
         std::none_of(old_.begin(), old_.end(),
                      [&](const Node& node) { return listed(node.inputs); });
}

const Tensor* GraphRewriter::Quantized(const Node& node, bool input, size_t i) const {
  const auto at = [&](const auto& ids) { return i < ids.size() ? ids[i] : kNoTensor; };
  const TensorId id = input ? at(node.inputs) : at(node.outputs);
  if (id == kNoTensor) return nullptr;
  const Tensor& t = TensorOf(id);
  return IsFixedPoint(t.dtype) && t.encoding->kind != EncodingKind::kNone ? &t : nullptr;
}

void GraphRewriter::Emit(Node node) {
  graph_.nodes.push_back(std::move(node));
  resolved_.op_source.push_back(source_);
}

TensorId GraphRewriter::Copy(TensorId from, std::string_view suffix) {
  Tensor t = TensorOf(from);
  t.name = absl::StrCat(t.name.str(), "/", std::string(suffix));
  t.values.reset();
  graph_.tensors.push_back(std::move(t));
  const auto id = static_cast<TensorId>(graph_.tensors.size()) - 1;
  const auto layout = resolved_.layout.find(from);
  if (layout != resolved_.layout.end()) {
    auto copy = layout->second;
    resolved_.layout.emplace(id, std::move(copy));
  }
  return id;
}

Finding& GraphRewriter::Report(RuleId rule, Consequence consequence, const Node& node, std::string message) {
  Finding& f =
      resolved_.findings.emplace_back(rules::Raise(rule, consequence, std::move(message)));
  f.node_index = source_;
  f.op = node.op;
  f.note = note_;
  return f;
}

void GraphRewriter::Changed(ChangeKind kind, const Finding& f, std::string written, std::string runs) {
  resolved_.changes.push_back(
      {kind, source_, f.port, f.tensor, std::move(written), std::move(runs)});
}

Node GraphRewriter::Beside(const Node& node, std::string_view op, TensorId from, TensorId to) {
  Node beside;
  beside.op = std::string(op);
  beside.name = absl::StrCat(node.name.str(), "/", beside.op.str());
  beside.location = node.location;
  beside.inputs = {from};
  beside.outputs = {to};
  return beside;
}

}  // namespace quantgate
