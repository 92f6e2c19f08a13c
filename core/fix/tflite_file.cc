#include "core/fix/tflite_file.h"

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "core/readers/tflite/flatbuffer.h"
#include "core/readers/tflite/tflite_schema.h"
#include "core/readers/tflite/tflite_tables.h"

namespace quantgate::fix {
namespace {

using flatbuffer::NewTable;
using flatbuffer::Table;
using flatbuffer::Tables;

template <typename T>
void Put(std::string& bytes, uint64_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

void PutInteger(std::string& bytes, uint64_t at, int64_t value, int bits) {
  switch (bits) {
    case 8:
      return Put(bytes, at, static_cast<int8_t>(value));
    case 16:
      return Put(bytes, at, static_cast<int16_t>(value));
    default:
      return Put(bytes, at, static_cast<int32_t>(value));
  }
}

// The fields that are known of the model and of a subgraph: all but the version are offsets.
constexpr int kModelFields = tflite::model::kSignatures + 1;
constexpr int kSubgraphFields = tflite::subgraph::kName + 1;
// Of a table whose fields beyond this many, if it has any, say something unknown.
bool HasMore(const Table& table, int known) {
  for (int field = known; field < table.field_count(); ++field) {
    if (table.Has(field)) return true;
  }
  return false;
}

// Lets a field of the new table lead to where it leads in the old one.
void Keep(const Table& old, int field, NewTable& table) {
  if (const uint64_t at = old.Target(field); at != 0) table.Sub(field) = NewTable::Old(at);
}

}  // namespace

void TfliteFile::ReadTensors(const Tables& tensors, const Tables& buffers, uint32_t subgraph,
                             Users& users) {
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Table tensor = tensors[i];
    subgraphs_.back().tensors.push_back(tensor.position());
    Places& places = places_.emplace_back();
    places.subgraph = subgraph;
    places.index = i;
    places.type = tensor.Where(tflite::tensor::kType);
    if (const auto given = tensor.Sub(tflite::tensor::kQuantization)) {
      const auto scales = given->List<float>(tflite::quantization::kScale);
      const auto zeros = given->List<int64_t>(tflite::quantization::kZeroPoint);
      places.scale_count = scales.size();
      places.zero_point_count = zeros.size();
      if (!scales.empty()) ++users[places.scales = scales.begin()];
      if (!zeros.empty()) ++users[places.zero_points = zeros.begin()];
    }
    const auto buffer = tensor.Get<uint32_t>(tflite::tensor::kBuffer, 0);
    if (buffer == 0 || buffer >= buffers.size()) continue;
    const std::string_view data = buffers[buffer].Raw(tflite::buffer::kData);
    if (data.empty()) continue;
    places.data = static_cast<uint64_t>(data.data() - bytes_.data());
    places.data_bytes = data.size();
    ++users[places.data];
  }
}

void TfliteFile::ReadOperators(const Tables& operators, uint32_t subgraph, Users& users) {
  for (uint32_t i = 0; i < operators.size(); ++i) {
    const Table table = operators[i];
    Operator& read = operators_.emplace_back();
    read.table = table.position();
    read.subgraph = subgraph;
    const auto inputs = table.List<int32_t>(tflite::node::kInputs);
    const auto outputs = table.List<int32_t>(tflite::node::kOutputs);
    if (!inputs.empty()) ++users[read.inputs = inputs.begin()];
    if (!outputs.empty()) ++users[read.outputs = outputs.begin()];
    if (table.Get<uint64_t>(tflite::node::kLargeOptionsOffset, 0) > 1) {
      obstacle_ = "options of its operators stand behind the tables";
    }
  }
}

void TfliteFile::Read() {
  const flatbuffer::File file(bytes_);
  const Table root = file.Root();
  const Tables buffers = root.All(tflite::model::kBuffers);
  const Tables subgraphs = root.All(tflite::model::kSubgraphs);
  if (HasMore(root, kModelFields)) obstacle_ = "the file has fields that are not known";
  for (uint32_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].Get<uint64_t>(tflite::buffer::kOffset, 0) > 1) {
      obstacle_ = "constants stand behind the tables";
    }
  }
  Users users;  // of a list or a buffer
  for (uint32_t s = 0; s < subgraphs.size(); ++s) {
    const Table subgraph = subgraphs[s];
    subgraphs_.push_back({subgraph.position(), {}});
    if (HasMore(subgraph, kSubgraphFields)) obstacle_ = "the file has fields that are not known";
    ReadTensors(subgraph.All(tflite::subgraph::kTensors), buffers, s, users);
    ReadOperators(subgraph.All(tflite::subgraph::kOperators), s, users);
  }
  for (Places& places : places_) {
    for (const uint64_t at : {places.scales, places.zero_points, places.data}) {
      places.is_shared |= at != 0 && users[at] > 1;
    }
  }
  for (Operator& read : operators_) {
    for (const uint64_t at : {read.inputs, read.outputs}) {
      read.is_shared |= at != 0 && users[at] > 1;
    }
  }
}

absl::StatusOr<std::unique_ptr<TfliteFile>> TfliteFile::Make(std::string_view bytes,
                                                             const Model& model) {
  auto made = std::unique_ptr<TfliteFile>(new TfliteFile(bytes));
  try {
    made->Read();
  } catch (const flatbuffer::Broken& broken) {
    return absl::InvalidArgumentError(broken.what());
  }
  if (made->places_.size() != model.tensors.size() ||
      made->operators_.size() != model.nodes.size()) {
    return absl::InvalidArgumentError("its tensors and operators are not those that were read");
  }
  return made;
}

absl::Status TfliteFile::CheckInsertion(int32_t node) const {
  if (!obstacle_.empty()) return Refuse(obstacle_);
  if (operators_[static_cast<size_t>(node)].is_shared) {
    return Refuse("other operators of the file share its list of tensors");
  }
  return absl::OkStatus();
}

absl::Status TfliteFile::CheckRoom(const Model& model, TensorId id, const Coding& to) const {
  if (!Has(id)) return Refuse("an inserted operator uses it");
  const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
  const Places& places = places_[static_cast<size_t>(id)];
  if (places.is_shared) return Refuse("other tensors of the file share its numbers");
  if (to.encoding->kind != tensor.encoding->kind || to.encoding->axis != tensor.encoding->axis ||
      places.scale_count != to.encoding->scales.size()) {
    return Refuse("the file has no room for another kind of encoding");
  }
  const auto& zeros = to.encoding->zero_points;
  const bool all_zero = std::all_of(zeros.begin(), zeros.end(), [](int32_t z) { return z == 0; });
  if (places.zero_point_count == 0 ? !all_zero : places.zero_point_count < zeros.size()) {
    return Refuse("the file has no room for its zero points");
  }
  if (to.dtype != tensor.dtype && places.type == 0) return Refuse("its type is not in the file");
  return absl::OkStatus();
}

uint32_t TfliteFile::SubgraphOf(const Node& inserted) const {
  const TensorId read = inserted.inputs[0];
  return places_[static_cast<size_t>(Has(read) ? read : inserted.outputs[0])].subgraph;
}

std::vector<uint32_t> TfliteFile::IndexesOf(const Editor& editor) const {
  std::vector<uint32_t> indexes(editor.model().tensors.size());
  for (size_t id = 0; id < places_.size(); ++id) indexes[id] = places_[id].index;
  std::vector<uint32_t> next;
  for (const Subgraph& subgraph : subgraphs_) {
    next.push_back(static_cast<uint32_t>(subgraph.tensors.size()));
  }
  ForEachNew(editor, [&](const Node& node, TensorId fresh) {
    indexes[static_cast<size_t>(fresh)] = next[SubgraphOf(node)]++;
  });
  return indexes;
}

void TfliteFile::ForEachNew(const Editor& editor,
                            const std::function<void(const Node&, TensorId)>& use) const {
  const Model& model = editor.model();
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    if (editor.OriginOf(n) >= 0) continue;
    const Node& node = model.nodes[n];
    use(node, Has(node.inputs[0]) ? node.outputs[0] : node.inputs[0]);
  }
}

NewTable TfliteFile::NewSubgraph(const Editor& editor, uint32_t number, uint32_t opcode,
                                 const std::vector<uint32_t>& indexes) const {
  const Model& model = editor.model();
  const flatbuffer::File file(bytes_);
  const Table old(file, subgraphs_[number].table);
  std::vector<NewTable> tensors, operators;
  for (const uint64_t at : subgraphs_[number].tensors) tensors.push_back(NewTable::Old(at));
  ForEachNew(editor, [&](const Node& node, TensorId fresh) {
    if (SubgraphOf(node) != number) return;
    tensors.push_back(tflite::NewTensor(model.tensors[static_cast<size_t>(fresh)]));
  });
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const Node& node = model.nodes[n];
    if (const int32_t origin = editor.OriginOf(n); origin >= 0) {
      const Operator& known = operators_[static_cast<size_t>(origin)];
      if (known.subgraph == number) operators.push_back(NewTable::Old(known.table));
    } else if (SubgraphOf(node) == number) {
      operators.push_back(tflite::NewOperator(opcode, indexes[static_cast<size_t>(node.inputs[0])],
                                              indexes[static_cast<size_t>(node.outputs[0])]));
    }
  }
  NewTable made;
  made.Add(tflite::subgraph::kTensors, std::move(tensors));
  made.Add(tflite::subgraph::kOperators, std::move(operators));
  for (const int field :
       {tflite::subgraph::kInputs, tflite::subgraph::kOutputs, tflite::subgraph::kName}) {
    Keep(old, field, made);
  }
  return made;
}

std::string TfliteFile::NewStart(const Editor& editor) const {
  const flatbuffer::File file(bytes_);
  const Table root = file.Root();
  std::set<uint32_t> changed;
  ForEachNew(editor, [&](const Node& node, TensorId) { changed.insert(SubgraphOf(node)); });
  const Tables old_codes = root.All(tflite::model::kOperatorCodes);
  std::vector<NewTable> codes, subgraphs;
  const int32_t wanted = tflite::OperatorCode(tflite::kRequantize).value_or(0);
  uint32_t opcode = old_codes.size();
  for (uint32_t i = 0; i < old_codes.size(); ++i) {
    const Table code = old_codes[i];
    codes.push_back(NewTable::Old(code.position()));
    if (code.Get<int32_t>(tflite::operator_code::kVersion, 1) >= tflite::kRequantizeVersion &&
        tflite::CodeOf(code) == wanted) {
      opcode = i;
    }
  }
  if (opcode == old_codes.size()) {
    codes.push_back(tflite::NewOpcode(wanted, tflite::kRequantizeVersion));
  }
  const std::vector<uint32_t> indexes = IndexesOf(editor);
  for (uint32_t s = 0; s < subgraphs_.size(); ++s) {
    subgraphs.push_back(changed.contains(s) ? NewSubgraph(editor, s, opcode, indexes)
                                            : NewTable::Old(subgraphs_[s].table));
  }
  NewTable made;
  made.Set<uint32_t>(tflite::model::kVersion, tflite::kSchemaVersion);
  made.Add(tflite::model::kOperatorCodes, std::move(codes));
  made.Add(tflite::model::kSubgraphs, std::move(subgraphs));
  for (const int field :
       {tflite::model::kDescription, tflite::model::kBuffers, tflite::model::kMetadataBuffer,
        tflite::model::kMetadata, tflite::model::kSignatures}) {
    Keep(root, field, made);
  }
  return made.FileBefore(tflite::kIdentifier);
}

void TfliteFile::PutPorts(const Editor& editor, std::string& out) const {
  const std::vector<uint32_t> indexes = IndexesOf(editor);
  const Model& model = editor.model();
  const auto put = [&](uint64_t list, const auto& ids) {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == kNoTensor || Has(ids[i])) continue;
      Put(out, list + i * sizeof(int32_t),
          static_cast<int32_t>(indexes[static_cast<size_t>(ids[i])]));
    }
  };
  for (size_t n = 0; n < model.nodes.size(); ++n) {
    const int32_t origin = editor.OriginOf(n);
    if (origin < 0) continue;
    put(operators_[static_cast<size_t>(origin)].inputs, model.nodes[n].inputs);
    put(operators_[static_cast<size_t>(origin)].outputs, model.nodes[n].outputs);
  }
}

absl::Status TfliteFile::Write(const Editor& editor,
                               const std::function<void(std::string_view)>& sink) const {
  std::string out(bytes_);
  for (const auto& [name, recoding] : editor.recoded()) {
    const TensorId id = editor.Find(name);
    const Places& places = places_[static_cast<size_t>(id)];
    const Tensor& tensor = editor.model().tensors[static_cast<size_t>(id)];
    const Encoding& encoding = recoding.to.encoding;
    for (uint32_t i = 0; i < places.scale_count; ++i) {
      Put(out, places.scales + i * sizeof(float), static_cast<float>(ScaleAt(encoding, i)));
    }
    for (uint32_t i = 0; i < places.zero_point_count; ++i) {
      Put(out, places.zero_points + i * sizeof(int64_t), int64_t{ZeroPointAt(encoding, i)});
    }
    if (recoding.from.dtype != recoding.to.dtype) {
      Put(out, places.type, tflite::TypeOf(recoding.to.dtype).value_or(0));
    }
    if (!recoding.is_static || !recoding.rewritten() || tensor.values == nullptr) continue;
    const int bits = BitsOf(tensor.dtype);
    const auto& values = tensor.values->ints;
    if (bits < 8 || places.data_bytes != values.size() * static_cast<size_t>(bits / 8)) {
      return Refuse("its values do not fit where they stood: " + name);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      PutInteger(out, places.data + i * static_cast<size_t>(bits / 8), values[i], bits);
    }
  }
  if (!editor.inserted().empty()) {
    PutPorts(editor, out);
    std::string start;
    try {
      start = NewStart(editor);
    } catch (const tflite::Unwritable& problem) {
      return Refuse(problem.reason);
    }
    // What offsets of 32 bits with a sign reach.
    if (start.size() + out.size() >= (uint64_t{1} << 31)) {
      return Refuse("the result would be larger than 2 GiB");
    }
    sink(start);
  }
  sink(out);
  return absl::OkStatus();
}

}  // namespace quantgate::fix
