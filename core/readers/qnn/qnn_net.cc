// QNN net.json -> Model: what QNN's converters write next to a model, and ONNX Runtime's QNN
// provider with dump_json_qnn_graph. docs/guide/formats.md lists what of it is read.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/json_cursor.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/model_finish.h"
#include "core/readers/qnn/quant_params.h"
#include "core/readers/unknown_fields.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using Value = JsonCursor::Value;

constexpr size_t kFewTensors = 10000;  // beyond, "did you mean" is not worth the time
constexpr int kMaxNesting = 16;

// Qnn_TensorType_t of QnnTypes.h, SDK 2.25.
constexpr int64_t kAppWrite = 0, kAppRead = 1, kAppReadWrite = 2, kStatic = 4, kNull = 5,
                  kUpdateableStatic = 6, kUpdateableAppWrite = 8, kUpdateableAppRead = 9,
                  kUpdateableAppReadWrite = 10;
constexpr int64_t kSparseFormat = 1;  // Qnn_TensorDataFormat_t
constexpr std::string_view kOwnPackage = "qti.aisw";

class NetReader {
 public:
  NetReader(std::string_view json, std::string_view name) : json_(json) { model_.name = name; }

  absl::StatusOr<Model> Read() {
    const bool ok = json_.Document([&](Value root) { return ReadTop(root); }) && Connect();
    if (!ok) return json_.status();
    AddNotes();
    return std::move(model_);
  }

 private:
  struct NodePorts {
    std::string key;
    size_t offset = 0;
    std::vector<TextAt> inputs, outputs;
  };
  struct GraphEnd {
    int64_t id;
    TensorId tensor;
  };

  bool ReadTop(Value value) {
    bool has_graph = false;
    const bool ok = json_.Map(value, [&](std::string_view key, Value v, size_t offset) {
      if (key == "graph") {
        if (has_graph) return json_.FailAt(offset, "given twice");
        has_graph = true;
        return ReadGraph(v);
      }
      for (const std::string_view known :
           {"model.cpp", "model.bin", "converter_command", "copyright_str", "op_types",
            "Total parameters", "Total MACs per inference", "model_name"}) {
        if (key == known) return json_.Pass(v);
      }
      unknown_.Add(key);
      return json_.Pass(v);
    });
    if (ok && !has_graph) return json_.FailAt(0, "not a QNN net.json: there is no \"graph\" in it");
    return ok;
  }

  bool ReadGraph(Value value) {
    return json_.Map(value, [&](std::string_view key, Value v, size_t) {
      if (key == "tensors") {
        return json_.Map(v, [&](std::string_view name, Value tensor, size_t offset) {
          return ReadTensor(name, tensor, offset);
        });
      }
      if (key == "nodes") {
        return json_.Map(v, [&](std::string_view name, Value node, size_t offset) {
          return ReadNode(name, node, offset);
        });
      }
      unknown_.Add(key);
      return json_.Pass(v);
    });
  }

  // ---- tensors -----------------------------------------------------------------------------

  bool ReadTensor(std::string_view name, Value value, size_t offset) {
    Tensor tensor;
    tensor.name = name;
    int64_t id = 0, type = -1, format = 0;
    bool has_dims = false;
    qnn::QuantParams quant;
    TensorValues values;
    bool has_values = false;
    const bool ok = json_.Map(value, [&](std::string_view key, Value v, size_t) {
      if (key == "id") return json_.Int(v, kInt64Min, kInt64Max, &id);
      if (key == "type") return json_.Int(v, 0, kInt32Max, &type);
      if (key == "data_type") return ReadDtype(v, &tensor.dtype);
      if (key == "dims" || key == "current_dims") {
        if (has_dims && key == "dims") return json_.Pass(v);
        has_dims = true;
        tensor.dims.clear();
        return Ints(v, &tensor.dims);
      }
      if (key == "dataFormat") return json_.Int(v, 0, kInt64Max, &format);
      if (key == "quant_params") return qnn::ReadQuantParams(json_, v, unknown_, &quant);
      if (key == "data") {
        has_values = true;
        return Numbers(v, 0, &values);
      }
      if (KnownTensorKey(key)) return json_.Pass(v);
      unknown_.Add(key);
      return json_.Pass(v);
    });
    if (!ok) return false;
    if (!has_dims) tensor.unknown_rank = true;
    tensor.is_static = type == kStatic || type == kUpdateableStatic;
    if (format == kSparseFormat) tensor.sparse = 0;  // how many elements are given stands nowhere
    if (has_values) KeepValues(std::move(values), &tensor);
    const bool known = qnn::SetEncoding(quant, &tensor, &moved_);
    if (const std::string problem = FinishTensor(tensor, model_.tensors.size()); !problem.empty()) {
      return json_.FailAt(offset, problem);
    }
    const auto index = static_cast<TensorId>(model_.tensors.size());
    if (!ids_.try_emplace(tensor.name.str(), type == kNull ? kNoTensor : index).second) {
      return json_.FailAt(offset, fmt::format("a tensor named {} exists already", Quoted(name)));
    }
    if (type == kNull) return true;
    if (!known) unknown_encodings_.push_back(index);
    if (type == kAppWrite || type == kAppReadWrite || type == kUpdateableAppWrite ||
        type == kUpdateableAppReadWrite) {
      inputs_.push_back({id, index});
    }
    if (type == kAppRead || type == kAppReadWrite || type == kUpdateableAppRead ||
        type == kUpdateableAppReadWrite) {
      outputs_.push_back({id, index});
    }
    model_.tensors.push_back(std::move(tensor));
    return true;
  }

  static bool KnownTensorKey(std::string_view key) {
    // Layouts are of no use without the source graph; permute_order and the like are of the writer.
    for (const std::string_view known : {"axis_format", "src_axis_format", "params_count",
                                         "permute_order_to_src", "is_updateable", "source_names"}) {
      if (key == known) return true;
    }
    return false;
  }

  static void KeepValues(TensorValues values, Tensor* tensor) {
    const size_t count = values.ints.size() + values.reals.size();
    if (count > static_cast<size_t>(kMaxKeptValues)) return;
    ToStored(tensor->dtype, &values);
    tensor->values = std::make_shared<const TensorValues>(std::move(values));
  }

  // Whole numbers of a float tensor are floats.
  static void ToStored(Dtype dtype, TensorValues* values) {
    if (values->ints.empty() || (values->reals.empty() && !IsFloat(dtype))) return;
    values->reals.insert(values->reals.end(), values->ints.begin(), values->ints.end());
    values->ints.clear();
  }

  bool ReadDtype(Value value, Dtype* out) {
    const size_t offset = json_.OffsetOf(value);
    int64_t number = 0;
    if (!json_.Int(value, 0, kInt64Max, &number)) return false;
    if (number == 0 || number == kInt32Max) return true;
    const auto dtype =
        number > kInt32Max ? std::nullopt : DtypeFromQnnValue(static_cast<uint32_t>(number));
    if (!dtype) {
      return json_.FailAt(offset, fmt::format("no QNN datatype has the number {}", number));
    }
    *out = *dtype;
    return true;
  }

  template <typename List>
  bool Ints(Value value, List* out) {
    return json_.Array(value, [&](Value item) {
      int64_t number = 0;
      if (!json_.Int(item, kDynamicDim, kInt64Max, &number)) return false;
      out->push_back(number);
      return true;
    });
  }

  // Numbers and booleans of nested lists, flat.
  bool Numbers(Value value, int depth, TensorValues* out) {
    JsonType type;
    if (!json_.TypeOf(value, &type)) return false;
    if (type == JsonType::kArray) {
      if (depth == kMaxNesting) return json_.Fail(value, "lists within lists, more than 16 deep");
      return json_.Array(value, [&](Value item) { return Numbers(item, depth + 1, out); });
    }
    if (type == JsonType::kBoolean) {
      bool flag = false;
      if (!json_.Bool(value, &flag)) return false;
      out->ints.push_back(flag ? 1 : 0);
      return true;
    }
    int64_t integer = 0;
    if (out->reals.empty() && json_.IsInt(value, &integer)) {
      out->ints.push_back(integer);
      return true;
    }
    double real = 0;
    if (!json_.Double(value, &real)) return false;
    // One fraction makes all of them fractions.
    out->reals.insert(out->reals.end(), out->ints.begin(), out->ints.end());
    out->ints.clear();
    out->reals.push_back(real);
    return true;
  }

  // ---- nodes -------------------------------------------------------------------------------

  bool ReadNode(std::string_view name, Value value, size_t offset) {
    Node node;
    node.name = name;
    NodePorts ports;
    ports.key = name;
    ports.offset = offset;
    std::string package;
    const bool ok = json_.Map(value, [&](std::string_view key, Value v, size_t) {
      if (key == "type") return json_.String(v, &node.op);
      if (key == "package") return json_.String(v, &package);
      if (key == "input_names") return json_.Strings(v, &ports.inputs);
      if (key == "output_names") return json_.Strings(v, &ports.outputs);
      if (key == "scalar_params") {
        return json_.Map(v, [&](std::string_view param, Value p, size_t) {
          return ReadScalar(param, p, &node.params.Edit());
        });
      }
      if (key == "tensor_params") {
        return json_.Map(v, [&](std::string_view param, Value p, size_t) {
          return ReadTensorParam(param, p, &node.params.Edit());
        });
      }
      if (key == "macs_per_inference" || key == "param_map") return json_.Pass(v);
      unknown_.Add(key);
      return json_.Pass(v);
    });
    if (!ok) return false;
    if (node.op.empty()) return json_.FailAt(offset, "a node needs a \"type\"");
    if (const std::string* twice = FindTwice(node.params)) {
      return json_.FailAt(offset, fmt::format("param {} is given twice", Quoted(*twice)));
    }
    // Of a map; see SortedParams.
    std::vector<Param>& params = node.params.Edit();
    std::sort(params.begin(), params.end(),
              [](const Param& a, const Param& b) { return a.name < b.name; });
    if (!package.empty() && package != kOwnPackage) {
      node.unchecked_reason = fmt::format("it is of the op package {}", Quoted(package));
    }
    if (const std::string problem = FinishNode(node, model_.nodes.size()); !problem.empty()) {
      return json_.FailAt(offset, problem);
    }
    model_.nodes.push_back(std::move(node));
    ports_.push_back(std::move(ports));
    return true;
  }

  // {"<datatype number>": value}
  bool ReadScalar(std::string_view name, Value value, std::vector<Param>* params) {
    bool given = false;
    return json_.Map(value, [&](std::string_view key, Value v, size_t offset) {
      if (given) return json_.FailAt(offset, "a param has one value only");
      given = true;
      uint32_t number = 0;
      const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
      const auto dtype = error == std::errc() && end == key.data() + key.size()
                             ? DtypeFromQnnValue(number)
                             : std::nullopt;
      if (!dtype) {
        return json_.FailAt(offset, fmt::format("no QNN datatype has the number {}", Quoted(key)));
      }
      Param& param = params->emplace_back();
      param.name = name;
      return ReadScalarValue(*dtype, v, &param.value);
    });
  }

  bool ReadScalarValue(Dtype dtype, Value value, ParamValue* out) {
    switch (ClassOf(dtype)) {
      case DtypeClass::kBool: {
        TensorValues values;
        if (!Numbers(value, kMaxNesting, &values)) return false;
        *out = (!values.ints.empty() && values.ints[0] != 0) ||
               (!values.reals.empty() && values.reals[0] != 0);
        return true;
      }
      case DtypeClass::kFloat:
        return json_.Double(value, &out->emplace<double>());
      case DtypeClass::kString:
        return json_.String(value, &out->emplace<std::string>());
      case DtypeClass::kUint:
      case DtypeClass::kUfixed:
        return json_.Uint(value, &out->emplace<UintParam>().value);
      default:
        return json_.Int(value, kInt64Min, kInt64Max, &out->emplace<IntParam>().value);
    }
  }

  // {"<tensor>": {the fields of a tensor}}
  bool ReadTensorParam(std::string_view name, Value value, std::vector<Param>* params) {
    bool given = false;
    return json_.Map(value, [&](std::string_view, Value tensor, size_t offset) {
      if (given) return json_.FailAt(offset, "a param has one tensor only");
      given = true;
      TensorParam param;
      TensorValues values;
      const bool ok = json_.Map(tensor, [&](std::string_view key, Value v, size_t) {
        if (key == "data_type") return ReadDtype(v, &param.dtype);
        if (key == "dims" || key == "current_dims") {
          param.dims.clear();
          return Ints(v, &param.dims);
        }
        if (key == "data") return Numbers(v, 0, &values);
        if (key != "id" && key != "type" && key != "quant_params" && !KnownTensorKey(key)) {
          unknown_.Add(key);
        }
        return json_.Pass(v);
      });
      if (!ok) return false;
      ToStored(param.dtype, &values);
      param.ints = std::move(values.ints);
      param.reals = std::move(values.reals);
      if (const std::string problem = CheckTensorParam(param); !problem.empty()) {
        return json_.FailAt(offset, problem);
      }
      Param& out = params->emplace_back();
      out.name = name;
      out.value = std::move(param);
      return true;
    });
  }

  // ---- the graph as a whole ----------------------------------------------------------------

  bool Lookup(const NodePorts& node, std::string_view side, const std::vector<TextAt>& names,
              auto* out) {
    for (size_t i = 0; i < names.size(); ++i) {
      const auto it = ids_.find(absl::string_view(names[i].text.data(), names[i].text.size()));
      if (it != ids_.end()) {
        out->push_back(it->second);
        continue;
      }
      if (names[i].text.empty()) {
        out->push_back(kNoTensor);
        continue;
      }
      std::string hint;
      if (model_.tensors.size() < kFewTensors && names[i].text.size() < 64) {
        std::vector<std::string_view> known;
        for (const Tensor& tensor : model_.tensors) known.emplace_back(tensor.name);
        hint = DidYouMeanOf(names[i].text, known);
      }
      return json_.FailAt(names[i].offset,
                          fmt::format("graph.nodes.{}.{}[{}]", Quoted(node.key), side, i),
                          fmt::format("no tensor is named {}{}", Quoted(names[i].text), hint));
    }
    return true;
  }

  bool Connect() {
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      Node& node = model_.nodes[n];
      if (!Lookup(ports_[n], "input_names", ports_[n].inputs, &node.inputs) ||
          !Lookup(ports_[n], "output_names", ports_[n].outputs, &node.outputs)) {
        return false;
      }
    }
    for (auto* ends : {&inputs_, &outputs_}) {
      std::sort(ends->begin(), ends->end(),
                [](const GraphEnd& a, const GraphEnd& b) { return a.id < b.id; });
    }
    for (const GraphEnd& end : inputs_) model_.inputs.push_back(end.tensor);
    for (const GraphEnd& end : outputs_) model_.outputs.push_back(end.tensor);
    FillGraphEnds(model_);
    if (const auto problem = FindGraphProblem(model_, nullptr)) {
      if (problem->node < 0) return json_.FailAt(0, "graph", problem->reason);
      const NodePorts& node = ports_[static_cast<size_t>(problem->node)];
      return json_.FailAt(node.offset, fmt::format("graph.nodes.{}", Quoted(node.key)),
                          problem->reason);
    }
    UncheckUnknown();
    return true;
  }

  // Without its encoding a tensor's node can't be checked.
  void UncheckUnknown() {
    if (unknown_encodings_.empty()) return;
    std::vector<bool> unknown(model_.tensors.size());
    for (const TensorId id : unknown_encodings_) unknown[static_cast<size_t>(id)] = true;
    for (Node& node : model_.nodes) {
      const auto look = [&](const auto& ids) {
        for (const TensorId id : ids) {
          if (id == kNoTensor || !unknown[static_cast<size_t>(id)]) continue;
          if (!node.unchecked_reason.empty()) return;
          node.unchecked_reason = fmt::format("the file does not hold the encoding of {}",
                                              Quoted(model_.tensors[static_cast<size_t>(id)].name));
        }
      };
      look(node.inputs);
      look(node.outputs);
    }
  }

  void AddNotes() {
    if (!unknown_encodings_.empty()) {
      model_.notes.push_back(fmt::format(
          "{} tensors have an encoding that is not in the file (ONNX Runtime writes scale and "
          "offset of per-tensor encodings only): their nodes are unchecked",
          unknown_encodings_.size()));
    }
    if (moved_ > 0) {
      model_.notes.push_back(fmt::format(
          "offsets of {} signed tensors count from the unsigned grid; read as 0", moved_));
    }
    unknown_.AddNote(model_.notes);
  }

  JsonCursor json_;
  Model model_;
  absl::flat_hash_map<std::string, TensorId> ids_;
  std::vector<NodePorts> ports_;
  std::vector<GraphEnd> inputs_, outputs_;
  std::vector<TensorId> unknown_encodings_;
  UnknownFields unknown_;
  int64_t moved_ = 0;
};

}  // namespace

absl::StatusOr<Model> ReadQnnNet(std::string_view json, std::string_view name) {
  return NetReader(json, name).Read();
}

}  // namespace quantgate
