// ONNX file -> Model, as written: every node of the file, Q/DQ included. Field numbers are those
// of onnx/onnx.proto. Weights are passed over; see ShouldKeep and StoredRange for what is read.
#include "core/readers/onnx/onnx_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/base/absl_view.h"
#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/limits.h"
#include "core/readers/model_finish.h"
#include "core/readers/onnx/onnx_infer.h"
#include "core/readers/onnx/onnx_tensor.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace onnx {
namespace {

using pbf::Bytes;
using pbf::Fixed32;
using pbf::ForEachField;
using pbf::Varint;
using protozero::pbf_reader;

constexpr size_t kMostReserved = size_t{1} << 16;  // tensors or nodes, before the first is read
constexpr int kMaxDepth = 16;                      // of subgraphs in subgraphs
constexpr size_t kMaxPrefix = 200;                 // of a subgraph's names: its nodes could be many
constexpr size_t kMaxLocation = 200;

// Inputs that hold scales and zero points, as bits: their values make encodings.
struct EncodingInputs {
  std::string_view op;
  uint32_t inputs;
};
constexpr std::array<EncodingInputs, 8> kEncodingInputs = {{
    {"QuantizeLinear", 0b110},
    {"DequantizeLinear", 0b110},
    {"QLinearConv", 0b11110110},
    {"QLinearMatMul", 0b11110110},
    {"QGemm", 0b110110110},
    {"QLinearAdd", 0b11110110},
    {"ConvInteger", 0b1100},
    {"MatMulInteger", 0b1100},
}};
constexpr std::string_view kConstantOp = "Constant";

// AttributeProto.AttributeType
enum AttributeType {
  kUnknown = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kGraphs = 10,
};

std::string_view DefaultDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

struct NodeProto {
  std::string_view name;
  std::string_view op;
  std::string_view domain;
  std::string_view doc;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> attributes;
};

struct Attribute {
  std::string_view name;
  int64_t type = kUnknown;
  int64_t i = 0;
  float f = 0;
  std::string_view s;
  std::string_view tensor;
  bool has_tensor = false;
  std::vector<std::string_view> graphs;
  std::vector<double> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct GraphProto {
  std::string_view name;
  std::vector<std::string_view> nodes;
  std::vector<std::string_view> initializers;
  std::vector<std::string_view> sparse_initializers;
  std::vector<std::string_view> inputs;
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> value_infos;
};

struct ValueInfo {
  std::string_view name;
  std::string_view type;
};

// The names that a graph defines; a subgraph sees those around it too.
struct Scope {
  const Scope* outer = nullptr;
  std::string prefix;            // "<parent>/<attribute>/"
  std::string unchecked_reason;  // of its nodes
  int depth = 0;
  absl::flat_hash_map<absl::string_view, TensorId> ids;
  absl::flat_hash_map<absl::string_view, std::string_view> types;  // TypeProto by tensor
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name, const ExternalData& data,
         const std::function<void(std::string_view)>& done)
      : bytes_(bytes), data_(data), done_(done), place_(bytes.data()) {
    model_.name = name;
    model_.dialect = Dialect::kOnnx;
  }

  absl::StatusOr<Model> Read() {
    try {
      ReadModelProto();
    } catch (const protozero::exception& error) {
      const std::string reason(pbf::Reason(error));
      return InvalidAt(fmt::format("byte {}", place_ - bytes_.data()),
                       doing_.empty() ? reason : fmt::format("{} ({})", reason, doing_));
    } catch (const BadModel& error) {
      return InvalidAt(error.place, error.what());
    }
    return std::move(model_);
  }

 private:
  void ReadModelProto() {
    if (bytes_.size() > kMaxFileBytes)
      throw BadModel("", "larger than 4 GiB, which protobuf can't be");
    std::string_view graph;
    bool has_graph = false;
    ForEachField(bytes_, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(7):
          if (has_graph) throw BadModel(PlaceNow(), "a second graph");
          graph = pbf::View(reader);
          has_graph = true;
          return true;
        case Bytes(8):
          ReadOpset(pbf::View(reader));
          return true;
        case Bytes(25):
          ReadFunction(pbf::View(reader));
          return true;
        default:
          return false;
      }
    });
    if (!has_graph) throw BadModel("", "not an ONNX model: there is no graph in it");
    Scope scope;
    const GraphProto main = Split(graph);
    if (!main.name.empty()) model_.name = Utf8(main.name);
    ReadGraph(main, scope);
    doing_ = {};
    if (names_may_meet_) MakeNamesUnique();
    FillGraphEnds(model_);
    std::vector<int32_t> order;
    if (const auto problem = FindGraphProblem(model_, &order)) Throw(*problem);
    InferShapes(model_, order);
  }

  std::string PlaceNow() const { return fmt::format("byte {}", place_ - bytes_.data()); }

  [[noreturn]] void Throw(const GraphProblem& problem) const {
    if (problem.node < 0) throw BadModel("the graph's outputs", problem.reason);
    const std::string node = fmt::format("node {}", Quoted(model_.nodes[problem.node].name));
    if (problem.port < 0) throw BadModel(node, problem.reason);
    throw BadModel(
        fmt::format("{}, {} {}", node, problem.is_input ? "input" : "output", problem.port),
        problem.reason);
  }

  void ReadOpset(std::string_view message) {
    std::string_view domain;
    int64_t version = 0;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag == Bytes(1)) {
        domain = pbf::View(reader);
      } else if (tag == Varint(2)) {
        version = reader.get_int64();
      } else {
        return false;
      }
      return true;
    });
    if (DefaultDomain(domain).empty()) model_.opset = std::max<int64_t>(version, 0);
  }

  void ReadFunction(std::string_view message) {
    std::string_view name;
    std::string_view domain;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag != Bytes(1) && tag != Bytes(10)) return false;
      (tag == Bytes(1) ? name : domain) = pbf::View(reader);
      return true;
    });
    functions_.insert({Absl(DefaultDomain(domain)), Absl(name)});
  }

  GraphProto Split(std::string_view message) {
    GraphProto graph;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          if (const std::string problem = CheckRoomForNode(graph.nodes.size()); !problem.empty()) {
            throw BadModel("graph", problem);
          }
          graph.nodes.push_back(pbf::View(reader));
          return true;
        case Bytes(2):
          graph.name = pbf::View(reader);
          return true;
        case Bytes(5):
          graph.initializers.push_back(pbf::View(reader));
          return true;
        case Bytes(11):
          graph.inputs.push_back(pbf::View(reader));
          return true;
        case Bytes(12):
          graph.outputs.push_back(pbf::View(reader));
          return true;
        case Bytes(13):
          graph.value_infos.push_back(pbf::View(reader));
          return true;
        case Bytes(15):
          graph.sparse_initializers.push_back(pbf::View(reader));
          return true;
        default:
          return false;
      }
    });
    return graph;
  }

  // Definitions first (a subgraph's node may come before what it captures), then the nodes.
  void ReadGraph(const GraphProto& graph, Scope& scope) {
    std::vector<NodeProto> nodes;
    nodes.reserve(graph.nodes.size());
    doing_ = "a node";
    for (const std::string_view message : graph.nodes) nodes.push_back(ParseNode(message));
    doing_ = "a value_info";
    for (const auto* list : {&graph.value_infos, &graph.outputs, &graph.inputs}) {
      for (const std::string_view message : *list) {
        const ValueInfo info = ParseValueInfo(message);
        if (!info.type.empty()) scope.types.insert_or_assign(Absl(info.name), info.type);
      }
    }
    absl::flat_hash_set<absl::string_view> encoding_names;
    for (const NodeProto& node : nodes) CollectEncodingInputs(node, encoding_names);
    if (scope.depth == 0) {
      const size_t tensors = graph.initializers.size() + graph.inputs.size() + nodes.size();
      model_.nodes.reserve(std::min(nodes.size(), kMostReserved));
      model_.tensors.reserve(std::min(tensors, kMostReserved));
    }
    doing_ = "an initializer";
    for (const std::string_view message : graph.initializers) {
      ReadInitializer(message, scope, encoding_names);
    }
    for (const std::string_view message : graph.sparse_initializers) {
      ReadSparseInitializer(message, scope);
    }
    doing_ = "a graph input";
    for (const std::string_view message : graph.inputs) ReadInput(message, scope);
    doing_ = "a node";
    for (size_t i = 0; i < nodes.size(); ++i) DeclareOutputs(nodes[i], i, scope);
    for (size_t i = 0; i < nodes.size(); ++i) ReadNode(nodes[i], i, scope, encoding_names);
    if (scope.depth > 0) return;
    doing_ = "a graph output";
    for (const std::string_view message : graph.outputs) {
      const ValueInfo info = ParseValueInfo(message);
      if (info.name.empty()) throw BadModel("the graph's outputs", "an output without a name");
      const auto it = scope.ids.find(Absl(info.name));
      if (it == scope.ids.end()) {
        throw BadModel("the graph's outputs",
                       fmt::format("tensor {} is never produced", Quoted(info.name)));
      }
      model_.outputs.push_back(it->second);
    }
  }

  NodeProto ParseNode(std::string_view message) {
    NodeProto node;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          node.inputs.push_back(pbf::View(reader));
          return true;
        case Bytes(2):
          node.outputs.push_back(pbf::View(reader));
          return true;
        case Bytes(3):
          node.name = pbf::View(reader);
          return true;
        case Bytes(4):
          node.op = pbf::View(reader);
          return true;
        case Bytes(5):
          node.attributes.push_back(pbf::View(reader));
          return true;
        case Bytes(6):
          node.doc = pbf::View(reader);
          return true;
        case Bytes(7):
          node.domain = DefaultDomain(pbf::View(reader));
          return true;
        default:
          return false;
      }
    });
    if (node.op.empty()) throw BadModel(PlaceNow(), "a node without an op_type");
    return node;
  }

  ValueInfo ParseValueInfo(std::string_view message) {
    ValueInfo info;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag != Bytes(1) && tag != Bytes(2)) return false;
      (tag == Bytes(1) ? info.name : info.type) = pbf::View(reader);
      return true;
    });
    return info;
  }

  static void CollectEncodingInputs(const NodeProto& node,
                                    absl::flat_hash_set<absl::string_view>& names) {
    const auto it = std::find_if(kEncodingInputs.begin(), kEncodingInputs.end(),
                                 [&](const EncodingInputs& row) { return row.op == node.op; });
    if (it == kEncodingInputs.end()) return;
    for (size_t i = 0; i < node.inputs.size() && i < 32; ++i) {
      if ((it->inputs >> i & 1) != 0) names.insert(Absl(node.inputs[i]));
    }
  }

  // The type and shape that the file gives for a tensor.
  void ApplyType(std::string_view type, const std::string& what, Tensor* tensor) {
    std::string_view tensor_type;
    bool is_tensor = false;
    ForEachField(type, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag != Bytes(1)) return false;  // sequences, maps, optionals: unknown to QNN
      tensor_type = pbf::View(reader);
      is_tensor = true;
      return true;
    });
    if (!is_tensor) return;
    ForEachField(tensor_type, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag == Varint(1)) {
        tensor->dtype = DtypeOf(reader.get_int64());
      } else if (tag == Bytes(2)) {
        tensor->unknown_rank = false;
        tensor->dims.clear();
        ReadShape(pbf::View(reader), what, tensor);
      } else {
        return false;
      }
      return true;
    });
    Elements(tensor->dims, what);
  }

  void ReadShape(std::string_view message, const std::string& what, Tensor* tensor) {
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag != Bytes(1)) return false;
      int64_t dim = kDynamicDim;
      ForEachField(pbf::View(reader), &place_, [&](uint32_t dim_tag, pbf_reader& dim_reader) {
        if (dim_tag != Varint(1)) return false;
        dim = dim_reader.get_int64();
        return true;
      });
      if (dim < kDynamicDim) throw BadModel(what, fmt::format("dimension {} is negative", dim));
      tensor->dims.push_back(dim);
      return true;
    });
  }

  void CheckTensor(std::string_view name) const {
    for (const std::string& problem :
         {CheckRoomForTensor(model_.tensors.size()), CheckName(name)}) {
      if (!problem.empty()) throw BadModel("graph", problem);
    }
  }

  TensorId AddTensor(std::string_view name, const Scope& scope) {
    const auto id = static_cast<TensorId>(model_.tensors.size());
    CheckTensor(name);
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = NameIn(scope, name);
    tensor.unknown_rank = true;
    const auto type = scope.types.find(Absl(name));
    if (type != scope.types.end()) {
      ApplyType(type->second, fmt::format("tensor {}", Quoted(tensor.name)), &tensor);
    }
    return id;
  }

  std::string NameIn(const Scope& scope, std::string_view name) {
    std::string clean = Utf8(name);
    names_may_meet_ |= scope.depth > 0 || clean != name;
    return scope.prefix + clean;
  }

  // Names that differ in the file, by scope or by bytes that are no text, differ in the model.
  void MakeNamesUnique() {
    absl::flat_hash_set<std::string> names;
    int64_t duplicates = 0;
    for (Tensor& tensor : model_.tensors) {
      const std::string plain = tensor.name;
      while (!names.insert(tensor.name).second) {
        tensor.name = fmt::format("{}#{}", plain, ++duplicates);
      }
    }
  }

  void ReadInitializer(std::string_view message, Scope& scope,
                       const absl::flat_hash_set<absl::string_view>& encoding_names) {
    const TensorProto proto = ParseTensor(message, {}, data_, &place_);
    const bool is_encoding = encoding_names.contains(Absl(proto.name));
    const TensorId id = AddInitializer(proto.name, scope);
    SetStatic(proto, {}, is_encoding ? Keep::kAll : Keep::kShort, &model_.tensors[id]);
  }

  TensorId AddInitializer(std::string_view name, Scope& scope) {
    if (name.empty()) throw BadModel(PlaceNow(), "an initializer without a name");
    const auto id = static_cast<TensorId>(model_.tensors.size());
    if (!scope.ids.try_emplace(Absl(name), id).second) {
      throw BadModel(fmt::format("initializer {}", Quoted(name)), "given twice");
    }
    CheckTensor(name);
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = NameIn(scope, name);
    tensor.is_static = true;
    return id;
  }

  void SetStatic(const TensorProto& proto, const std::string& what, Keep keep, Tensor* tensor) {
    tensor->is_static = true;
    tensor->unknown_rank = false;
    tensor->dtype = DtypeOf(proto.data_type);
    tensor->dims = proto.dims;
    if (!ShouldKeep(proto, keep)) {
      tensor->value_range = StoredRange(proto, data_, &place_, done_);
      return;
    }
    std::string problem;
    tensor->values = Values(proto, what, data_, &place_, &problem);
    if (!problem.empty()) {
      model_.notes.push_back(
          fmt::format("the values of {} are not known: {}", Quoted(tensor->name), problem));
    }
  }

  void ReadSparseInitializer(std::string_view message, Scope& scope) {
    TensorProto values;
    absl::InlinedVector<int64_t, 4> dims;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          values = ParseTensor(pbf::View(reader), {}, data_, &place_);
          return true;
        case Varint(3):
          dims.push_back(reader.get_int64());
          return true;
        case Bytes(3):
          for (const int64_t dim : reader.get_packed_int64()) dims.push_back(dim);
          return true;
        default:
          return false;
      }
    });
    const std::string what = fmt::format("sparse initializer {}", Quoted(values.name));
    const auto negative =
        std::find_if(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; });
    if (negative != dims.end())
      throw BadModel(what, fmt::format("dimension {} is negative", *negative));
    const int64_t specified = values.elements;
    const int64_t elements = Elements(dims, what);
    if (specified > elements) {
      throw BadModel(what, fmt::format("{} values for {} elements", specified, elements));
    }
    Tensor& tensor = model_.tensors[AddInitializer(values.name, scope)];
    tensor.dtype = DtypeOf(values.data_type);
    tensor.dims = dims;
    tensor.sparse = specified;
  }

  void ReadInput(std::string_view message, Scope& scope) {
    const ValueInfo info = ParseValueInfo(message);
    if (info.name.empty()) throw BadModel(PlaceNow(), "a graph input without a name");
    const auto it = scope.ids.find(Absl(info.name));
    if (it != scope.ids.end()) {
      // Files of IR version 3 and older list initializers among the inputs.
      if (model_.tensors[it->second].is_static) return;
      throw BadModel("the graph's inputs", fmt::format("{} is given twice", Quoted(info.name)));
    }
    const TensorId id = AddTensor(info.name, scope);
    scope.ids.emplace(Absl(info.name), id);
    if (scope.depth == 0) model_.inputs.push_back(id);
  }

  static std::string NameOf(const NodeProto& node, size_t index, const Scope& scope) {
    return scope.prefix +
           (node.name.empty() ? fmt::format("{}_{}", Utf8(node.op), index) : Utf8(node.name));
  }

  void DeclareOutputs(const NodeProto& node, size_t index, Scope& scope) {
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const std::string_view name = node.outputs[k];
      if (name.empty()) continue;
      const auto it = scope.ids.find(Absl(name));
      if (it == scope.ids.end()) {
        scope.ids.emplace(Absl(name), AddTensor(name, scope));
      } else if (model_.tensors[it->second].is_static) {
        throw BadModel(fmt::format("node {}, output {}", Quoted(NameOf(node, index, scope)), k),
                       fmt::format("tensor {} is also an initializer", Quoted(name)));
      }
    }
  }

  void ReadNode(const NodeProto& proto, size_t index, Scope& scope,
                const absl::flat_hash_set<absl::string_view>& encoding_names) {
    for (const std::string& problem :
         {CheckRoomForNode(model_.nodes.size()), CheckName(proto.name), CheckName(proto.op)}) {
      if (!problem.empty()) throw BadModel(PlaceNow(), problem);
    }
    Node node;
    node.name = NameOf(proto, index, scope);
    node.op = Utf8(proto.op);
    node.domain = Utf8(proto.domain);
    node.unchecked_reason = scope.unchecked_reason;
    node.location = Utf8(proto.doc.substr(0, std::min(proto.doc.find('\n'), kMaxLocation)));
    const std::string what = fmt::format("node {}", Quoted(node.name));
    for (size_t k = 0; k < proto.inputs.size(); ++k) {
      node.inputs.push_back(Find(proto.inputs[k], k, what, scope));
    }
    for (const std::string_view name : proto.outputs) {
      node.outputs.push_back(name.empty() ? kNoTensor : scope.ids.at(Absl(name)));
    }
    std::vector<std::pair<std::string, std::string_view>> subgraphs;
    std::vector<Attribute> attributes;
    attributes.reserve(proto.attributes.size());
    for (const std::string_view message : proto.attributes) {
      Attribute attribute = ParseAttribute(message);
      const std::string name = Utf8(attribute.name);
      for (size_t g = 0; g < attribute.graphs.size(); ++g) {
        subgraphs.emplace_back(attribute.type == kGraphs ? fmt::format("{}[{}]", name, g) : name,
                               attribute.graphs[g]);
      }
      attributes.push_back(std::move(attribute));
    }
    if (proto.op == kConstantOp && proto.domain.empty()) {
      const bool is_encoding =
          !proto.outputs.empty() && encoding_names.contains(Absl(proto.outputs[0]));
      SetConstant(node, attributes, what, is_encoding ? Keep::kAll : Keep::kShort);
    }
    SetParams(attributes, what, proto.op == kConstantOp, &node);
    if (node.unchecked_reason.empty() &&
        functions_.contains({Absl(proto.domain), Absl(proto.op)})) {
      node.unchecked_reason = fmt::format(
          "it calls the file's own function {}, whose body is not looked into", Quoted(proto.op));
    }
    if (node.unchecked_reason.empty() && !subgraphs.empty()) {
      node.unchecked_reason = "control flow: a subgraph of its own runs inside it";
    }
    const std::string node_name = node.name;
    model_.nodes.push_back(std::move(node));
    for (const auto& [attribute, message] : subgraphs) {
      ReadSubgraph(message, node_name, attribute, scope);
    }
  }

  TensorId Find(std::string_view name, size_t port, const std::string& what, Scope& scope) {
    if (name.empty()) return kNoTensor;
    for (const Scope* around = &scope; around != nullptr; around = around->outer) {
      const auto it = around->ids.find(Absl(name));
      if (it != around->ids.end()) return it->second;
    }
    throw BadModel(fmt::format("{}, input {}", what, port),
                   fmt::format("tensor {} is never produced", Quoted(name)));
  }

  void ReadSubgraph(std::string_view message, std::string_view parent, std::string_view attribute,
                    const Scope& outer) {
    Scope scope;
    scope.outer = &outer;
    scope.depth = outer.depth + 1;
    if (scope.depth > kMaxDepth) {
      throw BadModel(fmt::format("node {}", Quoted(parent)),
                     fmt::format("subgraphs nested deeper than {}", kMaxDepth));
    }
    const std::string short_parent = Shorten(parent);
    const std::string short_attribute = Shorten(attribute);
    scope.prefix = fmt::format("{}/{}/", short_parent, short_attribute);
    scope.unchecked_reason =
        fmt::format("inside the {} subgraph of {}", short_attribute, Quoted(parent));
    ReadGraph(Split(message), scope);
  }

  static std::string Shorten(std::string_view name) {
    return name.size() <= kMaxPrefix ? std::string(name) : Utf8(name.substr(0, kMaxPrefix)) + "...";
  }

  Attribute ParseAttribute(std::string_view message) {
    Attribute out;
    int64_t seen = kUnknown;  // files of IR version 1 give no type
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          out.name = pbf::View(reader);
          return true;
        case Fixed32(2):
          out.f = reader.get_float();
          seen = kFloat;
          return true;
        case Varint(3):
          out.i = reader.get_int64();
          seen = kInt;
          return true;
        case Bytes(4):
          out.s = pbf::View(reader);
          seen = kString;
          return true;
        case Bytes(5):
          out.tensor = pbf::View(reader);
          out.has_tensor = true;
          seen = kTensor;
          return true;
        case Bytes(6):
          out.graphs.push_back(pbf::View(reader));
          seen = kGraph;
          return true;
        case Fixed32(7):
          out.floats.push_back(reader.get_float());
          seen = kFloats;
          return true;
        case Bytes(7):
          for (const float value : reader.get_packed_float()) out.floats.push_back(value);
          seen = kFloats;
          return true;
        case Varint(8):
          out.ints.push_back(reader.get_int64());
          seen = kInts;
          return true;
        case Bytes(8):
          for (const int64_t value : reader.get_packed_int64()) out.ints.push_back(value);
          seen = kInts;
          return true;
        case Bytes(9):
          out.strings.push_back(Utf8(pbf::View(reader)));
          seen = kStrings;
          return true;
        case Bytes(11):
          out.graphs.push_back(pbf::View(reader));
          seen = kGraphs;
          return true;
        case Varint(20):
          out.type = reader.get_int64();
          return true;
        default:
          return false;
      }
    });
    if (out.type == kUnknown) out.type = seen;
    return out;
  }

  // The tensor of a Constant, from whichever of its attributes is set.
  void SetConstant(const Node& node, const std::vector<Attribute>& attributes,
                   const std::string& what, Keep keep) {
    if (node.outputs.empty() || node.outputs[0] == kNoTensor) return;
    Tensor& tensor = model_.tensors[node.outputs[0]];
    tensor.is_static = true;
    for (const Attribute& attribute : attributes) {
      TensorValues values;
      Dtype dtype = Dtype::kUndefined;
      bool is_list = false;
      switch (attribute.type) {
        case kTensor:
          if (attribute.has_tensor) {
            SetStatic(ParseTensor(attribute.tensor, what, data_, &place_), what, keep, &tensor);
          }
          continue;
        case kFloat:
          values.reals = {attribute.f};
          dtype = Dtype::kFloat32;
          break;
        case kInt:
          values.ints = {attribute.i};
          dtype = Dtype::kInt64;
          break;
        case kFloats:
          values.reals = attribute.floats;
          dtype = Dtype::kFloat32;
          is_list = true;
          break;
        case kInts:
          values.ints = attribute.ints;
          dtype = Dtype::kInt64;
          is_list = true;
          break;
        default:
          continue;
      }
      tensor.dtype = dtype;
      tensor.unknown_rank = false;
      tensor.dims.clear();
      const size_t count = values.ints.size() + values.reals.size();
      if (is_list) tensor.dims.push_back(static_cast<int64_t>(count));
      if (count <= kMaxKeptValues || keep == Keep::kAll) {
        tensor.values = std::make_shared<const TensorValues>(std::move(values));
      }
    }
  }

  void SetParams(std::vector<Attribute>& attributes, const std::string& what, bool is_constant,
                 Node* node) {
    for (Attribute& attribute : attributes) {
      auto value = ValueOf(attribute, what, is_constant);
      if (value) node->params.push_back({Utf8(attribute.name), std::move(*value)});
    }
    if (const std::string* twice = FindTwice(node->params)) {
      throw BadModel(what, fmt::format("attribute {} is given twice", Quoted(*twice)));
    }
  }

  std::optional<ParamValue> ValueOf(Attribute& attribute, const std::string& what,
                                    bool is_constant) {
    switch (attribute.type) {
      case kFloat:
        return static_cast<double>(attribute.f);
      case kInt:
        return IntParam{attribute.i};
      case kString:
        return Utf8(attribute.s);
      case kTensor:
        if (!attribute.has_tensor) return std::nullopt;
        return TensorOf(attribute, what, is_constant);
      case kFloats:
        return std::move(attribute.floats);
      case kInts:
        return std::move(attribute.ints);
      case kStrings:
        return std::move(attribute.strings);
      default:  // graphs, sparse tensors, types, references of function bodies
        return std::nullopt;
    }
  }

  // The values of a Constant are in its tensor; here only what it is.
  ParamValue TensorOf(const Attribute& attribute, const std::string& what, bool is_constant) {
    const TensorProto proto = ParseTensor(attribute.tensor, what, data_, &place_);
    TensorParam param;
    param.dtype = DtypeOf(proto.data_type);
    param.dims.assign(proto.dims.begin(), proto.dims.end());
    if (is_constant || !ShouldKeep(proto, Keep::kShort)) return param;
    std::string problem;
    const auto values = Values(proto, what, data_, &place_, &problem);
    if (!problem.empty()) model_.notes.push_back(fmt::format("{}: {}", what, problem));
    if (values != nullptr) {
      param.ints = values->ints;
      param.reals = values->reals;
    }
    return param;
  }

  std::string_view bytes_;
  const ExternalData& data_;
  const std::function<void(std::string_view)>& done_;
  const char* place_;
  std::string_view doing_;  // what is being read, for messages
  Model model_;
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> functions_;
  bool names_may_meet_ = false;
};

}  // namespace

absl::StatusOr<Model> Read(std::string_view bytes, std::string_view name, const ExternalData& data,
                           const std::function<void(std::string_view)>& done) {
  return Reader(bytes, name, data, done).Read();
}

}  // namespace onnx

absl::StatusOr<Model> ReadOnnx(std::string_view bytes, std::string_view name,
                               std::string_view directory) {
  return onnx::Read(bytes, name, ExternalData{.directory = std::string(directory)}, {});
}

}  // namespace quantgate
