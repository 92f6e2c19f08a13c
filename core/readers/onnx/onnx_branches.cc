#include "core/readers/onnx/onnx_branches.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace quantgate::onnx {
namespace {

// Of a condition that is one number.
std::optional<bool> ValueOf(const Model& model, TensorId id) {
  if (id == kNoTensor) return std::nullopt;
  const auto& values = model.tensors[static_cast<size_t>(id)].values;
  if (values == nullptr || values->ints.size() != 1) return std::nullopt;
  return values->ints[0] != 0;
}

class Taker {
 public:
  Taker(Model& model, std::vector<Holder>& holders)
      : model_(model), holders_(holders), gone_(model.nodes.size(), false) {}

  bool Run() {
    bool changed = false;
    // A branch comes after its If, so that one taken inside of another is met in the same run.
    for (const Holder& holder : holders_) changed = Take(holder) || changed;
    if (changed) Compact();
    return changed;
  }

 private:
  Node& At(int32_t node) { return model_.nodes[static_cast<size_t>(node)]; }

  bool Take(const Holder& holder) {
    Node& node = At(holder.node);
    if (gone_[static_cast<size_t>(holder.node)] || !holder.is_if() ||
        node.unchecked_reason != kControlFlow || node.inputs.empty() || node.outputs.size() != 1) {
      return false;
    }
    const auto condition = ValueOf(model_, node.inputs[0]);
    if (!condition) return false;
    const Subgraph& taken = *condition ? holder.then_branch : holder.else_branch;
    const Subgraph& left = *condition ? holder.else_branch : holder.then_branch;
    if (taken.outputs.size() != 1 || taken.outputs[0] == kNoTensor) return false;
    std::fill(gone_.begin() + left.begin, gone_.begin() + left.end, true);
    Reveal(taken);
    node.op = "Identity";
    node.domain = {};
    node.params = {};
    node.inputs = {taken.outputs[0]};
    node.unchecked_reason = {};
    node.inlined = true;
    return true;
  }

  // Nodes of subgraphs inside of it have another reason, and keep it.
  void Reveal(const Subgraph& taken) {
    if (taken.begin == taken.end) return;
    const SharedString reason = At(taken.begin).unchecked_reason;
    for (int32_t i = taken.begin; i < taken.end; ++i) {
      if (At(i).unchecked_reason != reason) continue;
      At(i).unchecked_reason = {};
      At(i).inlined = true;
    }
    for (const Holder& inner : holders_) {
      const bool revealed = inner.node >= taken.begin && inner.node < taken.end;
      if (revealed && At(inner.node).unchecked_reason.empty())
        At(inner.node).unchecked_reason = kControlFlow;
    }
  }

  void Compact() {
    std::vector<int32_t> place(gone_.size() + 1, 0);
    for (size_t i = 0; i < gone_.size(); ++i) {
      if (!gone_[i] && place[i] != static_cast<int32_t>(i)) {
        model_.nodes[static_cast<size_t>(place[i])] = std::move(model_.nodes[i]);
      }
      place[i + 1] = place[i] + (gone_[i] ? 0 : 1);
    }
    model_.nodes.resize(static_cast<size_t>(place.back()));
    std::erase_if(holders_, [&](const Holder& h) { return gone_[static_cast<size_t>(h.node)]; });
    for (Holder& h : holders_) {
      h.node = place[static_cast<size_t>(h.node)];
      for (Subgraph* const part : {&h.then_branch, &h.else_branch}) {
        part->begin = place[static_cast<size_t>(part->begin)];
        part->end = place[static_cast<size_t>(part->end)];
      }
    }
  }

  Model& model_;
  std::vector<Holder>& holders_;
  std::vector<bool> gone_;
};

}  // namespace

bool TakeKnownBranches(Model& model, std::vector<Holder>& holders) {
  return Taker(model, holders).Run();
}

}  // namespace quantgate::onnx
