#include "core/fix/onnx_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/base/wire.h"
#include "core/fix/requantize.h"
#include "core/readers/onnx/external_data.h"
#include "core/readers/onnx/onnx_tensor.h"

namespace quantgate::fix {
namespace {

using pbf::Bytes;
using pbf::Varint;

// Field numbers of onnx.proto.
namespace model_proto {
constexpr uint32_t kGraph = 7;
}  // namespace model_proto
namespace graph_proto {
constexpr uint32_t kNode = 1, kInitializer = 5, kValueInfo = 13, kAnnotation = 14;
}  // namespace graph_proto
namespace node_proto {
constexpr uint32_t kInput = 1, kOutput = 2, kName = 3, kOpType = 4, kAttribute = 5, kDomain = 7;
}  // namespace node_proto
namespace attribute_proto {
constexpr uint32_t kName = 1, kInt = 3, kTensor = 5, kType = 20;
constexpr int64_t kTypeInt = 2;
}  // namespace attribute_proto
namespace tensor_proto {
constexpr uint32_t kDims = 1, kDataType = 2, kFloatData = 4, kInt32Data = 5, kInt64Data = 7,
                   kName = 8, kRawData = 9, kDoubleData = 10, kUint64Data = 11, kExternalData = 13,
                   kDataLocation = 14;
}  // namespace tensor_proto
constexpr std::string_view kAxis = "axis";
// Integers that are read, mapped and written at a time.
constexpr size_t kPart = size_t{1} << 16;

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

std::string_view FieldOf(std::string_view message, uint32_t number) {
  std::string_view found;
  ForEachWireField(message, [&](const Field& field) {
    if (field.tag_and_type == Bytes(number)) found = field.content;
  });
  return found;
}

std::string FirstOutput(std::string_view node) {
  std::string first;
  ForEachWireField(node, [&](const Field& field) {
    if (first.empty() && field.tag_and_type == Bytes(node_proto::kOutput)) {
      first = std::string(field.content);
    }
  });
  return first;
}

// The tensor of a Constant node; empty = none.
std::string_view ConstantTensor(std::string_view node) {
  std::string_view tensor;
  ForEachWireField(node, [&](const Field& field) {
    if (field.tag_and_type != Bytes(node_proto::kAttribute)) return;
    if (FieldOf(field.content, attribute_proto::kName) != "value") return;
    tensor = FieldOf(field.content, attribute_proto::kTensor);
  });
  return tensor;
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

absl::Status Broken(const protozero::exception& error) { return Invalid(pbf::Reason(error)); }

}  // namespace

absl::StatusOr<std::unique_ptr<OnnxFile>> OnnxFile::Make(std::string_view bytes,
                                                         ExternalData data) {
  auto file = std::unique_ptr<OnnxFile>(new OnnxFile(bytes, std::move(data)));
  const char* place = bytes.data();
  const auto look = [&](const std::string& name, std::string_view message) {
    const onnx::TensorProto proto = onnx::ParseTensor(message, name, file->data_, &place);
    if (proto.is_external && file->external_.empty()) file->external_ = proto.location;
    if (!name.empty()) file->constants_[name] = {message};
  };
  try {
    file->graph_ = FieldOf(bytes, model_proto::kGraph);
    ForEachWireField(file->graph_, [&](const Field& field) {
      if (field.tag_and_type == Bytes(graph_proto::kInitializer)) {
        look(std::string(FieldOf(field.content, tensor_proto::kName)), field.content);
      } else if (field.tag_and_type == Bytes(graph_proto::kNode)) {
        const std::string_view tensor = ConstantTensor(field.content);
        if (!tensor.empty()) look(FirstOutput(field.content), tensor);
      }
    });
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
  return file;
}

absl::Status OnnxFile::Read(std::string_view tensor, const Use& use) const {
  const auto found = constants_.find(tensor);
  if (found == constants_.end()) {
    return absl::FailedPreconditionError("its values are not in the file");
  }
  const char* place = bytes_.data();
  try {
    const onnx::TensorProto proto = onnx::ParseTensor(found->second.message, tensor, data_, &place);
    const int bits = onnx::BitsOf(proto.data_type);
    const Dtype dtype = onnx::DtypeOf(proto.data_type);
    const DtypeClass kind = ClassOf(dtype);
    if ((kind != DtypeClass::kInt && kind != DtypeClass::kUint) || bits > 32) {
      return absl::FailedPreconditionError("its integers are of a type that is not written anew");
    }
    std::string problem, loaded;
    std::string_view raw = proto.raw_data;
    const auto width = static_cast<size_t>(bits / 8);
    const auto bytes = static_cast<size_t>(proto.elements) * width;
    if (proto.is_external) {
      if (data_.directory.empty()) {
        return absl::FailedPreconditionError("its values are in another file");
      }
      auto external = ReadExternal(data_, proto.location, proto.offset, bytes, &problem);
      if (!external) return absl::FailedPreconditionError(problem);
      loaded = *std::move(external);
      raw = loaded;
    } else if (!proto.has_raw_data) {
      const auto values = onnx::Values(proto, tensor, data_, &place, &problem);
      if (values == nullptr) {
        return absl::FailedPreconditionError("its values are not in the file");
      }
      use(values->ints, 0);
      return absl::OkStatus();
    }
    if (raw.size() != bytes) {
      return absl::FailedPreconditionError("its values are not in the file");
    }
    std::vector<int64_t> part;
    const auto count = static_cast<size_t>(proto.elements);
    for (size_t i = 0; i < count; i += part.size()) {
      part.resize(std::min(kPart, count - i));
      for (size_t k = 0; k < part.size(); ++k) {
        uint64_t value = 0;
        std::memcpy(&value, raw.data() + (i + k) * width, width);
        part[k] = kind == DtypeClass::kInt
                      ? static_cast<int64_t>(value << (64 - bits)) >> (64 - bits)
                      : static_cast<int64_t>(value);
      }
      use(part, static_cast<int64_t>(i));
    }
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
  return absl::OkStatus();
}

absl::Status OnnxFile::Write(const QdqEditor& editor, const Sink& sink) const {
  const QdqChanges& changes = editor.changes();
  // The integers of a constant that is encoded anew.
  const auto recoded = [&](const std::string& name, std::string_view message) {
    const Recoding& recoding = editor.recoded().at(name);
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
                    Read(name, [&](std::span<const int64_t> values, int64_t first) {
                      text.clear();
                      for (const int64_t value : values) {
                        AppendLittle(static_cast<uint64_t>(requantizer->Map(value, first++)), bits,
                                     &text);
                      }
                      out(text);
                    }).IgnoreError();
                  });
    return WithData(message, storage, nullptr, std::move(data));
  };
  const auto is_recoded = [&](const std::string& name) {
    const auto known = editor.recoded().find(name);
    return known != editor.recoded().end() && known->second.is_static && known->second.rewritten();
  };
  const auto retyped = [&](const std::string& name) {
    const auto known = editor.recoded().find(name);
    return known != editor.recoded().end() && known->second.from.dtype != known->second.to.dtype
               ? DataTypeOf(StorageOf(known->second.to.dtype))
               : 0;
  };
  std::map<std::string, std::vector<const NewNode*>> before, behind;
  for (const NewNode& node : changes.inserted) {
    (node.before ? before : behind)[node.anchor].push_back(&node);
  }
  // Names of the Model that the file writes otherwise (no text, or not unique) are not found.
  size_t wanted = changes.inserted.size() + changes.nodes.size() + changes.unused.size(), met = 0;
  for (const auto& [name, constant] : changes.constants) wanted += constant.replaces ? 1 : 0;
  for (const auto& [name, recoding] : editor.recoded()) wanted += is_recoded(name) ? 1 : 0;
  Rope graph;
  const auto add_nodes = [&](const auto& anchored, const std::string& key) {
    const auto at = anchored.find(key);
    if (at == anchored.end()) return;
    for (const NewNode* node : at->second) {
      ++met;
      graph.AddOwned(BytesField(graph_proto::kNode, NodeText(*node)));
    }
  };
  try {
    // Names that annotations refer to stay.
    std::set<std::string> annotated;
    ForEachWireField(graph_, [&](const Field& field) {
      if (field.tag_and_type != Bytes(graph_proto::kAnnotation)) return;
      ForEachWireField(field.content,
                       [&](const Field& entry) { annotated.emplace(FieldOf(entry.content, 2)); });
    });
    ForEachWireField(graph_, [&](const Field& field) {
      switch (field.tag_and_type) {
        case Bytes(graph_proto::kNode): {
          const std::string key = FirstOutput(field.content);
          add_nodes(before, key);
          const auto change = changes.nodes.find(key);
          const std::string_view tensor = ConstantTensor(field.content);
          if (change != changes.nodes.end()) {
            ++met;
            graph.Add(MessageField(graph_proto::kNode, Changed(field.content, change->second)));
          } else if (!tensor.empty() && is_recoded(key)) {
            ++met;
            Rope node;
            ForEachWireField(field.content, [&](const Field& part) {
              if (part.tag_and_type != Bytes(node_proto::kAttribute) ||
                  FieldOf(part.content, attribute_proto::kName) != "value") {
                node.Add(part.whole);
                return;
              }
              Rope attribute;
              ForEachWireField(part.content, [&](const Field& inner) {
                if (inner.tag_and_type == Bytes(attribute_proto::kTensor)) {
                  attribute.Add(MessageField(attribute_proto::kTensor, recoded(key, tensor)));
                } else {
                  attribute.Add(inner.whole);
                }
              });
              node.Add(MessageField(node_proto::kAttribute, std::move(attribute)));
            });
            graph.Add(MessageField(graph_proto::kNode, std::move(node)));
          } else {
            graph.Add(field.whole);
          }
          add_nodes(behind, key);
          return;
        }
        case Bytes(graph_proto::kInitializer): {
          const std::string name(FieldOf(field.content, tensor_proto::kName));
          if (changes.unused.contains(name)) {
            ++met;
            if (!annotated.contains(name)) return;
          }
          const auto constant = changes.constants.find(name);
          if (constant != changes.constants.end() && constant->second.replaces) {
            ++met;
            Rope data;
            data.AddOwned(RawOf(constant->second));
            graph.Add(MessageField(graph_proto::kInitializer,
                                   WithData(field.content, constant->second.dtype,
                                            &constant->second, std::move(data))));
          } else if (is_recoded(name)) {
            ++met;
            graph.Add(MessageField(graph_proto::kInitializer, recoded(name, field.content)));
          } else {
            graph.Add(field.whole);
          }
          return;
        }
        case Bytes(graph_proto::kValueInfo): {
          const std::string name(FieldOf(field.content, 1));
          const auto constant = changes.constants.find(name);
          if (changes.unused.contains(name) ||
              (constant != changes.constants.end() && constant->second.replaces)) {
            return;  // its type and shape stand in the initializer
          }
          if (const int64_t type = retyped(name); type != 0) {
            constexpr uint32_t kPath[] = {2, 1, 1};
            graph.Add(
                MessageField(graph_proto::kValueInfo, WithElementType(field.content, kPath, type)));
          } else {
            graph.Add(field.whole);
          }
          return;
        }
        default:
          graph.Add(field.whole);
      }
    });
    for (const auto& [name, constant] : changes.constants) {
      if (constant.replaces) continue;
      Rope tensor, data;
      data.AddOwned(RawOf(constant));
      tensor.Add(WithData({}, constant.dtype, &constant, std::move(data)));
      tensor.AddOwned(BytesField(tensor_proto::kName, name));
      graph.Add(MessageField(graph_proto::kInitializer, std::move(tensor)));
    }
    if (met != wanted) {
      return absl::FailedPreconditionError("a name that changes is not text, or not unique");
    }
    Rope model;
    ForEachWireField(bytes_, [&](const Field& field) {
      if (field.tag_and_type == Bytes(model_proto::kGraph)) {
        model.Add(MessageField(model_proto::kGraph, std::move(graph)));
      } else {
        model.Add(field.whole);
      }
    });
    // What every protobuf reader takes.
    constexpr uint64_t kMostBytes = (uint64_t{1} << 31) - 1;
    if (model.size() > kMostBytes) {
      return absl::FailedPreconditionError("the result would be larger than 2 GiB");
    }
    model.Write(sink);
  } catch (const protozero::exception& error) {
    return Broken(error);
  } catch (const onnx::BadModel& error) {
    return Invalid(error.what());
  }
  return absl::OkStatus();
}

}  // namespace quantgate::fix
