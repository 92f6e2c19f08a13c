// .binpb, the wire form of quantgate.v1.Model, -> Model (field numbers: model.proto).
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <exception>
#include <initializer_list>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/model_finish.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using pbf::Bytes;
using pbf::Fixed32;
using pbf::Fixed64;
using pbf::ForEachField;
using pbf::Varint;
using protozero::pbf_reader;

// A message that is well-formed protobuf and yet no model; caught in ReadModelBinpb.
struct BadModel : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::string TextOf(pbf_reader& reader) { return Utf8(pbf::View(reader)); }

Dtype DtypeOf(pbf_reader& reader) {
  const int32_t value = reader.get_enum();
  if (value == 0) return Dtype::kUndefined;
  const auto dtype = DtypeFromQnnValue(static_cast<uint32_t>(value));
  if (!dtype) throw BadModel(fmt::format("no QNN datatype has the number {}", value));
  return *dtype;
}

// Repeated numbers, packed or one by one.
template <typename Ints>
void AppendInts(uint32_t tag, pbf_reader& reader, Ints& out) {
  if ((tag & 7) == static_cast<uint32_t>(protozero::pbf_wire_type::varint)) {
    out.push_back(static_cast<typename Ints::value_type>(reader.get_int64()));
    return;
  }
  for (const int64_t value : reader.get_packed_int64()) {
    out.push_back(static_cast<typename Ints::value_type>(value));
  }
}
template <typename Floats>
void AppendFloats(uint32_t tag, pbf_reader& reader, Floats& out) {
  if ((tag & 7) == static_cast<uint32_t>(protozero::pbf_wire_type::fixed32)) {
    out.push_back(reader.get_float());
    return;
  }
  for (const float value : reader.get_packed_float()) out.push_back(value);
}
void AppendDoubles(uint32_t tag, pbf_reader& reader, std::vector<double>& out) {
  if ((tag & 7) == static_cast<uint32_t>(protozero::pbf_wire_type::fixed64)) {
    out.push_back(reader.get_double());
    return;
  }
  for (const double value : reader.get_packed_double()) out.push_back(value);
}

// protozero's own get_bool() looks at a byte before it looks whether there is one (1.7).
bool Flag(pbf_reader& reader) { return reader.get_uint64() != 0; }

class BinpbReader {
 public:
  BinpbReader(std::string_view bytes, std::string_view name) : bytes_(bytes), place_(bytes.data()) {
    model_.name = name;
  }

  absl::StatusOr<Model> Read() {
    try {
      ReadModelMessage();
      Connect();
    } catch (const protozero::exception& error) {
      return InvalidAt(fmt::format("byte {}", place_ - bytes_.data()), pbf::Reason(error));
    } catch (const BadModel& error) {
      return InvalidAt(path_, error.what());
    }
    return std::move(model_);
  }

 private:
  void ReadModelMessage() {
    ForEachField(bytes_, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          if (std::string name = TextOf(reader); !name.empty()) model_.name = std::move(name);
          return true;
        case Bytes(2):
          model_.dialect = DialectOf(TextOf(reader));
          return true;
        case Varint(3):
          model_.opset = reader.get_int64();
          if (model_.opset < 0) throw BadModel("the opset is below 0");
          return true;
        case Bytes(4):
          input_names_.push_back(TextOf(reader));
          return true;
        case Bytes(5):
          output_names_.push_back(TextOf(reader));
          return true;
        case Bytes(6):
          path_ = fmt::format("tensors[{}]", model_.tensors.size());
          ReadTensor(pbf::View(reader));
          path_.clear();
          return true;
        case Bytes(7):
          path_ = fmt::format("nodes[{}]", model_.nodes.size());
          ReadNode(pbf::View(reader));
          path_.clear();
          return true;
        case Bytes(8):
          model_.notes.push_back(TextOf(reader));
          return true;
        default:
          return false;
      }
    });
  }

  static Dialect DialectOf(const std::string& name) {
    if (name.empty()) return Dialect::kQnn;
    const auto dialect = DialectFromName(name);
    if (!dialect) {
      throw BadModel(fmt::format("unknown dialect {} (one of qnn, onnx, aten)", Quoted(name)));
    }
    return *dialect;
  }

  void ReadTensor(std::string_view message) {
    Tensor tensor;
    TensorValues values;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          tensor.name = TextOf(reader);
          return true;
        case Varint(2):
          tensor.dtype = DtypeOf(reader);
          return true;
        case Bytes(3):
        case Varint(3):
          AppendInts(tag, reader, tensor.dims);
          return true;
        case Varint(4):
          tensor.unknown_rank = Flag(reader);
          return true;
        case Varint(5):
          tensor.is_static = Flag(reader);
          return true;
        case Bytes(6):
          ReadEncoding(pbf::View(reader), &tensor.encoding.Edit());
          return true;
        case Bytes(7):
        case Varint(7):
          AppendInts(tag, reader, values.ints);
          return true;
        case Bytes(8):
        case Fixed64(8):
          AppendDoubles(tag, reader, values.reals);
          return true;
        case Varint(9):
          tensor.sparse = std::max<int64_t>(reader.get_int64(), -1);
          return true;
        case Bytes(10):
          tensor.value_range = ReadRange(pbf::View(reader));
          return true;
        default:
          return false;
      }
    });
    if (!values.ints.empty() || !values.reals.empty()) {
      tensor.values = std::make_shared<const TensorValues>(std::move(values));
    }
    if (const std::string problem = FinishTensor(tensor, model_.tensors.size()); !problem.empty()) {
      throw BadModel(problem);
    }
    const auto [it, fresh] =
        ids_.try_emplace(tensor.name.str(), static_cast<TensorId>(model_.tensors.size()));
    if (!fresh) {
      throw BadModel(fmt::format("a tensor named {} exists already, tensors[{}]",
                                 Quoted(tensor.name), it->second));
    }
    model_.tensors.push_back(std::move(tensor));
  }

  std::pair<double, double> ReadRange(std::string_view message) {
    std::pair<double, double> range;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag != Fixed64(1) && tag != Fixed64(2)) return false;
      (tag == Fixed64(1) ? range.first : range.second) = reader.get_double();
      return true;
    });
    return range;
  }

  // The last kind given counts, as protobuf has it for a oneof.
  void ReadEncoding(std::string_view message, Encoding* out) {
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      const uint32_t kind = tag >> 3;
      if (kind < 1 || kind > 4 || tag != Bytes(kind)) return false;
      std::destroy_at(out);
      std::construct_at(out);
      out->kind = static_cast<EncodingKind>(kind);
      if (kind == 1) {
        ReadPerTensor(pbf::View(reader), out);
      } else {
        ReadManyScales(pbf::View(reader), out);
      }
      return true;
    });
  }

  void ReadPerTensor(std::string_view message, Encoding* out) {
    out->scales.push_back(0);
    out->zero_points.push_back(0);
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Fixed32(1):
          out->scales[0] = reader.get_float();
          return true;
        case Varint(2):
          out->zero_points[0] = reader.get_int32();
          return true;
        case Varint(3):
          out->bitwidth = reader.get_int32();
          return true;
        default:
          return false;
      }
    });
  }

  // PerChannel, Block and Lpbq share the numbers 2 to 4.
  void ReadManyScales(std::string_view message, Encoding* out) {
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
        case Varint(1):
          if (out->kind == EncodingKind::kBlock) {
            AppendInts(tag, reader, out->block_size);
          } else if (tag == Varint(1)) {
            out->axis = reader.get_int32();
          } else {
            return false;
          }
          return true;
        case Bytes(2):
        case Fixed32(2):
          AppendFloats(tag, reader, out->scales);
          return true;
        case Bytes(3):
        case Varint(3):
          AppendInts(tag, reader, out->zero_points);
          return true;
        case Varint(4):
          out->bitwidth = reader.get_int32();
          return true;
        default:
          return out->kind == EncodingKind::kLpbq && ReadLpbqField(tag, reader, out);
      }
    });
  }

  static bool ReadLpbqField(uint32_t tag, pbf_reader& reader, Encoding* out) {
    switch (tag) {
      case Varint(5):
        out->num_blocks = reader.get_int32();
        return true;
      case Bytes(6):
      case Varint(6):
        AppendInts(tag, reader, out->block_scales);
        return true;
      case Varint(7):
        out->block_scale_bitwidth = reader.get_int32();
        return true;
      case Varint(8):
        out->block_scale_storage_bits = reader.get_int32();
        return true;
      default:
        return false;
    }
  }

  void ReadNode(std::string_view message) {
    Node node;
    std::vector<std::string_view> inputs;
    std::vector<std::string_view> outputs;
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Bytes(1):
          node.name = TextOf(reader);
          return true;
        case Bytes(2):
          node.op = TextOf(reader);
          return true;
        case Bytes(3):
          inputs.push_back(pbf::View(reader));
          return true;
        case Bytes(4):
          outputs.push_back(pbf::View(reader));
          return true;
        case Bytes(5):
          ReadParamEntry(pbf::View(reader), &node.params.Edit());
          return true;
        case Bytes(6):
          node.dialect = DialectOf(TextOf(reader));
          return true;
        case Bytes(7):
          node.domain = TextOf(reader);
          return true;
        case Bytes(8):
          node.location = TextOf(reader);
          return true;
        case Bytes(9):
          node.unchecked_reason = TextOf(reader);
          return true;
        default:
          return false;
      }
    });
    if (node.op.empty()) throw BadModel("a node needs an \"op\"");
    if (const std::string* twice = FindTwice(node.params)) {
      throw BadModel(fmt::format("param {} is given twice", Quoted(*twice)));
    }
    if (const std::string problem = FinishNode(node, model_.nodes.size()); !problem.empty()) {
      throw BadModel(problem);
    }
    model_.nodes.push_back(std::move(node));
    node_inputs_.push_back(std::move(inputs));
    node_outputs_.push_back(std::move(outputs));
  }

  void ReadParamEntry(std::string_view message, std::vector<Param>* params) {
    Param& param = params->emplace_back();
    param.value = std::vector<int64_t>();
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      if (tag == Bytes(1)) {
        param.name = TextOf(reader);
        return true;
      }
      if (tag != Bytes(2)) return false;
      ReadParam(pbf::View(reader), &param.value);
      return true;
    });
  }

  // The alternative T of a param; a field of another kind replaces what was there.
  template <typename T>
  static T& As(ParamValue* value) {
    if (auto* held = std::get_if<T>(value)) return *held;
    return value->emplace<T>();
  }

  void ReadParam(std::string_view message, ParamValue* out) {
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Varint(1):
          *out = IntParam{reader.get_int64()};
          return true;
        case Varint(2):
          *out = UintParam{reader.get_uint64()};
          return true;
        case Fixed64(3):
          *out = reader.get_double();
          return true;
        case Varint(4):
          *out = Flag(reader);
          return true;
        case Bytes(5):
          ReadTensorParam(pbf::View(reader), &As<TensorParam>(out));
          return true;
        case Bytes(6):
          *out = TextOf(reader);
          return true;
        case Bytes(7):
          As<std::vector<std::string>>(out).push_back(TextOf(reader));
          return true;
        case Bytes(8):
        case Varint(8):
          AppendInts(tag, reader, As<std::vector<int64_t>>(out));
          return true;
        case Bytes(9):
        case Fixed64(9):
          AppendDoubles(tag, reader, As<std::vector<double>>(out));
          return true;
        default:
          return false;
      }
    });
  }

  void ReadTensorParam(std::string_view message, TensorParam* out) {
    ForEachField(message, &place_, [&](uint32_t tag, pbf_reader& reader) {
      switch (tag) {
        case Varint(1):
          out->dtype = DtypeOf(reader);
          return true;
        case Bytes(2):
        case Varint(2):
          AppendInts(tag, reader, out->dims);
          return true;
        case Bytes(3):
        case Varint(3):
          AppendInts(tag, reader, out->ints);
          return true;
        case Bytes(4):
        case Fixed64(4):
          AppendDoubles(tag, reader, out->reals);
          return true;
        default:
          return false;
      }
    });
    if (const std::string problem = CheckTensorParam(*out); !problem.empty())
      throw BadModel(problem);
  }

  TensorId Lookup(std::string_view name, bool may_be_absent) const {
    if (name.empty() && may_be_absent) return kNoTensor;
    const auto it = ids_.find(Utf8(name));
    if (it == ids_.end()) throw BadModel(fmt::format("no tensor is named {}", Quoted(name)));
    return it->second;
  }

  void Connect() {
    for (size_t n = 0; n < model_.nodes.size(); ++n) {
      path_ = fmt::format("nodes[{}]", n);
      for (const std::string_view name : node_inputs_[n]) {
        model_.nodes[n].inputs.push_back(Lookup(name, true));
      }
      for (const std::string_view name : node_outputs_[n]) {
        model_.nodes[n].outputs.push_back(Lookup(name, true));
      }
    }
    path_ = "inputs";
    for (const std::string& name : input_names_) model_.inputs.push_back(Lookup(name, false));
    path_ = "outputs";
    for (const std::string& name : output_names_) model_.outputs.push_back(Lookup(name, false));
    FillGraphEnds(model_);
    if (const auto problem = FindGraphProblem(model_, nullptr)) {
      path_ = problem->node < 0 ? "outputs" : fmt::format("nodes[{}]", problem->node);
      throw BadModel(problem->reason);
    }
  }

  std::string_view bytes_;
  const char* place_;
  std::string path_;
  Model model_;
  absl::flat_hash_map<std::string, TensorId> ids_;
  std::vector<std::string> input_names_;
  std::vector<std::string> output_names_;
  std::vector<std::vector<std::string_view>> node_inputs_;
  std::vector<std::vector<std::string_view>> node_outputs_;
};

}  // namespace

absl::StatusOr<Model> ReadModelBinpb(std::string_view bytes, std::string_view name) {
  return BinpbReader(bytes, name).Read();
}

}  // namespace quantgate
