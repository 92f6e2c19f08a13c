#include "core/lower/route/fused_transposes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

constexpr int32_t kNone = -1;

class Fuser {
 public:
  Fuser(opdb::Tree document, opdb::Tree row, Resolved& resolved)
      : document_(document), row_(row), resolved_(resolved), graph_(*resolved.owned) {}

  void Run() {
    const int64_t rank = row_["rank"].integer().value_or(0);
    const std::string_view transpose = row_["transpose_op"].str();
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      Node& node = graph_.nodes[i];
      if (node.op != transpose || node.inputs.size() != 1 ||
          node.outputs.size() != 1 || node.inputs[0] == kNoTensor ||
          TensorOf(node.inputs[0]).rank() != rank || TensorOf(node.outputs[0]).rank() != rank) {
        continue;
      }
      if (uses_.empty()) CountUses();
      const int32_t before = Written(node.inputs[0]), after = OnlyReader(node.outputs[0]);
      // What one chain has used is no part of another.
      if (before == used_ || after == used_) continue;
      if (IsReshape(before) && IsReshape(after) && OnlyReader(node.inputs[0]) != kNone) {
        Fuse(node, graph_.nodes[static_cast<size_t>(before)], static_cast<size_t>(after));
      }
    }
  }

 private:
  struct Uses {
    int32_t writer = kNone, reader = kNone;
    int32_t readers = 0;
  };

  Tensor& TensorOf(TensorId id) { return graph_.tensors[static_cast<size_t>(id)]; }

  void CountUses() {
    uses_.resize(graph_.tensors.size());
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const TensorId id : graph_.nodes[i].inputs) {
        if (id == kNoTensor) continue;
        Uses& of = uses_[static_cast<size_t>(id)];
        of.reader = static_cast<int32_t>(i);
        ++of.readers;
      }
      for (const TensorId id : graph_.nodes[i].outputs) {
        if (id != kNoTensor) uses_[static_cast<size_t>(id)].writer = static_cast<int32_t>(i);
      }
    }
    for (const TensorId id : graph_.outputs) {
      if (id != kNoTensor) ++uses_[static_cast<size_t>(id)].readers;
    }
  }

  int32_t Written(TensorId id) { return uses_[static_cast<size_t>(id)].writer; }
  int32_t OnlyReader(TensorId id) {
    const Uses& of = uses_[static_cast<size_t>(id)];
    return of.readers == 1 ? of.reader : kNone;
  }

  bool IsReshape(int32_t at) {
    if (at == kNone) return false;
    const Node& node = graph_.nodes[static_cast<size_t>(at)];
    const auto source = static_cast<size_t>(resolved_.op_source[static_cast<size_t>(at)]);
    return node.op == row_["reshape_op"].str() && !node.inputs.empty() && !node.outputs.empty() &&
           node.inputs[0] != kNoTensor && node.outputs[0] != kNoTensor &&
           resolved_.file->nodes[source].op == row_["source_operator"].str();
  }

  void Fuse(Node& transpose, const Node& before, size_t after) {
    Param* perm = nullptr;
    for (Param& param : transpose.params.Edit()) {
      if (param.name == row_["permutation"].str()) perm = &param;
    }
    auto* axes = perm == nullptr ? nullptr : std::get_if<TensorParam>(&perm->value);
    Tensor& from = TensorOf(transpose.inputs[0]);
    const size_t rank = from.dims.size();
    if (axes == nullptr || axes->ints.size() != rank || TensorOf(before.inputs[0]).rank() < 0 ||
        TensorOf(before.inputs[0]).rank() >= static_cast<int>(rank)) {
      return;
    }
    size_t unit = 0;
    while (unit < rank &&
           (from.dims[unit] != 1 || axes->ints[unit] != static_cast<int64_t>(unit))) {
      ++unit;
    }
    if (unit == rank) return;
    used_ = static_cast<int32_t>(after);
    for (const TensorId id : {transpose.inputs[0], transpose.outputs[0]}) {
      Tensor& t = TensorOf(id);
      t.dims.erase(t.dims.begin() + static_cast<ptrdiff_t>(unit));
    }
    axes->ints.erase(axes->ints.begin() + static_cast<ptrdiff_t>(unit));
    for (int64_t& axis : axes->ints) axis -= axis > static_cast<int64_t>(unit) ? 1 : 0;
    axes->dims = {static_cast<int64_t>(axes->ints.size())};
    const Node& reshape = graph_.nodes[after];
    if (TensorOf(reshape.outputs[0]).rank() >= static_cast<int>(rank)) Fail(reshape, after);
  }

  // The last one keeps its dimensions: the other two were handed over counting on it.
  void Fail(const Node& node, size_t at) {
    const int32_t source = resolved_.op_source[at];
    Finding& f = resolved_.findings.emplace_back(
        rules::Raise(rules::kRefusedByRoute, Consequence::kRejected,
                     absl::StrCat(node.op.str(), ": ", std::string(row_["reason"].str()))));
    f.node_index = source;
    f.op = node.op;
    f.port = "out[0]";
    f.tensor = TensorOf(node.outputs[0]).name;
    f.note = std::string(document_["source"].str());
    resolved_.sources[static_cast<size_t>(source)].state = SourceNode::State::kRefused;
    resolved_.sources[static_cast<size_t>(source)].fatal = true;
  }

  opdb::Tree document_, row_;
  Resolved& resolved_;
  Model& graph_;
  int32_t used_ = kNone;    // the last op of the chain before
  std::vector<Uses> uses_;  // of every tensor; empty until they are needed
};

}  // namespace

void FuseTransposes(opdb::Tree document, Resolved& resolved) {
  const opdb::Tree row = document["fused_transposes"];
  if (row && resolved.file != nullptr) Fuser(document, row, resolved).Run();
}

}  // namespace quantgate
