#include "core/fix/tflite_file.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>

#include "core/readers/tflite/flatbuffer.h"
#include "core/readers/tflite/tflite_schema.h"

namespace quantgate::fix {
namespace {

using flatbuffer::Table;
using flatbuffer::Tables;

absl::Status Refuse(std::string reason) { return absl::FailedPreconditionError(std::move(reason)); }

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

}  // namespace

absl::StatusOr<std::unique_ptr<TfliteFile>> TfliteFile::Make(std::string_view bytes,
                                                             const Model& model) {
  auto made = std::unique_ptr<TfliteFile>(new TfliteFile(bytes));
  std::map<uint64_t, int> users;  // of a vector or a buffer
  try {
    const flatbuffer::File file(bytes);
    const Table root = file.Root();
    const Tables buffers = root.All(tflite::model::kBuffers);
    const Tables subgraphs = root.All(tflite::model::kSubgraphs);
    for (uint32_t s = 0; s < subgraphs.size(); ++s) {
      const Tables tensors = subgraphs[s].All(tflite::subgraph::kTensors);
      for (uint32_t i = 0; i < tensors.size(); ++i) {
        const Table tensor = tensors[i];
        Places& places = made->places_.emplace_back();
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
        places.data = static_cast<uint64_t>(data.data() - bytes.data());
        places.data_bytes = data.size();
        ++users[places.data];
      }
    }
  } catch (const flatbuffer::Broken& broken) {
    return absl::InvalidArgumentError(broken.what());
  }
  if (made->places_.size() != model.tensors.size()) {
    return absl::InvalidArgumentError("its tensors are not those that were read");
  }
  for (Places& places : made->places_) {
    for (const uint64_t at : {places.scales, places.zero_points, places.data}) {
      places.is_shared |= at != 0 && users[at] > 1;
    }
  }
  return made;
}

absl::Status TfliteFile::CheckRoom(const Model& model, TensorId id, const Coding& to) const {
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
  sink(out);
  return absl::OkStatus();
}

}  // namespace quantgate::fix
