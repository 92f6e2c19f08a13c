#include "core/fix/onnx_writer.h"

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "core/base/pbf.h"
#include "core/fix/onnx_fields.h"
#include "core/fix/requantize.h"
#include "core/readers/onnx/onnx_tensor.h"

namespace quantgate::fix {
namespace {

using pbf::Bytes;
using pbf::Varint;

// TensorProto.DataType of the types that are written.
int64_t DataTypeOf(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFloat32:
      return 1;
    case Dtype::kUint8:
      return 2;
    case Dtype::kInt8:
      return 3;
    case Dtype::kUint16:
      return 4;
    case Dtype::kInt16:
      return 5;
    case Dtype::kInt32:
      return 6;
    default:
      return 0;
  }
}

void AppendLittle(uint64_t value, int bits, std::string* out) {
  for (int at = 0; at < bits; at += 8) out->push_back(static_cast<char>(value >> at & 0xFF));
}

std::string RawOf(const NewConstant& constant) {
  std::string raw;
  for (const double real : constant.values.reals) {
    AppendLittle(std::bit_cast<uint32_t>(static_cast<float>(real)), 32, &raw);
  }
  for (const int64_t value : constant.values.ints) {
    AppendLittle(static_cast<uint64_t>(value), BitsOf(constant.dtype), &raw);
  }
  return raw;
}

bool IsData(uint32_t tag_and_type) {
  switch (tag_and_type >> 3) {
    case tensor_proto::kFloatData:
    case tensor_proto::kInt32Data:
    case tensor_proto::kInt64Data:
    case tensor_proto::kRawData:
    case tensor_proto::kDoubleData:
    case tensor_proto::kUint64Data:
    case tensor_proto::kExternalData:
    case tensor_proto::kDataLocation:
      return true;
    default:
      return false;
  }
}

// A TensorProto with another type and data; dims too where they are given. What else is in it
// stays.
Rope WithData(std::string_view message, Dtype dtype, const NewConstant* dims, Rope data) {
  Rope rope;
  ForEachWireField(message, [&](const Field& field) {
    const uint32_t number = field.tag_and_type >> 3;
    if (IsData(field.tag_and_type) || number == tensor_proto::kDataType) return;
    if (dims != nullptr && number == tensor_proto::kDims) return;
    rope.Add(field.whole);
  });
  if (dims != nullptr) {
    for (const int64_t dim : dims->dims) rope.AddOwned(VarintField(tensor_proto::kDims, dim));
  }
  rope.AddOwned(VarintField(tensor_proto::kDataType, DataTypeOf(dtype)));
  rope.Add(MessageField(tensor_proto::kRawData, std::move(data)));
  return rope;
}

std::string AxisAttribute(int64_t axis) {
  return BytesField(attribute_proto::kName, kAxis) + VarintField(attribute_proto::kInt, axis) +
         VarintField(attribute_proto::kType, attribute_proto::kTypeInt);
}

std::vector<std::string> Ports(std::string_view node, uint32_t number) {
  std::vector<std::string> ports;
  ForEachWireField(node, [&](const Field& field) {
    if (field.tag_and_type == Bytes(number)) ports.emplace_back(field.content);
  });
  return ports;
}

void Change(const std::map<size_t, std::string>& changes, std::vector<std::string>& ports) {
  for (const auto& [port, name] : changes) {
    if (ports.size() <= port) ports.resize(port + 1);
    ports[port] = name;
  }
}

// A NodeProto with other inputs, outputs or axis. Ports keep their place before other fields.
Rope Changed(std::string_view node, const NodeChange& change) {
  Rope rope;
  struct List {
    uint32_t number;
    const std::map<size_t, std::string>& changes;
    bool done = false;
  };
  List lists[] = {{node_proto::kInput, change.inputs}, {node_proto::kOutput, change.outputs}};
  const auto write = [&](List& list) {
    list.done = true;
    std::vector<std::string> ports = Ports(node, list.number);
    Change(list.changes, ports);
    for (const std::string& port : ports) rope.AddOwned(BytesField(list.number, port));
  };
  bool axis_done = !change.axis;
  ForEachWireField(node, [&](const Field& field) {
    for (List& list : lists) {
      if (field.tag_and_type != Bytes(list.number) || list.changes.empty()) continue;
      if (!list.done) write(list);
      return;
    }
    if (change.axis && field.tag_and_type == Bytes(node_proto::kAttribute) &&
        FieldOf(field.content, attribute_proto::kName) == kAxis) {
      rope.AddOwned(BytesField(node_proto::kAttribute, AxisAttribute(*change.axis)));
      axis_done = true;
      return;
    }
    rope.Add(field.whole);
  });
  for (List& list : lists) {
    if (!list.done && !list.changes.empty()) write(list);
  }
  if (!axis_done) {
    rope.AddOwned(BytesField(node_proto::kAttribute, AxisAttribute(*change.axis)));
  }
  return rope;
}

std::string NodeText(const NewNode& node) {
  std::string text;
  for (const std::string& input : node.inputs) text += BytesField(node_proto::kInput, input);
  for (const std::string& output : node.outputs) text += BytesField(node_proto::kOutput, output);
  text += BytesField(node_proto::kName, node.name);
  text += BytesField(node_proto::kOpType, node.op);
  if (!node.domain.empty()) text += BytesField(node_proto::kDomain, node.domain);
  return text;
}

// ValueInfoProto.type.tensor_type.elem_type: fields 2, 1, 1.
Rope WithElementType(std::string_view message, std::span<const uint32_t> path, int64_t type) {
  Rope rope;
  ForEachWireField(message, [&](const Field& field) {
    if (path.size() == 1 && field.tag_and_type == Varint(path[0])) {
      rope.AddOwned(VarintField(path[0], type));
    } else if (path.size() > 1 && field.tag_and_type == Bytes(path[0])) {
      rope.Add(MessageField(path[0], WithElementType(field.content, path.subspan(1), type)));
    } else {
      rope.Add(field.whole);
    }
  });
  return rope;
}

}  // namespace

OnnxWriter::OnnxWriter(std::string_view bytes, std::string_view graph, const ExternalData& data,
                       const StoredValues& values, const QdqEditor& editor)
    : bytes_(bytes),
      graph_(graph),
      data_(data),
      values_(values),
      editor_(editor),
      changes_(editor.changes()) {
  for (const NewNode& node : changes_.inserted) {
    (node.before ? before_ : after_)[node.anchor].push_back(&node);
  }
  wanted_ = changes_.inserted.size() + changes_.nodes.size() + changes_.unused.size();
  for (const auto& [name, constant] : changes_.constants) wanted_ += constant.replaces ? 1 : 0;
  for (const auto& [name, recoding] : editor_.recoded()) wanted_ += IsRecoded(name) ? 1 : 0;
}

bool OnnxWriter::IsRecoded(const std::string& name) const {
  const auto known = editor_.recoded().find(name);
  return known != editor_.recoded().end() && known->second.is_static && known->second.rewritten();
}

int64_t OnnxWriter::RetypedAs(const std::string& name) const {
  const auto known = editor_.recoded().find(name);
  return known != editor_.recoded().end() && known->second.from.dtype != known->second.to.dtype
             ? DataTypeOf(StorageOf(known->second.to.dtype))
             : 0;
}

Rope OnnxWriter::Recoded(const std::string& name, std::string_view message) const {
  const Recoding& recoding = editor_.recoded().at(name);
  const char* place = bytes_.data();
  const onnx::TensorProto proto = onnx::ParseTensor(message, name, data_, &place);
  std::string problem;
  const auto requantizer = Requantizer::Make(recoding.from, recoding.to,
                                             {proto.dims.data(), proto.dims.size()}, &problem);
  const Dtype storage = StorageOf(recoding.to.dtype);
  const int bits = BitsOf(storage);
  Rope data;
  data.AddLater(static_cast<uint64_t>(proto.elements) * static_cast<uint64_t>(bits / 8),
                [this, name, requantizer, bits](const Rope::Sink& out) {
                  std::string text;
                  values_
                      .Read(name,
                            [&](std::span<const int64_t> values, int64_t first) {
                              text.clear();
                              for (const int64_t value : values) {
                                AppendLittle(
                                    static_cast<uint64_t>(requantizer->Map(value, first++)), bits,
                                    &text);
                              }
                              out(text);
                            })
                      .IgnoreError();
                });
  return WithData(message, storage, nullptr, std::move(data));
}

Rope OnnxWriter::RecodedNode(std::string_view node, const std::string& key,
                             std::string_view tensor) const {
  Rope rope;
  ForEachWireField(node, [&](const Field& part) {
    if (part.tag_and_type != Bytes(node_proto::kAttribute) ||
        FieldOf(part.content, attribute_proto::kName) != "value") {
      rope.Add(part.whole);
      return;
    }
    Rope attribute;
    ForEachWireField(part.content, [&](const Field& inner) {
      if (inner.tag_and_type == Bytes(attribute_proto::kTensor)) {
        attribute.Add(MessageField(attribute_proto::kTensor, Recoded(key, tensor)));
      } else {
        attribute.Add(inner.whole);
      }
    });
    rope.Add(MessageField(node_proto::kAttribute, std::move(attribute)));
  });
  return rope;
}

void OnnxWriter::AddNodes(const std::map<std::string, std::vector<const NewNode*>>& anchored,
                          const std::string& key) {
  const auto at = anchored.find(key);
  if (at == anchored.end()) return;
  for (const NewNode* node : at->second) {
    ++met_;
    out_.AddOwned(BytesField(graph_proto::kNode, NodeText(*node)));
  }
}

void OnnxWriter::CopyNode(const Field& field) {
  const std::string key = FirstOutput(field.content);
  AddNodes(before_, key);
  const auto change = changes_.nodes.find(key);
  const std::string_view tensor = ConstantTensor(field.content);
  if (change != changes_.nodes.end()) {
    ++met_;
    out_.Add(MessageField(graph_proto::kNode, Changed(field.content, change->second)));
  } else if (!tensor.empty() && IsRecoded(key)) {
    ++met_;
    out_.Add(MessageField(graph_proto::kNode, RecodedNode(field.content, key, tensor)));
  } else {
    out_.Add(field.whole);
  }
  AddNodes(after_, key);
}

void OnnxWriter::CopyInitializer(const Field& field) {
  const std::string name(FieldOf(field.content, tensor_proto::kName));
  if (changes_.unused.contains(name)) {
    ++met_;
    if (!annotated_.contains(name)) return;
  }
  const auto constant = changes_.constants.find(name);
  if (constant != changes_.constants.end() && constant->second.replaces) {
    ++met_;
    Rope data;
    data.AddOwned(RawOf(constant->second));
    out_.Add(MessageField(graph_proto::kInitializer,
                          WithData(field.content, constant->second.dtype, &constant->second,
                                   std::move(data))));
  } else if (IsRecoded(name)) {
    ++met_;
    out_.Add(MessageField(graph_proto::kInitializer, Recoded(name, field.content)));
  } else {
    out_.Add(field.whole);
  }
}

void OnnxWriter::CopyValueInfo(const Field& field) {
  const std::string name(FieldOf(field.content, 1));
  const auto constant = changes_.constants.find(name);
  if (changes_.unused.contains(name) ||
      (constant != changes_.constants.end() && constant->second.replaces)) {
    return;  // its type and shape stand in the initializer
  }
  if (const int64_t type = RetypedAs(name); type != 0) {
    constexpr uint32_t kPath[] = {2, 1, 1};
    out_.Add(MessageField(graph_proto::kValueInfo, WithElementType(field.content, kPath, type)));
  } else {
    out_.Add(field.whole);
  }
}

void OnnxWriter::AddConstants() {
  for (const auto& [name, constant] : changes_.constants) {
    if (constant.replaces) continue;
    Rope tensor, data;
    data.AddOwned(RawOf(constant));
    tensor.Add(WithData({}, constant.dtype, &constant, std::move(data)));
    tensor.AddOwned(BytesField(tensor_proto::kName, name));
    out_.Add(MessageField(graph_proto::kInitializer, std::move(tensor)));
  }
}

void OnnxWriter::CopyGraph() {
  // Names that annotations refer to stay.
  ForEachWireField(graph_, [&](const Field& field) {
    if (field.tag_and_type != Bytes(graph_proto::kAnnotation)) return;
    ForEachWireField(field.content, [&](const Field& entry) {
      annotated_.emplace(FieldOf(entry.content, 2));
    });
  });
  ForEachWireField(graph_, [&](const Field& field) {
    switch (field.tag_and_type) {
      case Bytes(graph_proto::kNode):
        return CopyNode(field);
      case Bytes(graph_proto::kInitializer):
        return CopyInitializer(field);
      case Bytes(graph_proto::kValueInfo):
        return CopyValueInfo(field);
      default:
        out_.Add(field.whole);
    }
  });
}

absl::Status OnnxWriter::Write(const std::function<void(std::string_view)>& sink) {
  CopyGraph();
  AddConstants();
  if (met_ != wanted_) {
    return absl::FailedPreconditionError("a name that changes is not text, or not unique");
  }
  Rope model;
  ForEachWireField(bytes_, [&](const Field& field) {
    if (field.tag_and_type == Bytes(model_proto::kGraph)) {
      model.Add(MessageField(model_proto::kGraph, std::move(out_)));
    } else {
      model.Add(field.whole);
    }
  });
  // What every protobuf reader accepts.
  constexpr uint64_t kMostBytes = (uint64_t{1} << 31) - 1;
  if (model.size() > kMostBytes) {
    return absl::FailedPreconditionError("the result would be larger than 2 GiB");
  }
  model.Write(sink);
  return absl::OkStatus();
}

}  // namespace quantgate::fix
