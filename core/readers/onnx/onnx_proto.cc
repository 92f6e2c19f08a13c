#include "core/readers/onnx/onnx_proto.h"

#include <fmt/core.h>

#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/onnx_tensor.h"

namespace quantgate::onnx {

using pbf::Bytes;
using pbf::Fixed32;
using pbf::ForEachField;
using pbf::Varint;
using protozero::pbf_reader;

namespace {

std::string PlaceOfTensor(const Tensor& tensor) {
  return fmt::format("tensor {}", Quoted(tensor.name));
}

void CheckShape(const Tensor& tensor) {
  constexpr int64_t kSmall = 1 << 15;  // four of them can't be beyond 64 bits
  const auto& dims = tensor.dims;
  if (dims.size() <= 4 && std::all_of(dims.begin(), dims.end(),
                                      [](int64_t dim) { return dim <= kSmall; })) {
    return;
  }
  Elements(dims, PlaceOfTensor(tensor));
}

void ReadShape(std::string_view message, const char** place, Tensor* tensor) {
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    if (tag != Bytes(1)) return false;
    int64_t dim = kDynamicDim;
    ForEachField(pbf::View(reader), place, [&](uint32_t dim_tag, pbf_reader& dim_reader) {
      if (dim_tag != Varint(1)) return false;
      dim = dim_reader.get_int64();
      return true;
    });
    if (dim < kDynamicDim) {
      throw BadModel(PlaceOfTensor(*tensor), fmt::format("dimension {} is negative", dim));
    }
    tensor->dims.push_back(dim);
    return true;
  });
}

}  // namespace

std::string_view DefaultDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

GraphProto ParseGraph(std::string_view message, const char** place) {
  GraphProto graph;
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
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

NodeProto ParseNode(std::string_view message, FieldArena& fields, const char** place) {
  NodeProto node;
  fields.inputs.clear();
  fields.outputs.clear();
  fields.attributes.clear();
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    switch (tag) {
      case Bytes(1):
        fields.inputs.push_back(pbf::View(reader));
        return true;
      case Bytes(2):
        fields.outputs.push_back(pbf::View(reader));
        return true;
      case Bytes(3):
        node.name = pbf::View(reader);
        return true;
      case Bytes(4):
        node.op = pbf::View(reader);
        return true;
      case Bytes(5):
        fields.attributes.push_back(pbf::View(reader));
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
  node.inputs = fields.Keep(fields.inputs);
  node.outputs = fields.Keep(fields.outputs);
  node.attributes = fields.Keep(fields.attributes);
  return node;
}

ValueInfo ParseValueInfo(std::string_view message, const char** place) {
  ValueInfo info;
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    if (tag != Bytes(1) && tag != Bytes(2)) return false;
    (tag == Bytes(1) ? info.name : info.type) = pbf::View(reader);
    return true;
  });
  return info;
}

// The type and shape that the file gives for a tensor.
void ReadType(std::string_view message, const char** place, Tensor* tensor) {
  std::string_view tensor_type;
  bool is_tensor = false;
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    if (tag != Bytes(1)) return false;  // sequences, maps, optionals: unknown to QNN
    tensor_type = pbf::View(reader);
    is_tensor = true;
    return true;
  });
  if (!is_tensor) return;
  ForEachField(tensor_type, place, [&](uint32_t tag, pbf_reader& reader) {
    if (tag == Varint(1)) {
      tensor->dtype = DtypeOf(reader.get_int64());
    } else if (tag == Bytes(2)) {
      tensor->unknown_rank = false;
      tensor->dims.clear();
      ReadShape(pbf::View(reader), place, tensor);
    } else {
      return false;
    }
    return true;
  });
  CheckShape(*tensor);
}

namespace {

// One field of an attribute, and the type that its value has.
bool ReadField(uint32_t tag, pbf_reader& reader, Attribute& out, int64_t& seen) {
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
}

}  // namespace

Attribute ParseAttribute(std::string_view message, const char** place) {
  Attribute out;
  int64_t seen = kUnknown;  // files of IR version 1 give no type
  ForEachField(message, place,
               [&](uint32_t tag, pbf_reader& reader) { return ReadField(tag, reader, out, seen); });
  if (out.type == kUnknown) out.type = seen;
  return out;
}

}  // namespace quantgate::onnx
