// The messages of onnx/onnx.proto as views of the file's bytes: what stands where, not what it means.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_PROTO_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_PROTO_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::onnx {

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

struct NodeProto {
  std::string_view name;
  std::string_view op;
  std::string_view domain;
  std::string_view doc;
  std::span<const std::string_view> inputs;
  std::span<const std::string_view> outputs;
  std::span<const std::string_view> attributes;
};

// Fields of many nodes, one after the other; what is handed out stays valid.
class FieldArena {
 public:
  // Of the node that is being read.
  std::vector<std::string_view> inputs, outputs, attributes;

  std::span<const std::string_view> Keep(const std::vector<std::string_view>& fields) {
    if (fields.empty()) return {};
    if (used_ + fields.size() > size_) {
      size_ = std::max(kChunk, fields.size());
      used_ = 0;
      chunks_.push_back(std::make_unique<std::string_view[]>(size_));
    }
    std::string_view* const begin = chunks_.back().get() + used_;
    std::copy(fields.begin(), fields.end(), begin);
    used_ += fields.size();
    return {begin, fields.size()};
  }

 private:
  static constexpr size_t kChunk = 4096;
  std::vector<std::unique_ptr<std::string_view[]>> chunks_;
  size_t used_ = 0, size_ = 0;  // of the last chunk
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

// "" for the default operator domain, which has two names.
std::string_view DefaultDomain(std::string_view domain);

// Each throws protozero::exception and BadModel, with `*place` at the field that it is about.
GraphProto ParseGraph(std::string_view message, const char** place);
NodeProto ParseNode(std::string_view message, FieldArena& fields, const char** place);
ValueInfo ParseValueInfo(std::string_view message, const char** place);
Attribute ParseAttribute(std::string_view message, const char** place);
// A TypeProto as dtype and shape of `tensor`; sequences, maps and optionals leave it as it is.
void ReadType(std::string_view message, const char** place, Tensor* tensor);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_PROTO_H_
