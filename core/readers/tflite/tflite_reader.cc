// .tflite file -> Model, as written: every operator of every subgraph. Weights are passed over; of
// constants, the short ones are kept (axes, shapes, biases).
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/base/text.h"
#include "core/ir/element_count.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/limits.h"
#include "core/readers/repeats.h"
#include "core/readers/tflite/flatbuffer.h"
#include "core/readers/tflite/tflite_schema.h"
#include "core/readers/tflite/tflite_tables.h"
#include "core/readers/tflite/tflite_values.h"
#include "core/readers/unknown_fields.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace tflite {
namespace {

using flatbuffer::File;
using flatbuffer::Table;
using flatbuffer::Tables;
using flatbuffer::Vector;

constexpr size_t kMaxPrefix = 200;     // of a subgraph's names: its tensors could be many

// A file whose tables can be read and that is no model.
struct BadModel : std::runtime_error {
  BadModel(std::string where, const std::string& reason)
      : std::runtime_error(reason), place(std::move(where)) {}
  std::string place;
};

struct Opcode {
  SharedString name;
  uint8_t options = 0;
  int32_t version = 1;
};

// Where something stands, put into words only when something is wrong with it.
struct Place {
  uint32_t subgraph = 0;
  std::string_view what;
  uint32_t number = 0;
};

// The bytes of a constant.
struct Bytes {
  std::string_view data;
  bool given = false;
};

class Reader {
 public:
  Reader(std::string_view bytes, std::string_view name) : file_(bytes) {
    model_.name = name;
    model_.dialect = Dialect::kTflite;
  }

  absl::StatusOr<Model> Read() {
    try {
      ReadModel();
    } catch (const flatbuffer::Broken& error) {
      return InvalidAt(fmt::format("byte {}", error.at),
                       doing_.empty() ? std::string(error.what())
                                      : fmt::format("{} ({})", error.what(), doing_));
    } catch (const BadModel& error) {
      return InvalidAt(error.place, error.what());
    }
    return std::move(model_);
  }

 private:
  void ReadModel() {
    const std::string_view bytes = file_.bytes();
    if (bytes.size() < 8 || bytes.substr(4, 4) != kIdentifier) {
      throw BadModel("byte 4", fmt::format("not a TensorFlow Lite model: no \"{}\"", kIdentifier));
    }
    const Table root = file_.Root();
    const auto version = root.Get<uint32_t>(model::kVersion, 0);
    if (version != kSchemaVersion) {
      throw BadModel("the model", fmt::format("schema version {}; {} is known", version,
                                              kSchemaVersion));
    }
    ReadOpcodes(root.All(model::kOperatorCodes));
    buffers_ = root.All(model::kBuffers);
    const Tables subgraphs = root.All(model::kSubgraphs);
    if (subgraphs.size() == 0) throw BadModel("the model", "there is no subgraph in it");
    std::vector<Table> tables;
    for (uint32_t i = 0; i < subgraphs.size(); ++i) tables.push_back(subgraphs[i]);
    NameSubgraphs(root.All(model::kSignatures), tables);
    for (uint32_t i = 0; i < tables.size(); ++i) ReadSubgraph(tables[i], i);
    doing_.clear();
    ProvideInputs();
    FillGraphEnds(model_);
    unknown_.AddNote(model_.notes);
    if (clamped_zero_points_) model_.notes.push_back("zero points beyond 32 bits were cut to them");
    MakeNamesUnique();
    if (const auto problem = FindGraphProblem(model_, nullptr)) Throw(*problem);
  }

  [[noreturn]] void Throw(const GraphProblem& problem) const {
    if (problem.node < 0) throw BadModel("the graph's outputs", problem.reason);
    const Node& node = model_.nodes[static_cast<size_t>(problem.node)];
    const std::string place = fmt::format("{} ({})", node.location, node.op);
    if (problem.port < 0) throw BadModel(place, problem.reason);
    throw BadModel(
        fmt::format("{}, {} {}", place, problem.is_input ? "input" : "output", problem.port),
        problem.reason);
  }

  void ReadOpcodes(const Tables& codes) {
    for (uint32_t i = 0; i < codes.size(); ++i) {
      doing_ = fmt::format("operator code {}", i);
      const Table table = codes[i];
      const int32_t code = CodeOf(table);
      Opcode& opcode = opcodes_.emplace_back();
      opcode.version = table.Get<int32_t>(operator_code::kVersion, 1);
      const OperatorRow* row = FindOperator(code);
      if (code == kCustom) {
        const std::string name = Utf8(table.Text(operator_code::kCustomCode));
        opcode.name = fmt::format("{}{}", kCustomPrefix, name);
      } else if (row != nullptr) {
        opcode.name = row->name;
        opcode.options = row->options;
      } else {
        opcode.name = fmt::format("BUILTIN_{}", code);
        unknown_.Add(fmt::format("operator {}", code));
      }
      if (std::string problem = CheckName(opcode.name); !problem.empty()) {
        throw BadModel(doing_, problem);
      }
    }
  }

  // What stands before the names of a subgraph's operators and tensors: nothing for the first.
  void NameSubgraphs(const Tables& signatures, const std::vector<Table>& subgraphs) {
    subgraph_names_.resize(subgraphs.size());
    for (size_t i = 0; i < subgraphs.size(); ++i) {
      subgraph_names_[i] = Utf8(subgraphs[i].Text(subgraph::kName).substr(0, kMaxPrefix));
    }
    for (uint32_t i = 0; i < signatures.size(); ++i) {
      doing_ = fmt::format("signature {}", i);
      const Table table = signatures[i];
      const auto at = table.Get<uint32_t>(signature::kSubgraph, 0);
      if (at >= subgraphs.size()) {
        throw BadModel(doing_, fmt::format("subgraph {} of {}", at, subgraphs.size()));
      }
      const std::string key = Utf8(table.Text(signature::kKey).substr(0, kMaxPrefix));
      if (!key.empty()) subgraph_names_[at] = key;
    }
  }

  std::string PrefixOf(uint32_t index) const {
    if (index == 0) return {};
    const std::string& name = subgraph_names_[index];
    return (name.empty() ? fmt::format("subgraph_{}", index) : name) + "/";
  }

  std::string Text(const Place& place) const {
    const std::string& name = subgraph_names_[place.subgraph];
    return fmt::format("subgraph {}{}{}, {} {}", place.subgraph, name.empty() ? "" : " ",
                       name.empty() ? "" : Quoted(name), place.what, place.number);
  }
  [[noreturn]] void ThrowAt(const Place& place, const std::string& reason) const {
    throw BadModel(Text(place), reason);
  }
  void Check(const Place& place, const std::string& problem) const {
    if (!problem.empty()) ThrowAt(place, problem);
  }

  void ReadSubgraph(const Table& table, uint32_t index) {
    const auto first = static_cast<TensorId>(model_.tensors.size());
    const std::string prefix = PrefixOf(index);
    const Tables tensors = table.All(subgraph::kTensors);
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      if (i % 64 == 0) doing_ = Text({index, "tensors from", i});
      const Place place{index, "tensor", i};
      Check(place, CheckRoomForTensor(model_.tensors.size()));
      ReadTensor(tensors[i], prefix, place);
    }
    const uint32_t count = tensors.size();
    const auto append_ends = [&](int field, std::string_view what, std::vector<TensorId>& ends) {
      const auto list = table.List<int32_t>(field);
      for (uint32_t i = 0; i < list.size(); ++i) {
        const int32_t id = list[i];
        if (id < 0 || static_cast<uint32_t>(id) >= count) {
          ThrowAt({index, what, i}, fmt::format("tensor {} of {}", id, count));
        }
        ends.push_back(first + id);
      }
    };
    append_ends(subgraph::kInputs, "input", model_.inputs);
    append_ends(subgraph::kOutputs, "output", model_.outputs);
    const Tables operators = table.All(subgraph::kOperators);
    for (uint32_t i = 0; i < operators.size(); ++i) {
      if (i % 64 == 0) doing_ = Text({index, "operators from", i});
      ReadOperator(operators[i], {index, "operator", i}, first, count, prefix);
    }
  }

  // What neither an operator nor the caller gives: states that the interpreter keeps between two
  // runs come from outside of the graph, tensors without elements are constants.
  void ProvideInputs() {
    std::vector<bool> given(model_.tensors.size());
    for (const TensorId id : model_.inputs) given[static_cast<size_t>(id)] = true;
    for (const Node& node : model_.nodes) {
      for (const TensorId id : node.outputs) {
        if (id == kNoTensor) continue;
        given[static_cast<size_t>(id)] = true;
        // An operator writes over what the file has there.
        model_.tensors[static_cast<size_t>(id)].is_static = false;
        model_.tensors[static_cast<size_t>(id)].values = nullptr;
      }
    }
    for (const TensorId id : variables_) {
      if (!given[static_cast<size_t>(id)]) model_.inputs.push_back(id);
      given[static_cast<size_t>(id)] = true;
    }
    for (size_t i = 0; i < model_.tensors.size(); ++i) {
      Tensor& tensor = model_.tensors[i];
      if (given[i] || tensor.is_static ||
          ElementCount(tensor.dims.data(), tensor.dims.size()) != 0) {
        continue;
      }
      tensor.is_static = true;
      tensor.values = std::make_shared<TensorValues>();
    }
  }

  void ReadTensor(const Table& table, const std::string& prefix, const Place& place) {
    Tensor tensor;
    const std::string_view name = table.Text(tensor::kName);
    Check(place, CheckName(name));
    tensor.name = prefix + (name.empty() ? fmt::format("tensor_{}", place.number) : Utf8(name));
    ReadDims(table, place, tensor);
    const int64_t type = table.Get<int8_t>(tensor::kType, 0);
    const bool is_quantized = ReadEncoding(table, place, tensor);
    tensor.dtype = DtypeOf(type, is_quantized);
    if (IsFloat(tensor.dtype) || tensor.dtype == Dtype::kUndefined) tensor.encoding = {};
    const std::optional<int64_t> elements = ElementCount(tensor.dims.data(), tensor.dims.size());
    if (!elements) ThrowAt(place, "the product of its dimensions is beyond 64 bits");
    const Bytes bytes = BytesOf(table.Get<uint32_t>(tensor::kBuffer, 0), place);
    const auto id = static_cast<TensorId>(model_.tensors.size());
    if (table.Get<uint8_t>(tensor::kIsVariable, 0) != 0) variables_.push_back(id);
    tensor.is_static = bytes.given;
    const int bits = BitsOfType(type);
    if (table.Has(tensor::kSparsity) && bits > 0) {
      tensor.sparse =
          std::min<int64_t>(static_cast<int64_t>(bytes.data.size()) * 8 / bits, *elements);
    } else if (bits % 8 == 0 && bits > 0 && !bytes.data.empty() && ShouldKeep(tensor, *elements) &&
               static_cast<int64_t>(bytes.data.size()) == *elements * (bits / 8)) {
      tensor.values = ValuesOf(tensor.dtype, bytes.data);
    }
    model_.tensors.push_back(std::move(tensor));
  }

  void ReadDims(const Table& table, const Place& place, Tensor& tensor) {
    const auto shape = table.List<int32_t>(tensor::kShape);
    const auto open = table.List<int32_t>(tensor::kShapeSignature);
    const auto& dims = open.size() == shape.size() ? open : shape;
    if (dims.size() > kMaxRank) {
      ThrowAt(place, fmt::format("{} dimensions; {} are the most", dims.size(), kMaxRank));
    }
    for (uint32_t i = 0; i < dims.size(); ++i) {
      if (dims[i] < kDynamicDim) ThrowAt(place, fmt::format("{} is no dimension", dims[i]));
      tensor.dims.push_back(dims[i]);
    }
  }

  // Whether the tensor has an encoding.
  bool ReadEncoding(const Table& table, const Place& place, Tensor& tensor) {
    const std::optional<Table> given = table.Sub(tensor::kQuantization);
    if (!given) return false;
    if (given->Get<uint8_t>(quantization::kDetailsType, 0) != 0) {
      unknown_.Add("details of quantization parameters");
    }
    const auto scales = given->List<float>(quantization::kScale);
    const auto zero_points = given->List<int64_t>(quantization::kZeroPoint);
    if (scales.empty()) return false;
    Encoding encoding;
    const bool is_single = scales.size() == 1 && zero_points.size() <= 1;
    encoding.kind = is_single ? EncodingKind::kPerTensor : EncodingKind::kPerChannel;
    if (!is_single) {
      encoding.axis = given->Get<int32_t>(quantization::kDimension, 0);
      if (encoding.axis < 0 || static_cast<size_t>(encoding.axis) >= tensor.dims.size()) {
        ThrowAt(place, fmt::format("quantized along dimension {} of {}", encoding.axis,
                                          tensor.dims.size()));
      }
    }
    key_.clear();
    AppendKey(static_cast<uint8_t>(encoding.kind), key_);
    AppendKey(encoding.axis, key_);
    AppendKey(scales.size(), key_);
    for (uint32_t i = 0; i < scales.size(); ++i) {
      encoding.scales.push_back(scales[i]);
      AppendKey(scales[i], key_);
    }
    for (uint32_t i = 0; i < zero_points.size(); ++i) {
      const int64_t cut = std::clamp<int64_t>(zero_points[i], std::numeric_limits<int32_t>::min(),
                                              std::numeric_limits<int32_t>::max());
      clamped_zero_points_ |= cut != zero_points[i];
      encoding.zero_points.push_back(static_cast<int32_t>(cut));
      AppendKey(encoding.zero_points.back(), key_);
    }
    if (const Shared<Encoding>* known = known_encodings_.Find(key_)) {
      tensor.encoding = *known;
    } else {
      tensor.encoding = std::move(encoding);
      known_encodings_.Insert(key_, tensor.encoding);
    }
    return true;
  }

  Bytes BytesOf(uint32_t index, const Place& place) const {
    if (index == 0) return {};
    if (index >= buffers_.size()) {
      ThrowAt(place, fmt::format("buffer {} of {}", index, buffers_.size()));
    }
    const Table table = buffers_[index];
    const auto offset = table.Get<uint64_t>(buffer::kOffset, 0);
    const auto size = table.Get<uint64_t>(buffer::kSize, 0);
    if (offset <= 1) {
      const std::string_view data = table.Raw(buffer::kData);
      return {data, !data.empty()};
    }
    // Constants behind the tables, of files over 2 GiB.
    const std::string_view all = file_.bytes();
    if (offset > all.size() || size > all.size() - offset) {
      ThrowAt(place, fmt::format("its data are {} bytes from byte {}; the file has {}", size,
                                        offset, all.size()));
    }
    return {all.substr(offset, size), size > 0};
  }

  // Its ports are tensors of the subgraph, `tensors` many, from the model's `first` on.
  void ReadOperator(const Table& table, const Place& place, TensorId first, uint32_t tensors,
                    const std::string& prefix) {
    Check(place, CheckRoomForNode(model_.nodes.size()));
    const auto code = table.Get<uint32_t>(node::kOpcodeIndex, 0);
    if (code >= opcodes_.size()) {
      ThrowAt(place, fmt::format("operator code {} of {}", code, opcodes_.size()));
    }
    Node node;
    node.op = opcodes_[code].name;
    node.name = fmt::format("{}{}_{}", prefix, node.op, place.number);
    const auto append = [&](int field, std::string_view what, auto& ports) {
      const auto list = table.List<int32_t>(field);
      for (uint32_t i = 0; i < list.size(); ++i) {
        const int32_t id = list[i];
        if (id < kNoTensor || (id >= 0 && static_cast<uint32_t>(id) >= tensors)) {
          throw BadModel(fmt::format("{}, {} {}", Text(place), what, i),
                         fmt::format("tensor {} of {}", id, tensors));
        }
        ports.push_back(id < 0 ? kNoTensor : first + id);
      }
    };
    append(node::kInputs, "input", node.inputs);
    append(node::kOutputs, "output", node.outputs);
    node.location = Text(place);
    node.params = ParamsOf(table, opcodes_[code]);
    model_.nodes.push_back(std::move(node));
  }

  // The options of the operator, with their defaults where the file leaves them out, and its version.
  Params ParamsOf(const Table& table, const Opcode& opcode) {
    std::optional<Table> options;
    if (table.Get<uint8_t>(node::kOptionsType, 0) == opcode.options) {
      options = table.Sub(node::kOptions);
    }
    const auto intermediates = table.List<int32_t>(node::kIntermediates);
    key_.clear();
    AppendKey(opcode.options, key_);
    AppendKey(opcode.version, key_);
    AppendKey(intermediates.size(), key_);
    std::vector<ParamValue> values;
    for (const OptionField& field : OptionsOf(opcode.options)) {
      values.push_back(ValueOf(options, field));
      AppendValue(values.back(), key_);
    }
    if (const Params* known = known_params_.Find(key_)) return *known;
    std::vector<Param> list = {{"version", IntParam{opcode.version}}};
    size_t i = 0;
    for (const OptionField& field : OptionsOf(opcode.options)) {
      list.push_back({std::string(field.name), std::move(values[i++])});
    }
    if (!intermediates.empty()) list.push_back({"intermediates", IntParam{intermediates.size()}});
    const Params params(std::move(list));
    known_params_.Insert(key_, params);
    return params;
  }

  // What ValueOf() makes.
  static void AppendValue(const ParamValue& value, std::string& key) {
    if (const auto* number = std::get_if<IntParam>(&value)) AppendKey(number->value, key);
    if (const auto* real = std::get_if<double>(&value)) AppendKey(*real, key);
    if (const auto* flag = std::get_if<bool>(&value)) AppendKey(*flag, key);
    if (const auto* list = std::get_if<TensorParam>(&value)) {
      AppendKey(list->ints.size(), key);
      for (const int64_t number : list->ints) AppendKey(number, key);
    }
  }

  static ParamValue ValueOf(const std::optional<Table>& options, const OptionField& field) {
    const auto get = [&]<typename T>(T fallback) {
      return options ? options->Get<T>(field.field, fallback) : fallback;
    };
    switch (field.kind) {
      case Kind::kByte:
        return IntParam{get(field.fallback)};
      case Kind::kInt:
        return IntParam{get(int32_t{field.fallback})};
      case Kind::kLong:
        return IntParam{get(int64_t{field.fallback})};
      case Kind::kBool:
        return get(static_cast<uint8_t>(field.fallback)) != 0;
      case Kind::kFloat:
        return static_cast<double>(get(static_cast<float>(field.fallback)));
      case Kind::kInts: {
        TensorParam list;
        list.dtype = Dtype::kInt32;
        const auto ints = options ? options->List<int32_t>(field.field) : Vector<int32_t>();
        for (uint32_t i = 0; i < ints.size(); ++i) list.ints.push_back(ints[i]);
        list.dims.push_back(static_cast<int64_t>(list.ints.size()));
        return list;
      }
    }
    return IntParam{};
  }

  // Files may give two tensors one name.
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

  File file_;
  Model model_;
  std::vector<Opcode> opcodes_;
  Tables buffers_;
  std::vector<std::string> subgraph_names_;
  std::vector<TensorId> variables_;  // states that are kept between two runs
  UnknownFields unknown_;
  bool clamped_zero_points_ = false;
  Repeats<Shared<Encoding>> known_encodings_;
  Repeats<Params> known_params_;
  std::string key_;  // of one of these, while it is looked for
  std::string doing_;
};

}  // namespace
}  // namespace tflite

absl::StatusOr<Model> ReadTflite(std::string_view bytes, std::string_view name) {
  return tflite::Reader(bytes, name).Read();
}

}  // namespace quantgate
