#include <fmt/core.h>

#include <utility>
#include <vector>

#include "core/fix/repair.h"

namespace quantgate::fix {

void RepairSign(const Case& c, std::vector<Proposal>& proposals) {
  const Model& model = c.editor.model();
  // Without a tensor the finding is about the node: any of its constants may be the one.
  std::vector<TensorId> ids;
  if (!c.finding.tensor.empty()) {
    ids.push_back(c.tensor());
  } else if (c.finding.node_index >= 0) {
    const auto node = static_cast<size_t>(c.finding.node_index);
    for (size_t i = 0; i < model.nodes[node].inputs.size(); ++i) {
      ids.push_back(c.editor.QuantizedAt(node, true, i));
    }
  }
  for (const TensorId id : ids) {
    if (id == kNoTensor || !model.tensors[static_cast<size_t>(id)].is_static) continue;
    const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
    if (!now.ok()) continue;
    const Coding other = OtherSign(*now);
    if (other.dtype == now->dtype) continue;
    Proposal proposal;
    proposal.is_attempt = true;
    proposal.what =
        fmt::format("write \"{}\" as {} with equal values",
                    model.tensors[static_cast<size_t>(id)].name, DtypeName(other.dtype));
    proposal.apply = [id, other](Editor& editor) {
      return editor.Encode(id, other, Rounding::kNone);
    };
    proposals.push_back(std::move(proposal));
  }
}

Proposal AllInOtherSign(Dtype dtype) {
  Proposal proposal;
  Coding example;
  example.dtype = dtype;
  proposal.what = fmt::format("write every {} that is computed as {}, with equal values",
                              DtypeName(dtype), DtypeName(OtherSign(example).dtype));
  proposal.apply = [dtype](Editor& editor) {
    bool is_changed = false;
    for (size_t t = 0; t < editor.model().tensors.size(); ++t) {
      const auto id = static_cast<TensorId>(t);
      if (!editor.IsInner(id)) continue;
      const absl::StatusOr<Coding> now = editor.CodingOf(id);
      if (!now.ok() || now->dtype != dtype) continue;
      const absl::Status done = editor.Encode(id, OtherSign(*now), Rounding::kNone);
      if (!done.ok()) return done;
      is_changed = true;
    }
    return is_changed ? absl::OkStatus()
                      : absl::FailedPreconditionError("nothing is computed in this type");
  };
  return proposal;
}

}  // namespace quantgate::fix
