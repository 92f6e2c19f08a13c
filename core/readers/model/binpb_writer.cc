// Model -> .binpb, the wire form of quantgate.v1.Model (field numbers: model.proto).
#include <protozero/pbf_writer.hpp>
#include <string>
#include <variant>
#include <vector>

#include "core/readers/sorted_params.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using protozero::pbf_writer;

void AddText(pbf_writer& out, uint32_t field, std::string_view text) {
  if (!text.empty()) out.add_string(field, text.data(), text.size());
}
void AddInt(pbf_writer& out, uint32_t field, int64_t value) {
  if (value != 0) out.add_int64(field, value);
}
void AddDtype(pbf_writer& out, uint32_t field, Dtype dtype) {
  if (dtype != Dtype::kUndefined) out.add_enum(field, static_cast<int32_t>(QnnValue(dtype)));
}
template <typename Ints>
void AddInts(pbf_writer& out, uint32_t field, const Ints& values) {
  if (!values.empty()) out.add_packed_int64(field, values.begin(), values.end());
}

// pbf_writer drops a submessage that stays empty, and here that means something: hence strings.
void WriteEncodingKind(std::string& bytes, const Encoding& encoding) {
  pbf_writer message(bytes);
  if (encoding.kind == EncodingKind::kPerTensor) {
    if (!encoding.scales.empty()) message.add_float(1, encoding.scales[0]);
    if (!encoding.zero_points.empty()) AddInt(message, 2, encoding.zero_points[0]);
    AddInt(message, 3, encoding.bitwidth);
    return;
  }
  if (encoding.kind == EncodingKind::kBlock) {
    AddInts(message, 1, encoding.block_size);
  } else {
    AddInt(message, 1, encoding.axis);
  }
  if (!encoding.scales.empty()) {
    message.add_packed_float(2, encoding.scales.begin(), encoding.scales.end());
  }
  AddInts(message, 3, encoding.zero_points);
  AddInt(message, 4, encoding.bitwidth);
  if (encoding.kind != EncodingKind::kLpbq) return;
  AddInt(message, 5, encoding.num_blocks);
  AddInts(message, 6, encoding.block_scales);
  AddInt(message, 7, encoding.block_scale_bitwidth);
  AddInt(message, 8, encoding.block_scale_storage_bits);
}

void WriteTensor(pbf_writer& model, const Tensor& tensor) {
  pbf_writer out(model, 6);
  AddText(out, 1, tensor.name);
  AddDtype(out, 2, tensor.dtype);
  AddInts(out, 3, tensor.dims);
  if (tensor.unknown_rank) out.add_bool(4, true);
  if (tensor.is_static) out.add_bool(5, true);
  if (tensor.encoding->kind != EncodingKind::kNone) {
    std::string kind;
    WriteEncodingKind(kind, tensor.encoding);
    pbf_writer encoding(out, 6);
    encoding.add_message(static_cast<uint32_t>(tensor.encoding->kind), kind);
  }
  if (tensor.values != nullptr) {
    AddInts(out, 7, tensor.values->ints);
    const auto& reals = tensor.values->reals;
    if (!reals.empty()) out.add_packed_double(8, reals.begin(), reals.end());
  }
  if (tensor.sparse >= 0) out.add_int64(9, tensor.sparse);
  if (tensor.value_range) {
    pbf_writer range(out, 10);
    range.add_double(1, tensor.value_range->first);
    range.add_double(2, tensor.value_range->second);
  }
}

void WriteParam(pbf_writer& out, const IntParam& param) { out.add_int64(1, param.value); }
void WriteParam(pbf_writer& out, const UintParam& param) { out.add_uint64(2, param.value); }
void WriteParam(pbf_writer& out, double value) { out.add_double(3, value); }
void WriteParam(pbf_writer& out, bool value) { out.add_bool(4, value); }
void WriteParam(pbf_writer& out, const TensorParam& param) {
  std::string bytes;
  pbf_writer tensor(bytes);
  AddDtype(tensor, 1, param.dtype);
  AddInts(tensor, 2, param.dims);
  AddInts(tensor, 3, param.ints);
  if (!param.reals.empty()) tensor.add_packed_double(4, param.reals.begin(), param.reals.end());
  out.add_message(5, bytes);
}
void WriteParam(pbf_writer& out, const std::string& text) { out.add_string(6, text); }
void WriteParam(pbf_writer& out, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) out.add_string(7, text);
}
void WriteParam(pbf_writer& out, const std::vector<int64_t>& ints) { AddInts(out, 8, ints); }
void WriteParam(pbf_writer& out, const std::vector<double>& reals) {
  if (!reals.empty()) out.add_packed_double(9, reals.begin(), reals.end());
}

}  // namespace

std::string WriteModelBinpb(const Model& model) {
  std::string bytes;
  pbf_writer out(bytes);
  const auto name_of = [&](TensorId id) {
    return id == kNoTensor ? std::string() : model.tensors[id].name.str();
  };
  AddText(out, 1, model.name);
  out.add_string(2, std::string(DialectName(model.dialect)));
  AddInt(out, 3, model.opset);
  for (const TensorId id : model.inputs) out.add_string(4, name_of(id));
  for (const TensorId id : model.outputs) out.add_string(5, name_of(id));
  for (const Tensor& tensor : model.tensors) WriteTensor(out, tensor);
  for (const Node& node : model.nodes) {
    pbf_writer message(out, 7);
    AddText(message, 1, node.name);
    AddText(message, 2, node.op);
    for (const TensorId id : node.inputs) message.add_string(3, name_of(id));
    for (const TensorId id : node.outputs) message.add_string(4, name_of(id));
    for (const Param* param : SortedParams(node.params)) {
      pbf_writer entry(message, 5);
      entry.add_string(1, param->name);
      pbf_writer value(entry, 2);
      std::visit([&](const auto& v) { WriteParam(value, v); }, param->value);
    }
    if (node.dialect) message.add_string(6, std::string(DialectName(*node.dialect)));
    AddText(message, 7, node.domain);
    AddText(message, 8, node.location);
    AddText(message, 9, node.unchecked_reason);
  }
  for (const std::string& note : model.notes) out.add_string(8, note);
  return bytes;
}

}  // namespace quantgate
