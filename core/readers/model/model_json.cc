// Model JSON -> Model. Keys and their meaning: proto/quantgate/v1/model.proto.
#include <fmt/core.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/absl_view.h"
#include "core/base/json_cursor.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/model/model_json_keys.h"
#include "core/readers/model_finish.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using namespace model_json;  // NOLINT(google-build-using-namespace): the keys
using Value = JsonCursor::Value;

class ModelJsonReader {
 public:
  ModelJsonReader(std::string_view json, std::string_view name) : json_(json), fallback_name_(name) {}

  absl::StatusOr<Model> Read() {
    const bool ok = json_.Document([&](Value root) { return ReadModelObject(root); }) && Connect();
    if (!ok) return json_.status();
    if (model_.name.empty()) model_.name = fallback_name_;
    return std::move(model_);
  }

 private:
  struct NodeReferences {
    size_t offset = 0;  // of the node
    size_t begin = 0;   // into references_: inputs, then outputs
    size_t outputs = 0;
    size_t end = 0;
  };

  bool ReadModelObject(Value value) {
    return json_.Object(value, kModelKeys, [&](size_t key, Value v) {
      switch (key) {
        case kName:
          return json_.String(v, &model_.name);
        case kDialect:
          return ReadDialect(v, [&](Dialect d) { model_.dialect = d; });
        case kOpset:
          return json_.Int(v, 0, kInt64Max, &model_.opset);
        case kInputs:
          return json_.Strings(v, &graph_inputs_);
        case kOutputs:
          return json_.Strings(v, &graph_outputs_);
        case kTensors:
          return json_.Array(v, [&](Value item) { return ReadTensor(item); });
        case kNodes:
          return json_.Array(v, [&](Value item) { return ReadNode(item); });
        default:
          return json_.Array(v, [&](Value item) {
            model_.notes.emplace_back();
            return json_.String(item, &model_.notes.back());
          });
      }
    });
  }

  template <typename Set>
  bool ReadDialect(Value value, Set set) {
    const size_t offset = json_.OffsetOf(value);
    std::string_view text;
    if (!json_.String(value, &text)) return false;
    const auto dialect = DialectFromName(text);
    if (!dialect) {
      return json_.FailAt(offset,
                          fmt::format("unknown dialect {} (one of qnn, onnx, aten)", Quoted(text)));
    }
    set(*dialect);
    return true;
  }

  bool ReadDtype(Value value, Dtype* out) {
    const size_t offset = json_.OffsetOf(value);
    JsonType type;
    if (!json_.TypeOf(value, &type)) return false;
    if (type == JsonType::kNumber) {
      int64_t number = 0;
      if (!json_.Int(value, 0, kInt32Max, &number)) return false;
      const auto dtype =
          number == 0 ? Dtype::kUndefined : DtypeFromQnnValue(static_cast<uint32_t>(number));
      if (!dtype)
        return json_.FailAt(offset, fmt::format("no QNN datatype has the number {}", number));
      *out = *dtype;
      return true;
    }
    std::string_view text;
    if (!json_.String(value, &text)) return false;
    const auto dtype = DtypeFromName(text);
    if (!dtype) {
      std::vector<std::string_view> known;
      for (int i = 1; i < kDtypeCount; ++i) known.push_back(DtypeName(static_cast<Dtype>(i)));
      const std::string hint = text.size() < 64 ? DidYouMeanOf(text, known) : std::string();
      return json_.FailAt(offset, fmt::format("unknown dtype {}{}", Quoted(text), hint));
    }
    *out = *dtype;
    return true;
  }

  template <typename Ints>
  bool Int64s(Value value, Ints* out, int64_t min = kInt64Min) {
    return json_.Array(value, [&](Value item) {
      int64_t number = 0;
      if (!json_.Int(item, min, kInt64Max, &number)) return false;
      out->push_back(number);
      return true;
    });
  }

  template <typename Ints>
  bool Int32s(Value value, Ints* out) {
    return json_.Array(value, [&](Value item) {
      int64_t number = 0;
      if (!json_.Int(item, kInt32Min, kInt32Max, &number)) return false;
      out->push_back(static_cast<int32_t>(number));
      return true;
    });
  }

  bool Doubles(Value value, std::vector<double>* out) {
    return json_.Array(value, [&](Value item) {
      out->emplace_back();
      return json_.Double(item, &out->back());
    });
  }

  bool Int32(Value value, int64_t min, int32_t* out) {
    int64_t number = 0;
    if (!json_.Int(value, min, kInt32Max, &number)) return false;
    *out = static_cast<int32_t>(number);
    return true;
  }

  bool ReadTensor(Value value) {
    const size_t offset = json_.OffsetOf(value);
    Tensor tensor;
    TensorValues values;
    bool has_values = false, has_range = false;
    std::pair<double, double> range;
    const bool ok = json_.Object(value, kTensorKeys, [&](size_t key, Value v) {
      switch (key) {
        case kTensorName:
          return json_.String(v, &tensor.name);
        case kTensorDtype:
          return ReadDtype(v, &tensor.dtype);
        case kTensorDims:
          return Int64s(v, &tensor.dims, kDynamicDim);
        case kUnknownRank:
          return json_.Bool(v, &tensor.unknown_rank);
        case kIsStatic:
          return json_.Bool(v, &tensor.is_static);
        case kEncoding:
          return ReadEncoding(v, &tensor.encoding.Edit());
        case kValues:
          has_values = true;
          return Int64s(v, &values.ints);
        case kRealValues:
          has_values = true;
          return Doubles(v, &values.reals);
        case kSparse:
          return json_.Int(v, -1, kInt64Max, &tensor.sparse);
        default:
          has_range = true;
          return json_.Object(v, kRangeKeys, [&](size_t end, Value number) {
            return json_.Double(number, end == 0 ? &range.first : &range.second);
          });
      }
    });
    if (!ok) return false;
    if (has_range) tensor.value_range = range;
    if (has_values) tensor.values = std::make_shared<const TensorValues>(std::move(values));
    const std::string problem = FinishTensor(tensor, model_.tensors.size());
    if (!problem.empty()) return json_.FailAt(offset, problem);
    const auto id = static_cast<TensorId>(model_.tensors.size());
    const auto [it, fresh] = ids_.try_emplace(tensor.name.str(), id);
    if (!fresh) {
      return json_.FailAt(offset, fmt::format("a tensor named {} exists already, tensors[{}]",
                                              Quoted(tensor.name), it->second));
    }
    model_.tensors.push_back(std::move(tensor));
    return true;
  }

  bool ReadEncoding(Value value, Encoding* encoding) {
    return json_.Object(value, kEncodingKinds, [&](size_t kind, Value v) {
      if (encoding->kind != EncodingKind::kNone) {
        return json_.Fail(v, fmt::format("the encoding is {} already; give one kind only",
                                         EncodingKindName(encoding->kind)));
      }
      encoding->kind = static_cast<EncodingKind>(kind + 1);
      return ReadEncodingKind(v, kind, encoding);
    });
  }

  bool ReadEncodingKind(Value value, size_t kind, Encoding* encoding) {
    std::array<JsonKey, kEncodingKeys.size()> keys;
    std::array<int, kEncodingKeys.size()> field{};
    size_t count = 0;
    for (size_t i = 0; i < kEncodingKeys.size(); ++i) {
      if ((kKindFields[kind] >> i & 1) == 0) continue;
      field[count] = static_cast<int>(i);
      keys[count++] = kEncodingKeys[i];
    }
    if (encoding->kind == EncodingKind::kPerTensor) {
      encoding->scales.push_back(0);
      encoding->zero_points.push_back(0);
    }
    return json_.Object(value, std::span(keys).first(count), [&](size_t key, Value v) {
      switch (field[key]) {
        case kScale:
          return json_.Float(v, &encoding->scales[0]);
        case kZeroPoint:
          return Int32(v, kInt32Min, &encoding->zero_points[0]);
        case kScales:
          return json_.Array(v, [&](Value item) {
            encoding->scales.push_back(0);
            return json_.Float(item, &encoding->scales.back());
          });
        case kZeroPoints:
          return Int32s(v, &encoding->zero_points);
        case kBitwidth:
          return Int32(v, 0, &encoding->bitwidth);
        case kAxis:
          return Int32(v, kInt32Min, &encoding->axis);
        case kBlockSize:
          return Int64s(v, &encoding->block_size);
        case kNumBlocks:
          return Int32(v, 0, &encoding->num_blocks);
        case kBlockScales:
          return Int32s(v, &encoding->block_scales);
        case kBlockScaleBitwidth:
          return Int32(v, 0, &encoding->block_scale_bitwidth);
        default:
          return Int32(v, 0, &encoding->block_scale_storage_bits);
      }
    });
  }

  bool ReadNode(Value value) {
    Node node;
    NodeReferences refs;
    refs.offset = json_.OffsetOf(value);
    std::vector<TextAt> outputs;
    refs.begin = references_.size();
    const bool ok = json_.Object(value, kNodeKeys, [&](size_t key, Value v) {
      switch (key) {
        case kNodeName:
          return json_.String(v, &node.name);
        case kNodeOp:
          return json_.String(v, &node.op);
        case kNodeInputs:
          return json_.Strings(v, &references_);
        case kNodeOutputs:
          return json_.Strings(v, &outputs);
        case kParams:
          return json_.Map(v, [&](std::string_view name, Value param, size_t) {
            return ReadParam(name, param, &node.params.Edit());
          });
        case kNodeDialect:
          return ReadDialect(v, [&](Dialect d) { node.dialect = d; });
        case kDomain:
          return json_.String(v, &node.domain);
        case kLocation:
          return json_.String(v, &node.location);
        default:
          return json_.String(v, &node.unchecked_reason);
      }
    });
    if (!ok) return false;
    if (node.op.empty()) return json_.FailAt(refs.offset, "a node needs an \"op\"");
    if (const std::string* twice = FindTwice(node.params)) {
      return json_.FailAt(refs.offset, fmt::format("param {} is given twice", Quoted(*twice)));
    }
    refs.outputs = references_.size();
    references_.insert(references_.end(), outputs.begin(), outputs.end());
    refs.end = references_.size();
    if (const std::string problem = FinishNode(node, model_.nodes.size()); !problem.empty()) {
      return json_.FailAt(refs.offset, problem);
    }
    model_.nodes.push_back(std::move(node));
    node_references_.push_back(refs);
    return true;
  }

  bool ReadParam(std::string_view name, Value value, std::vector<Param>* params) {
    Param param{std::string(name), std::vector<int64_t>{}};
    bool given = false;
    const bool ok = json_.Object(value, kParamKeys, [&](size_t key, Value v) {
      if (given) return json_.Fail(v, "a param has one value only");
      given = true;
      return ReadParamValue(key, v, &param.value);
    });
    if (ok) params->push_back(std::move(param));
    return ok;
  }

  bool ReadParamValue(size_t key, Value value, ParamValue* out) {
    switch (key) {
      case kInt:
        return json_.Int(value, kInt64Min, kInt64Max, &out->emplace<IntParam>().value);
      case kUint:
        return json_.Uint(value, &out->emplace<UintParam>().value);
      case kReal:
        return json_.Double(value, &out->emplace<double>());
      case kFlag:
        return json_.Bool(value, &out->emplace<bool>());
      case kTensorValue:
        return ReadTensorParam(value, &out->emplace<TensorParam>());
      case kText:
        return json_.String(value, &out->emplace<std::string>());
      case kTexts: {
        auto& texts = out->emplace<std::vector<std::string>>();
        return json_.Array(value, [&](Value item) {
          texts.emplace_back();
          return json_.String(item, &texts.back());
        });
      }
      case kInts:
        return Int64s(value, &out->emplace<std::vector<int64_t>>());
      default:
        return Doubles(value, &out->emplace<std::vector<double>>());
    }
  }

  bool ReadTensorParam(Value value, TensorParam* out) {
    const size_t offset = json_.OffsetOf(value);
    const bool ok = json_.Object(value, kTensorParamKeys, [&](size_t key, Value v) {
      switch (key) {
        case 0:
          return ReadDtype(v, &out->dtype);
        case 1:
          return Int64s(v, &out->dims, 0);
        case 2:
          return Int64s(v, &out->ints);
        default:
          return Doubles(v, &out->reals);
      }
    });
    if (!ok) return false;
    const std::string problem = CheckTensorParam(*out);
    return problem.empty() || json_.FailAt(offset, problem);
  }

  template <typename Ids>
  bool Lookup(const TextAt& ref, std::string_view path, bool may_be_absent, Ids* out) {
    if (ref.text.empty() && may_be_absent) {
      out->push_back(kNoTensor);
      return true;
    }
    const auto it = ids_.find(absl::string_view(ref.text.data(), ref.text.size()));
    if (it == ids_.end()) {
      std::string hint;
      if (model_.tensors.size() < kFewTensors && ref.text.size() < 64) {
        std::vector<std::string_view> known;
        for (const Tensor& tensor : model_.tensors) known.emplace_back(tensor.name);
        hint = DidYouMeanOf(ref.text, known);
      }
      return json_.FailAt(ref.offset, path,
                          fmt::format("no tensor is named {}{}", Quoted(ref.text), hint));
    }
    out->push_back(it->second);
    return true;
  }

  // Names -> ids, then the checks of the graph as a whole.
  bool Connect() {
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      const NodeReferences& refs = node_references_[n];
      Node& node = model_.nodes[n];
      for (size_t i = refs.begin; i < refs.end; ++i) {
        const bool is_input = i < refs.outputs;
        const std::string path =
            references_[i].text.empty() || ids_.contains(Absl(references_[i].text))
                ? std::string()
                : PortPath(n, is_input, i - (is_input ? refs.begin : refs.outputs));
        if (is_input ? !Lookup(references_[i], path, true, &node.inputs)
                     : !Lookup(references_[i], path, true, &node.outputs)) {
          return false;
        }
      }
    }
    for (size_t i = 0; i < graph_inputs_.size(); ++i) {
      if (!Lookup(graph_inputs_[i], fmt::format("inputs[{}]", i), false, &model_.inputs))
        return false;
    }
    for (size_t i = 0; i < graph_outputs_.size(); ++i) {
      if (!Lookup(graph_outputs_[i], fmt::format("outputs[{}]", i), false, &model_.outputs)) {
        return false;
      }
    }
    FillGraphEnds(model_);
    if (const auto problem = FindGraphProblem(model_, nullptr)) return Fail(*problem);
    return true;
  }

  static std::string PortPath(size_t node, bool is_input, size_t port) {
    return fmt::format("nodes[{}].{}[{}]", node, is_input ? "inputs" : "outputs", port);
  }

  bool Fail(const GraphProblem& problem) {
    const auto port = static_cast<size_t>(problem.port);
    if (problem.node < 0) {
      return json_.FailAt(graph_outputs_.empty() ? 0 : graph_outputs_[port].offset,
                          fmt::format("outputs[{}]", port), problem.reason);
    }
    const NodeReferences& refs = node_references_[problem.node];
    if (problem.port < 0) {
      return json_.FailAt(refs.offset, fmt::format("nodes[{}]", problem.node), problem.reason);
    }
    const size_t begin = problem.is_input ? refs.begin : refs.outputs;
    return json_.FailAt(references_[begin + port].offset,
                        PortPath(problem.node, problem.is_input, port), problem.reason);
  }

  static constexpr size_t kFewTensors = 10000;  // beyond, "did you mean" is not worth the time

  JsonCursor json_;
  std::string_view fallback_name_;
  Model model_;
  absl::flat_hash_map<std::string, TensorId> ids_;
  std::vector<TextAt> graph_inputs_;
  std::vector<TextAt> graph_outputs_;
  std::vector<TextAt> references_;
  std::vector<NodeReferences> node_references_;
};

}  // namespace

absl::StatusOr<Model> ReadModelJson(std::string_view json, std::string_view name) {
  return ModelJsonReader(json, name).Read();
}

}  // namespace quantgate
