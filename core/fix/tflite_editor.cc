#include "core/fix/tflite_editor.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "core/readers/tflite/tflite_schema.h"
#include "core/safety/safe_edit.h"

namespace quantgate::fix {
namespace {

absl::Status StatusOf(const Objection& objection) {
  return objection ? Refuse(objection.Text()) : absl::OkStatus();
}

}  // namespace

absl::Status TfliteEditor::Encode(TensorId tensor, const Coding& to, Rounding rounding) {
  if (absl::Status room = tables_->CheckRoom(model_, tensor, to); !room.ok()) return room;
  return OwnEditor::Encode(tensor, to, rounding);
}

absl::Status TfliteEditor::CheckValues(const Node& node, TensorId tensor, bool input,
                                       const Coding& now, const Coding& coding) const {
  const ValueRanges ranges(model_, database());
  if (!input) return StatusOf(ObjectionToInserted(ranges.Reaching(tensor), &now, coding));
  // Where values are only moved into this encoding, cutting and rounding them first is the same.
  const bool moves_into = std::all_of(node.outputs.begin(), node.outputs.end(), [&](TensorId id) {
    const absl::StatusOr<Coding> written = CodingOf(id);
    return written.ok() && Same(*written, coding);
  });
  if (moves_into && ranges.OnlyMoves(node)) return absl::OkStatus();
  return StatusOf(ObjectionTo(ranges.Held(tensor), now, coding));
}

TensorId TfliteEditor::KnownCopy(TensorId tensor, size_t before, const Coding& coding) const {
  for (size_t n = 0; n < before; ++n) {
    const Node& node = model_.nodes[n];
    if (OriginOf(n) >= 0 || node.inputs[0] != tensor) continue;
    const absl::StatusOr<Coding> made = CodingOf(node.outputs[0]);
    if (made.ok() && Same(*made, coding)) return node.outputs[0];
  }
  return kNoTensor;
}

absl::Status TfliteEditor::Quantize(size_t index, bool input, size_t port, const Coding& coding) {
  const int32_t origin = OriginOf(index);
  if (origin < 0) return Refuse("the operator is an inserted one");
  if (absl::Status room = tables_->CheckInsertion(origin); !room.ok()) return room;
  const TensorId real = QuantizedAt(index, input, port);
  if (real == kNoTensor) return Refuse("the port has no quantized tensor");
  const absl::StatusOr<Coding> now = CodingOf(real);
  if (!now.ok()) return now.status();
  const bool is_single = now->encoding->kind == EncodingKind::kPerTensor &&
                         coding.encoding->kind == EncodingKind::kPerTensor;
  if (!is_single || BitsOf(now->dtype) > 16 || BitsOf(now->dtype) < 8) {
    return Refuse("only tensors of 8 and 16 bits with one scale are requantized");
  }
  const Tensor tensor = model_.tensors[static_cast<size_t>(real)];
  if (tensor.is_static) return Refuse("it is a constant");
  if (!tables_->Has(real)) return Refuse("an operator was inserted there already");
  const std::string name = model_.nodes[index].name;
  if (absl::Status kept = CheckValues(model_.nodes[index], real, input, *now, coding); !kept.ok()) {
    return kept;
  }
  TensorId copy = input ? KnownCopy(real, index, coding) : kNoTensor;
  const bool is_known = copy != kNoTensor;
  if (!is_known) {
    copy = AddTensor(Unused(fmt::format("{}_{}{}", name, input ? "in" : "out", port)));
    Tensor& made = model_.tensors[static_cast<size_t>(copy)];
    made.dims = tensor.dims;
    made.dtype = coding.dtype;
    made.encoding = coding.encoding;
  }
  Node& node = model_.nodes[index];
  (input ? node.inputs[port] : node.outputs[port]) = copy;
  const SharedString copied = model_.tensors[static_cast<size_t>(copy)].name;
  insertions_.push_back(
      {name, fmt::format("{}[{}]", input ? "in" : "out", port), tensor.name, copied, coding});
  if (is_known) return absl::OkStatus();
  Node convert;
  convert.op = tflite::kRequantize;
  convert.name = fmt::format("{}_{}", copied, tflite::kRequantize);
  convert.inputs = {input ? real : copy};
  convert.outputs = {input ? copy : real};
  convert.params.push_back({"version", IntParam{tflite::kRequantizeVersion}});
  InsertNode(input ? index : index + 1, std::move(convert));
  return absl::OkStatus();
}

}  // namespace quantgate::fix
