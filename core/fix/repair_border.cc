#include <fmt/core.h>

#include <utility>

#include "core/fix/repair.h"

namespace quantgate::fix {
namespace {

// Far from what any operator asks for.
Coding Guess(const Coding& like) {
  Coding guess{like.dtype, {}};
  guess.encoding.Edit().kind = EncodingKind::kPerTensor;
  guess.encoding.Edit().scales = {0.34567F};
  guess.encoding.Edit().zero_points = {static_cast<int32_t>(SymmetricZeroPoint(like.dtype)) - 3};
  return guess;
}

}  // namespace

void RepairBorder(const Case& c, std::vector<Proposal>& proposals) {
  if (c.finding.node_index < 0 || !c.finding.port.empty() || !c.finding.tensor.empty()) return;
  const auto index = static_cast<size_t>(c.finding.node_index);
  const Model& model = c.editor.model();
  const Node& node = model.nodes[index];
  // The quantized side says the type.
  std::optional<Coding> like;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId quantized = c.editor.QuantizedAt(index, true, i);
    if (quantized == kNoTensor || model.tensors[static_cast<size_t>(quantized)].is_static) continue;
    const absl::StatusOr<Coding> coding = c.editor.CodingOf(quantized);
    if (coding.ok() && !like) like = *coding;
  }
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TensorId id = node.inputs[i];
    if (id == kNoTensor || c.editor.QuantizedAt(index, true, i) != kNoTensor) continue;
    const absl::StatusOr<Coding> coding = c.editor.CodingElsewhere(id);
    if (!coding.ok()) continue;
    Proposal proposal;
    proposal.what = fmt::format("quantize in[{}] \"{}\" as it is elsewhere", i,
                                model.tensors[static_cast<size_t>(id)].name);
    proposal.apply = [index, i, coding = *coding](Editor& editor) {
      return editor.Quantize(index, true, i, coding);
    };
    proposals.push_back(std::move(proposal));
  }
  if (!like || StorageOf(like->dtype) == Dtype::kUndefined) return;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    const TensorId id = node.outputs[i];
    if (id == kNoTensor || c.editor.QuantizedAt(index, false, i) != kNoTensor) continue;
    Proposal proposal;
    proposal.what = fmt::format("quantize out[{}] \"{}\" as the op asks for", i,
                                model.tensors[static_cast<size_t>(id)].name);
    proposal.guessed = Guess(*like);
    proposal.must_be_asked_for = fmt::format("{}_out{}_q", node.name, i);
    proposal.apply = [index, i, coding = *proposal.guessed](Editor& editor) {
      return editor.Quantize(index, false, i, coding);
    };
    proposals.push_back(std::move(proposal));
  }
}

}  // namespace quantgate::fix
