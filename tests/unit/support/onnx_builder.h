// Small ONNX files for tests, written by protozero. Field numbers: onnx/onnx.proto.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_BUILDER_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::onnx_builder {

using protozero::pbf_writer;
using Dims = std::vector<int64_t>;

enum DataType {
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kBfloat16 = 16,
  kUint4 = 21,
  kInt4 = 22
};

// The bytes of an array, as raw_data has them.
template <typename T>
std::string Raw(std::initializer_list<T> values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (values.size() > 0) std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

inline std::string TensorHead(std::string_view name, int type, const Dims& dims) {
  std::string bytes;
  pbf_writer tensor(bytes);
  for (const int64_t dim : dims) tensor.add_int64(1, dim);
  tensor.add_int32(2, type);
  if (!name.empty()) tensor.add_string(8, std::string(name));
  return bytes;
}

inline std::string Tensor(std::string_view name, int type, const Dims& dims,
                          const std::string& raw) {
  std::string bytes = TensorHead(name, type, dims);
  pbf_writer(bytes).add_bytes(9, raw);
  return bytes;
}

inline std::string ExternalTensor(
    std::string_view name, int type, const Dims& dims,
    std::initializer_list<std::pair<std::string, std::string>> entries) {
  std::string bytes = TensorHead(name, type, dims);
  pbf_writer tensor(bytes);
  for (const auto& [key, value] : entries) {
    pbf_writer entry(tensor, 13);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  tensor.add_int32(14, 1);
  return bytes;
}

// A dimension of -1 is written as a symbolic one.
inline std::string ValueInfo(std::string_view name, int type, const Dims& dims) {
  std::string bytes;
  pbf_writer info(bytes);
  info.add_string(1, std::string(name));
  pbf_writer type_proto(info, 2);
  pbf_writer tensor(type_proto, 1);
  tensor.add_int32(1, type);
  std::string shape_bytes;
  pbf_writer shape(shape_bytes);
  for (const int64_t dim : dims) {
    std::string dim_bytes;
    if (dim == -1) {
      pbf_writer(dim_bytes).add_string(2, "N");
    } else {
      pbf_writer(dim_bytes).add_int64(1, dim);
    }
    shape.add_message(1, dim_bytes);
  }
  tensor.add_message(2, shape_bytes);
  return bytes;
}

inline std::string IntAttribute(std::string_view name, int64_t value) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  attribute.add_int64(3, value);
  attribute.add_int32(20, 2);
  return bytes;
}
inline std::string FloatAttribute(std::string_view name, float value) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  attribute.add_float(2, value);
  attribute.add_int32(20, 1);
  return bytes;
}
inline std::string StringAttribute(std::string_view name, std::string_view value) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  attribute.add_string(4, std::string(value));
  attribute.add_int32(20, 3);
  return bytes;
}
inline std::string IntsAttribute(std::string_view name, const Dims& values) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  for (const int64_t value : values) attribute.add_int64(8, value);
  attribute.add_int32(20, 7);
  return bytes;
}
inline std::string TensorAttribute(std::string_view name, const std::string& tensor) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  attribute.add_message(5, tensor);
  attribute.add_int32(20, 4);
  return bytes;
}
inline std::string GraphAttribute(std::string_view name, const std::string& graph) {
  std::string bytes;
  pbf_writer attribute(bytes);
  attribute.add_string(1, std::string(name));
  attribute.add_message(6, graph);
  attribute.add_int32(20, 5);
  return bytes;
}

using Names = std::vector<std::string>;

inline std::string Node(std::string_view op, std::string_view name, const Names& inputs,
                        const Names& outputs, const std::vector<std::string>& attributes = {},
                        std::string_view domain = "") {
  std::string bytes;
  pbf_writer node(bytes);
  for (const auto& input : inputs) node.add_string(1, input);
  for (const auto& output : outputs) node.add_string(2, output);
  if (!name.empty()) node.add_string(3, std::string(name));
  node.add_string(4, std::string(op));
  for (const auto& attribute : attributes) node.add_message(5, attribute);
  if (!domain.empty()) node.add_string(7, std::string(domain));
  return bytes;
}

struct Graph {
  std::string name = "g";
  std::vector<std::string> nodes;
  std::vector<std::string> initializers;
  std::vector<std::string> sparse_initializers;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> value_infos;

  std::string Bytes() const {
    std::string bytes;
    pbf_writer graph(bytes);
    for (const auto& node : nodes) graph.add_message(1, node);
    graph.add_string(2, name);
    for (const auto& tensor : initializers) graph.add_message(5, tensor);
    for (const auto& info : inputs) graph.add_message(11, info);
    for (const auto& info : outputs) graph.add_message(12, info);
    for (const auto& info : value_infos) graph.add_message(13, info);
    for (const auto& tensor : sparse_initializers) graph.add_message(15, tensor);
    return bytes;
  }
};

inline std::string Model(const Graph& graph, int64_t opset = 21,
                         const std::vector<std::string>& functions = {}) {
  std::string bytes;
  pbf_writer model(bytes);
  model.add_int64(1, 10);
  model.add_message(7, graph.Bytes());
  {
    pbf_writer import(model, 8);
    import.add_string(1, "");
    import.add_int64(2, opset);
  }
  for (const auto& function : functions) model.add_message(25, function);
  return bytes;
}

// x -> QuantizeLinear -> DequantizeLinear -> Relu -> y, u8, with a name for each node.
inline Graph QdqRelu() {
  Graph graph;
  graph.inputs = {ValueInfo("x", kFloat, {1, 4})};
  graph.outputs = {ValueInfo("y", kFloat, {1, 4})};
  graph.initializers = {Tensor("scale", kFloat, {}, Raw<float>({0.5F})),
                        Tensor("zero", kUint8, {}, Raw<uint8_t>({128}))};
  graph.nodes = {Node("QuantizeLinear", "q", {"x", "scale", "zero"}, {"xq"}),
                 Node("DequantizeLinear", "dq", {"xq", "scale", "zero"}, {"xd"}),
                 Node("Relu", "relu", {"xd"}, {"y"})};
  return graph;
}

}  // namespace quantgate::onnx_builder

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_ONNX_BUILDER_H_
