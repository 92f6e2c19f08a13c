// Model of the dialect tflite -> .tflite file, for tools that read no other. Constants whose values
// the model does not hold get made-up ones.
#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/ir/element_count.h"
#include "core/readers/tflite/tflite_schema.h"
#include "core/readers/tflite/tflite_tables.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace tflite {
namespace {

using flatbuffer::NewTable;

constexpr int64_t kMaxBytes = int64_t{1} << 30;  // of all constants
constexpr size_t kDataAlign = 16;

// The same for the same tensor, spread over small values.
class MadeUp {
 public:
  uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state_ >> 33);
  }

 private:
  uint64_t state_ = 1;
};

template <typename T>
void Put(T value, std::string& out) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Value `i` of a constant, or a made-up one.
void PutValue(const Tensor& tensor, size_t i, MadeUp& made_up, std::string& out) {
  const TensorValues* const values = tensor.values.get();
  const auto int_of = [&]() -> int64_t {
    if (values != nullptr && !values->ints.empty()) {
      return values->ints[values->ints.size() == 1 ? 0 : i];
    }
    const int64_t spread = BitsOf(tensor.dtype) >= 32 ? 0 : 255;
    const int64_t low = ClassOf(tensor.dtype) == DtypeClass::kSfixed ? -127 : 0;
    return spread == 0 ? 0 : std::clamp<int64_t>(low + made_up.Next() % 255, low, 255);
  };
  const auto real_of = [&] {
    if (values != nullptr && !values->reals.empty()) {
      return values->reals[values->reals.size() == 1 ? 0 : i];
    }
    return static_cast<double>(made_up.Next() % 2001) / 1000 - 1;
  };
  switch (tensor.dtype) {
    case Dtype::kFloat32:
      return Put(static_cast<float>(real_of()), out);
    case Dtype::kFloat64:
      return Put(real_of(), out);
    case Dtype::kFloat16:
      return Put(uint16_t{0x3c00}, out);  // 1
    default:
      break;
  }
  const int64_t value = int_of();
  switch (BitsOf(tensor.dtype)) {
    case 8:
      return Put(static_cast<int8_t>(value), out);
    case 16:
      return Put(static_cast<int16_t>(value), out);
    case 32:
      return Put(static_cast<int32_t>(value), out);
    case 64:
      return Put(value, out);
    default:
      throw Unwritable{fmt::format("constants of {} can't be written", DtypeName(tensor.dtype))};
  }
}

std::string BytesOf(const Tensor& tensor, int64_t elements) {
  std::string out;
  MadeUp made_up;
  if (BitsOf(tensor.dtype) == 4) {
    for (int64_t i = 0; i < (elements + 1) / 2; ++i) Put(static_cast<uint8_t>(made_up.Next()), out);
    return out;
  }
  for (int64_t i = 0; i < elements; ++i) PutValue(tensor, static_cast<size_t>(i), made_up, out);
  return out;
}

class Writer {
 public:
  explicit Writer(const Model& model) : model_(model) {}

  std::string Write() {
    NewTable root;
    root.Set<uint32_t>(model::kVersion, kSchemaVersion);
    buffers_.emplace_back();  // the empty one, for what is no constant
    NewTable main;
    main.Add(subgraph::kTensors, Tensors());
    main.List(subgraph::kInputs, model_.inputs);
    main.List(subgraph::kOutputs, model_.outputs);
    main.Add(subgraph::kOperators, Operators());
    main.Text(subgraph::kName, "main");
    root.Add(model::kOperatorCodes, std::move(opcodes_));
    std::vector<NewTable> subgraphs;
    subgraphs.push_back(std::move(main));
    root.Add(model::kSubgraphs, std::move(subgraphs));
    root.Text(model::kDescription, "quantgate");
    root.Add(model::kBuffers, std::move(buffers_));
    return root.File(kIdentifier);
  }

 private:
  std::vector<NewTable> Tensors() {
    std::vector<NewTable> tensors;
    for (const Tensor& tensor : model_.tensors) tensors.push_back(TableOf(tensor));
    return tensors;
  }

  NewTable TableOf(const Tensor& tensor) {
    NewTable table = NewTensor(tensor);
    if (tensor.is_static) {
      table.Set<uint32_t>(tensor::kBuffer, static_cast<uint32_t>(buffers_.size()));
      AddBuffer(tensor);
    }
    return table;
  }

  void AddBuffer(const Tensor& tensor) {
    const auto elements = ElementCount(tensor.dims.data(), tensor.dims.size()).value_or(INT64_MAX);
    const int64_t bytes = std::max(BitsOf(tensor.dtype) / 8, 1);
    if (elements > (kMaxBytes - bytes_) / bytes) throw Unwritable{"constants of more than 1 GiB"};
    bytes_ += elements * bytes;
    buffers_.emplace_back().Bytes(buffer::kData, BytesOf(tensor, elements), kDataAlign);
  }

  std::vector<NewTable> Operators() {
    std::vector<NewTable> operators;
    for (const Node& node : model_.nodes) {
      NewTable& table = operators.emplace_back();
      const bool is_custom = node.op.view().starts_with(kCustomPrefix);
      const std::optional<int32_t> code = is_custom ? kCustom : OperatorCode(node.op);
      if (model_.DialectOf(node) != Dialect::kTflite || !code) {
        throw Unwritable{fmt::format("node {}: {} is no operator of this format",
                                     Quoted(node.name), Quoted(node.op))};
      }
      table.Set<uint32_t>(node::kOpcodeIndex, OpcodeOf(node, *code));
      table.List(node::kInputs, std::vector<int32_t>(node.inputs.begin(), node.inputs.end()));
      table.List(node::kOutputs, std::vector<int32_t>(node.outputs.begin(), node.outputs.end()));
      const uint8_t options = FindOperator(*code)->options;
      if (options == 0) continue;
      table.Set<uint8_t>(node::kOptionsType, options);
      NewTable& values = table.Sub(node::kOptions);
      for (const OptionField& field : OptionsOf(options)) SetOption(node, field, values);
    }
    return operators;
  }

  uint32_t OpcodeOf(const Node& node, int32_t code) {
    const Param* const param = node.FindParam("version");
    const auto version =
        static_cast<int32_t>(param != nullptr ? IntOf(param->value).value_or(1) : 1);
    const auto [at, is_new] = known_.try_emplace({node.op.str(), version},
                                                 static_cast<uint32_t>(opcodes_.size()));
    if (!is_new) return at->second;
    NewTable& table = opcodes_.emplace_back(NewOpcode(code, version));
    if (code == kCustom) {
      table.Text(operator_code::kCustomCode, node.op.view().substr(kCustomPrefix.size()));
    }
    return at->second;
  }

  static void SetOption(const Node& node, const OptionField& field, NewTable& table) {
    const Param* const param = node.FindParam(field.name);
    if (param == nullptr) return;
    if (field.kind == Kind::kInts) {
      const auto ints = IntsOf(param->value).value_or(std::vector<int64_t>());
      table.List(field.field, std::vector<int32_t>(ints.begin(), ints.end()));
      return;
    }
    if (field.kind == Kind::kFloat) {
      table.Set<float>(field.field, static_cast<float>(RealOf(param->value).value_or(0)));
      return;
    }
    const int64_t number = IntOf(param->value).value_or(field.fallback);
    switch (field.kind) {
      case Kind::kByte:
      case Kind::kBool:
        return table.Set<int8_t>(field.field, static_cast<int8_t>(number));
      case Kind::kLong:
        return table.Set<int64_t>(field.field, number);
      default:
        return table.Set<int32_t>(field.field, static_cast<int32_t>(number));
    }
  }

  const Model& model_;
  std::vector<NewTable> buffers_, opcodes_;
  std::map<std::pair<std::string, int32_t>, uint32_t> known_;
  int64_t bytes_ = 0;
};

}  // namespace
}  // namespace tflite

absl::StatusOr<std::string> WriteTflite(const Model& model) {
  try {
    return tflite::Writer(model).Write();
  } catch (const tflite::Unwritable& problem) {
    return Invalid(problem.reason);
  }
}

}  // namespace quantgate
