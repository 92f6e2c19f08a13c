// ONNX file -> Model, as written: every node of the file, Q/DQ included. Field numbers are those
// of onnx/onnx.proto. Weights are passed over; see ShouldKeep and StoredRange for what is read.
#include "core/readers/onnx/onnx_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
#include "core/readers/onnx/onnx_attributes.h"
#include "core/readers/onnx/onnx_branches.h"
#include "core/readers/onnx/onnx_infer.h"
#include "core/readers/onnx/onnx_proto.h"
#include "core/readers/onnx/onnx_tensor.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace onnx {
namespace {

using pbf::Bytes;
using pbf::ForEachField;
using pbf::Varint;
using protozero::pbf_reader;

constexpr int kMaxDepth = 16;       // of subgraphs in subgraphs
constexpr size_t kMaxPrefix = 200;  // of a subgraph's names: its nodes could be many
constexpr size_t kMaxLocation = 200;

constexpr std::string_view kConstantOp = "Constant";

// The names that a graph defines; a subgraph sees those around it too.
struct Scope {
  const Scope* outer = nullptr;
  std::string prefix;            // "<parent>/<attribute>/"
  std::string unchecked_reason;  // of its nodes
  int depth = 0;
  absl::flat_hash_map<absl::string_view, TensorId> ids;
  absl::flat_hash_map<absl::string_view, std::string_view> types;  // TypeProto by tensor
};

class OnnxReader {
 public:
  OnnxReader(std::string_view bytes, std::string_view name, const ExternalData& data,
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
    const GraphProto main = ParseGraph(graph, &place_);
    if (!main.name.empty()) model_.name = Utf8(main.name);
    ReadGraph(main, scope);
    doing_ = {};
    if (done_) done_(bytes_);
    if (names_may_meet_) MakeNamesUnique();
    FillGraphEnds(model_);
    InferAll();
    // A branch may say what the condition of the next If is.
    for (int run = 0; run < kMaxDepth && TakeKnownBranches(model_, holders_); ++run) InferAll();
  }

  void InferAll() {
    std::vector<int32_t> order;
    if (const auto problem = FindGraphProblem(model_, &order)) Throw(*problem);
    InferShapes(model_, order);
  }

  ValueSource Source() { return {data_, done_, &place_, &model_.notes}; }

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

  // Definitions first (a subgraph's node may come before what it captures), then the nodes.
  void ReadGraph(const GraphProto& graph, Scope& scope) {
    FieldArena fields;
    std::vector<NodeProto> nodes;
    nodes.reserve(graph.nodes.size());
    doing_ = "a node";
    size_t tensors = graph.initializers.size() + graph.sparse_initializers.size() +
                     graph.inputs.size();
    for (const std::string_view message : graph.nodes) {
      nodes.push_back(ParseNode(message, fields, &place_));
      if (nodes.back().op.empty()) throw BadModel(PlaceNow(), "a node without an op_type");
      tensors += nodes.back().outputs.size();
    }
    scope.ids.reserve(tensors);
    scope.types.reserve(graph.value_infos.size() + graph.outputs.size() + graph.inputs.size());
    doing_ = "a value_info";
    for (const auto* list : {&graph.value_infos, &graph.outputs, &graph.inputs}) {
      for (const std::string_view message : *list) {
        const ValueInfo info = ParseValueInfo(message, &place_);
        if (!info.type.empty()) scope.types.insert_or_assign(Absl(info.name), info.type);
      }
    }
    absl::flat_hash_set<absl::string_view> encoding_names;
    for (const NodeProto& node : nodes) CollectEncodingInputs(node, encoding_names);
    if (scope.depth == 0) {
      model_.nodes.reserve(nodes.size());
      model_.tensors.reserve(tensors);
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
      const ValueInfo info = ParseValueInfo(message, &place_);
      if (info.name.empty()) throw BadModel("the graph's outputs", "an output without a name");
      const auto it = scope.ids.find(Absl(info.name));
      if (it == scope.ids.end()) {
        throw BadModel("the graph's outputs",
                       fmt::format("tensor {} is never produced", Quoted(info.name)));
      }
      model_.outputs.push_back(it->second);
    }
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
      ReadType(type->second, &place_, &tensor);
    }
    return id;
  }

  SharedString NameIn(const Scope& scope, std::string_view name) {
    if (scope.depth == 0 && IsUtf8(name)) return name;
    names_may_meet_ = true;
    return scope.prefix + Utf8(name);
  }
  static SharedString TextOf(std::string_view bytes) {
    return IsUtf8(bytes) ? SharedString(bytes) : SharedString(Utf8(bytes));
  }
  // One text for all nodes of an op.
  SharedString OpOf(std::string_view bytes) {
    const auto at = ops_.find(Absl(bytes));
    if (at != ops_.end()) return at->second;
    return ops_.emplace(Absl(bytes), TextOf(bytes)).first->second;
  }

  // Names that differ in the file, by scope or by bytes that are no text, differ in the model.
  void MakeNamesUnique() {
    absl::flat_hash_set<SharedString> names;
    int64_t duplicates = 0;
    for (Tensor& tensor : model_.tensors) {
      const SharedString plain = tensor.name;
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
    SetStatic(proto, {}, is_encoding ? Keep::kAll : Keep::kShort, Source(), &model_.tensors[id]);
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
    const ValueInfo info = ParseValueInfo(message, &place_);
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

  static SharedString NameOf(const NodeProto& node, size_t index, const Scope& scope) {
    if (scope.prefix.empty() && !node.name.empty()) return TextOf(node.name);
    return scope.prefix +
           (node.name.empty() ? fmt::format("{}_{}", Utf8(node.op), index) : Utf8(node.name));
  }

  void DeclareOutputs(const NodeProto& node, size_t index, Scope& scope) {
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      const std::string_view name = node.outputs[k];
      if (name.empty()) continue;
      const auto [it, added] = scope.ids.try_emplace(Absl(name), kNoTensor);
      if (added) {
        it->second = AddTensor(name, scope);
      } else if (model_.tensors[it->second].is_static) {
        throw BadModel(fmt::format("node {}, output {}", Quoted(NameOf(node, index, scope)), k),
                       fmt::format("tensor {} is also an initializer", Quoted(name)));
      }
    }
  }

  void ReadNode(const NodeProto& proto, size_t index, Scope& scope,
                const absl::flat_hash_set<absl::string_view>& encoding_names) {
    Node node = BeginNode(proto, index, scope);
    std::vector<std::pair<std::string, std::string_view>> subgraphs;
    const Params* const known =
        proto.op == kConstantOp ? nullptr : known_params_.Find(proto.attributes);
    if (known != nullptr) {
      node.params = *known;
    } else {
      subgraphs = ReadAttributes(proto, encoding_names, &node);
    }
    if (node.unchecked_reason.empty() &&
        functions_.contains({Absl(proto.domain), Absl(proto.op)})) {
      node.unchecked_reason = fmt::format(
          "it calls the file's own function {}, whose body is not looked into", Quoted(proto.op));
    }
    if (node.unchecked_reason.empty() && !subgraphs.empty()) {
      node.unchecked_reason = kControlFlow;
    }
    const SharedString node_name = node.name;
    model_.nodes.push_back(std::move(node));
    if (subgraphs.empty()) return;
    const size_t place = holders_.size();
    holders_.emplace_back().node = static_cast<int32_t>(model_.nodes.size()) - 1;
    const bool is_if = proto.op == "If" && DefaultDomain(proto.domain).empty();
    for (const auto& [attribute, message] : subgraphs) {
      Subgraph read = ReadSubgraph(message, node_name, attribute, scope);
      if (is_if && attribute == "then_branch") holders_[place].then_branch = std::move(read);
      if (is_if && attribute == "else_branch") holders_[place].else_branch = std::move(read);
    }
  }

  // All but its attributes.
  void RefuseIf(const std::string& problem) const {
    if (!problem.empty()) throw BadModel(PlaceNow(), problem);
  }

  Node BeginNode(const NodeProto& proto, size_t index, Scope& scope) {
    RefuseIf(CheckRoomForNode(model_.nodes.size()));
    RefuseIf(CheckName(proto.name));
    RefuseIf(CheckName(proto.op));
    Node node;
    node.name = NameOf(proto, index, scope);
    node.op = OpOf(proto.op);
    node.domain = TextOf(proto.domain);
    node.unchecked_reason = scope.unchecked_reason;
    node.location = TextOf(proto.doc.substr(0, std::min(proto.doc.find('\n'), kMaxLocation)));
    node.inputs.reserve(proto.inputs.size());
    for (size_t k = 0; k < proto.inputs.size(); ++k) {
      node.inputs.push_back(Find(proto.inputs[k], k, node, scope));
    }
    for (const std::string_view name : proto.outputs) {
      node.outputs.push_back(name.empty() ? kNoTensor : scope.ids.at(Absl(name)));
    }
    return node;
  }

  // Params of the node, and the subgraphs with their names.
  std::vector<std::pair<std::string, std::string_view>> ReadAttributes(
      const NodeProto& proto, const absl::flat_hash_set<absl::string_view>& encoding_names,
      Node* node) {
    std::vector<std::pair<std::string, std::string_view>> subgraphs;
    std::vector<Attribute> attributes;
    attributes.reserve(proto.attributes.size());
    for (const std::string_view message : proto.attributes) {
      Attribute attribute = ParseAttribute(message, &place_);
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
      if (!node->outputs.empty() && node->outputs[0] != kNoTensor) {
        SetConstant(attributes, PlaceOf(*node), is_encoding ? Keep::kAll : Keep::kShort, Source(),
                    &model_.tensors[node->outputs[0]]);
      }
    }
    node->params = ParamsOf(attributes, *node, proto.op == kConstantOp, Source());
    // A note on a tensor that can't be read is of one node.
    const bool has_tensor = std::any_of(attributes.begin(), attributes.end(),
                                        [](const Attribute& a) { return a.has_tensor; });
    if (subgraphs.empty() && !has_tensor && proto.op != kConstantOp) {
      known_params_.Insert(proto.attributes, node->params);
    }
    return subgraphs;
  }

  TensorId Find(std::string_view name, size_t port, const Node& node, Scope& scope) {
    if (name.empty()) return kNoTensor;
    for (const Scope* around = &scope; around != nullptr; around = around->outer) {
      const auto it = around->ids.find(Absl(name));
      if (it != around->ids.end()) return it->second;
    }
    throw BadModel(fmt::format("{}, input {}", PlaceOf(node), port),
                   fmt::format("tensor {} is never produced", Quoted(name)));
  }

  Subgraph ReadSubgraph(std::string_view message, std::string_view parent, std::string_view attribute,
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
    Subgraph read;
    read.begin = static_cast<int32_t>(model_.nodes.size());
    const GraphProto graph = ParseGraph(message, &place_);
    ReadGraph(graph, scope);
    read.end = static_cast<int32_t>(model_.nodes.size());
    for (const std::string_view output : graph.outputs) {
      const auto it = scope.ids.find(Absl(ParseValueInfo(output, &place_).name));
      read.outputs.push_back(it == scope.ids.end() ? kNoTensor : it->second);
    }
    return read;
  }

  static std::string Shorten(std::string_view name) {
    return name.size() <= kMaxPrefix ? std::string(name) : Utf8(name.substr(0, kMaxPrefix)) + "...";
  }

  std::string_view bytes_;
  const ExternalData& data_;
  const std::function<void(std::string_view)>& done_;
  const char* place_;
  std::string_view doing_;  // what is being read, for messages
  Model model_;
  absl::flat_hash_set<std::pair<absl::string_view, absl::string_view>> functions_;
  bool names_may_meet_ = false;
  std::vector<Holder> holders_;
  absl::flat_hash_map<absl::string_view, SharedString> ops_;
  KnownParams known_params_;
};

}  // namespace

absl::StatusOr<Model> Read(std::string_view bytes, std::string_view name, const ExternalData& data,
                           const std::function<void(std::string_view)>& done) {
  return OnnxReader(bytes, name, data, done).Read();
}

}  // namespace onnx

absl::StatusOr<Model> ReadOnnx(std::string_view bytes, std::string_view name,
                               std::string_view directory) {
  return onnx::Read(bytes, name, ExternalData{.directory = std::string(directory)}, {});
}

}  // namespace quantgate
