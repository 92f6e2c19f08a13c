#include "core/readers/tflite/tflite_tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "core/readers/tflite/tflite_schema.h"

namespace quantgate::tflite {
namespace {

using flatbuffer::NewTable;

void SetEncoding(const Tensor& tensor, NewTable& table) {
  const Encoding& encoding = *tensor.encoding;
  if (encoding.kind == EncodingKind::kNone) return;
  if (encoding.kind == EncodingKind::kBlock || encoding.kind == EncodingKind::kLpbq) {
    throw Unwritable{fmt::format("tensor {} is quantized in blocks", Quoted(tensor.name))};
  }
  NewTable& given = table.Sub(tensor::kQuantization);
  given.List(quantization::kScale,
             std::vector<float>(encoding.scales.begin(), encoding.scales.end()));
  std::vector<int64_t> zero_points(encoding.zero_points.begin(), encoding.zero_points.end());
  if (zero_points.empty()) zero_points.resize(encoding.scales.size());
  given.List(quantization::kZeroPoint, zero_points);
  given.Set<int32_t>(quantization::kDimension, encoding.axis);
}

}  // namespace

NewTable NewTensor(const Tensor& tensor) {
  const auto type = TypeOf(tensor.dtype);
  if (!type || tensor.unknown_rank || tensor.sparse >= 0) {
    throw Unwritable{
        fmt::format("tensor {} has no type, no rank, or is sparse", Quoted(tensor.name))};
  }
  NewTable table;
  std::vector<int32_t> shape, open;
  for (const int64_t dim : tensor.dims) {
    if (dim > INT32_MAX) throw Unwritable{"a dimension beyond 32 bits"};
    shape.push_back(static_cast<int32_t>(dim < 0 ? 1 : dim));
    open.push_back(static_cast<int32_t>(dim));
  }
  table.List(tensor::kShape, shape);
  if (open != shape) table.List(tensor::kShapeSignature, open);
  table.Set<int8_t>(tensor::kType, *type);
  table.Text(tensor::kName, tensor.name);
  table.Set<uint8_t>(tensor::kHasRank, 1);
  SetEncoding(tensor, table);
  return table;
}

NewTable NewOpcode(int32_t code, int32_t version) {
  NewTable table;
  table.Set<int8_t>(operator_code::kByteCode, static_cast<int8_t>(std::min(code, kFirstLongCode)));
  table.Set<int32_t>(operator_code::kCode, code);
  table.Set<int32_t>(operator_code::kVersion, version);
  return table;
}

NewTable NewOperator(uint32_t opcode, uint32_t input, uint32_t output) {
  NewTable table;
  table.Set<uint32_t>(node::kOpcodeIndex, opcode);
  table.List(node::kInputs, std::vector<int32_t>{static_cast<int32_t>(input)});
  table.List(node::kOutputs, std::vector<int32_t>{static_cast<int32_t>(output)});
  return table;
}

int32_t CodeOf(const flatbuffer::Table& table) {
  return std::max<int32_t>(table.Get<int8_t>(operator_code::kByteCode, 0),
                           table.Get<int32_t>(operator_code::kCode, 0));
}

}  // namespace quantgate::tflite
