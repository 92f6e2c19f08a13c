#include "core/readers/onnx/onnx_tensor.h"

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "core/base/pbf.h"
#include "core/base/text.h"
#include "core/ir/element_count.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/external_data.h"

namespace quantgate::onnx {
namespace {

using pbf::Bytes;
using pbf::Fixed32;
using pbf::Fixed64;
using pbf::ForEachField;
using pbf::Varint;
using protozero::pbf_reader;

enum class Form : uint8_t { kNone, kInt, kUint, kFloat, kBfloat16 };

struct TypeRow {
  Dtype dtype;
  int bits;
  Form form;
  uint32_t field;  // of TensorProto, where values are that aren't raw_data
};

constexpr uint32_t kFloatData = 4;
constexpr uint32_t kInt32Data = 5;
constexpr uint32_t kInt64Data = 7;
constexpr uint32_t kDoubleData = 10;
constexpr uint32_t kUint64Data = 11;

// TensorProto.DataType 0..26 (onnx.proto, IR version 12).
constexpr std::array<TypeRow, 27> kTypes = {{
    {Dtype::kUndefined, 0, Form::kNone, 0},
    {Dtype::kFloat32, 32, Form::kFloat, kFloatData},
    {Dtype::kUint8, 8, Form::kUint, kInt32Data},
    {Dtype::kInt8, 8, Form::kInt, kInt32Data},
    {Dtype::kUint16, 16, Form::kUint, kInt32Data},
    {Dtype::kInt16, 16, Form::kInt, kInt32Data},
    {Dtype::kInt32, 32, Form::kInt, kInt32Data},
    {Dtype::kInt64, 64, Form::kInt, kInt64Data},
    {Dtype::kString, 0, Form::kNone, 0},
    {Dtype::kBool8, 8, Form::kUint, kInt32Data},
    {Dtype::kFloat16, 16, Form::kFloat, kInt32Data},
    {Dtype::kFloat64, 64, Form::kFloat, kDoubleData},
    {Dtype::kUint32, 32, Form::kUint, kUint64Data},
    {Dtype::kUint64, 64, Form::kUint, kUint64Data},
    {Dtype::kUndefined, 64, Form::kNone, 0},               // complex64
    {Dtype::kUndefined, 128, Form::kNone, 0},              // complex128
    {Dtype::kUndefined, 16, Form::kBfloat16, kInt32Data},  // bfloat16
    {Dtype::kUndefined, 8, Form::kNone, 0},                // float8e4m3fn
    {Dtype::kUndefined, 8, Form::kNone, 0},                // float8e4m3fnuz
    {Dtype::kUndefined, 8, Form::kNone, 0},                // float8e5m2
    {Dtype::kUndefined, 8, Form::kNone, 0},                // float8e5m2fnuz
    {Dtype::kUfixedPoint4, 4, Form::kUint, kInt32Data},
    {Dtype::kSfixedPoint4, 4, Form::kInt, kInt32Data},
    {Dtype::kUndefined, 4, Form::kNone, 0},  // float4e2m1
    {Dtype::kUndefined, 8, Form::kNone, 0},  // float8e8m0
    {Dtype::kUndefined, 2, Form::kNone, 0},  // uint2
    {Dtype::kUndefined, 2, Form::kNone, 0},  // int2
}};

const TypeRow& RowOf(int64_t data_type) {
  return kTypes[data_type > 0 && data_type < static_cast<int64_t>(kTypes.size())
                    ? static_cast<size_t>(data_type)
                    : 0];
}

// Scales and zero points beyond are not encodings any more.
constexpr int64_t kMaxEncodingValues = int64_t{4} << 20;
// Of types and ranks that are mostly large weights, only what may be a broadcast constant.
constexpr int64_t kMaxFewValues = 64;

double HalfToDouble(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1F;
  const int fraction = bits & 0x3FF;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0) return sign * fraction * 0x1p-24;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

// One stored number as its type reads it.
void Append(const TypeRow& type, uint64_t bits, TensorValues* out) {
  switch (type.form) {
    case Form::kInt: {
      const int shift = 64 - type.bits;
      out->ints.push_back(static_cast<int64_t>(bits << shift) >> shift);
      return;
    }
    case Form::kUint: {
      const uint64_t value = type.bits == 64 ? bits : bits & ((uint64_t{1} << type.bits) - 1);
      out->ints.push_back(
          static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max())));
      return;
    }
    case Form::kFloat:
      if (type.bits == 64) {
        out->reals.push_back(std::bit_cast<double>(bits));
      } else if (type.bits == 32) {
        out->reals.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
      } else {
        out->reals.push_back(HalfToDouble(static_cast<uint16_t>(bits)));
      }
      return;
    case Form::kBfloat16:
      out->reals.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits << 16 & 0xFFFFFFFF)));
      return;
    case Form::kNone:
      return;
  }
}

// Little-endian, 4-bit types two a byte with the first in the low half.
void AppendRaw(const TypeRow& type, std::string_view raw, int64_t elements, TensorValues* out) {
  if (type.bits == 4) {
    for (int64_t i = 0; i < elements; ++i) {
      const auto byte = static_cast<unsigned char>(raw[static_cast<size_t>(i / 2)]);
      Append(type, i % 2 == 0 ? byte & 0xF : byte >> 4, out);
    }
    return;
  }
  const auto count = static_cast<size_t>(elements);
  // Small weights: far more numbers than all others.
  const auto assign_bytes = [&](const auto* first) { out->ints.assign(first, first + count); };
  if (type.form == Form::kInt && type.bits == 8) {
    return assign_bytes(reinterpret_cast<const int8_t*>(raw.data()));
  }
  if (type.form == Form::kUint && type.bits == 8) {
    return assign_bytes(reinterpret_cast<const uint8_t*>(raw.data()));
  }
  const auto width = static_cast<size_t>(type.bits / 8);
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, raw.data() + i * width, width);
    Append(type, bits, out);
  }
}

size_t RawBytes(const TypeRow& type, int64_t elements) {
  const auto count = static_cast<uint64_t>(elements);
  return type.bits == 4 ? (count + 1) / 2 : count * static_cast<uint64_t>(type.bits / 8);
}

std::string NameOf(std::string_view what, std::string_view name) {
  return what.empty() ? fmt::format("initializer {}", Quoted(name)) : std::string(what);
}

void ParseExternal(std::string_view message, const std::string& what, const char** place,
                   TensorProto* out) {
  std::string_view key;
  std::string_view value;
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    if (tag == Bytes(1)) {
      key = pbf::View(reader);
    } else if (tag == Bytes(2)) {
      value = pbf::View(reader);
    } else {
      return false;
    }
    return true;
  });
  if (key == "location") {
    out->location = value;
  } else if (key == "offset" || key == "length") {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 0) {
      throw BadModel(
          what, fmt::format("external data {} {} is not a number of bytes", key, Quoted(value)));
    }
    (key == "offset" ? out->offset : out->length) = number;
  }
}

// Two bytes an element; the loops are simple enough for a compiler to make vectors of.
template <typename T>
class Extremes {
 public:
  void Add(T value) {
    low_ = std::min(low_, value);
    high_ = std::max(high_, value);
  }
  void AddRaw(std::string_view raw) {
    T low = low_, high = high_;
    for (size_t i = 0; i + sizeof(T) <= raw.size(); i += sizeof(T)) {
      T value;
      std::memcpy(&value, raw.data() + i, sizeof(T));
      low = std::min(low, value);
      high = std::max(high, value);
    }
    low_ = low;
    high_ = high;
  }
  std::optional<std::pair<double, double>> Range() const {
    if (low_ > high_) return std::nullopt;
    return std::pair<double, double>(low_, high_);
  }

 private:
  T low_ = std::numeric_limits<T>::max(), high_ = std::numeric_limits<T>::min();
};

constexpr size_t kWindowBytes = size_t{4} << 20;
constexpr size_t kSmallBytes = size_t{64} << 10;  // not worth a call

// The file is mapped for jumps over the weights, page by page; here is a part that is read whole.
// Advice only: right for any memory, whether it is a file's or not.
void ReadAhead(std::string_view part) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(part.data()) / page * page;
  const size_t size = reinterpret_cast<uintptr_t>(part.data()) + part.size() - begin;
  madvise(reinterpret_cast<void*>(begin), size, MADV_WILLNEED);
}

template <typename T>
std::optional<std::pair<double, double>> RangeOf(
    const TensorProto& tensor, const ExternalData& data, const char** place,
    const std::function<void(std::string_view)>& done) {
  Extremes<T> extremes;
  if (tensor.is_external) {
    const size_t bytes = static_cast<size_t>(tensor.elements) * sizeof(T);
    if (data.directory.empty() ||
        (tensor.length >= 0 && static_cast<uint64_t>(tensor.length) != bytes) ||
        !VisitExternal(data, tensor.location, tensor.offset, bytes,
                       [&](std::string_view window) { extremes.AddRaw(window); })) {
      return std::nullopt;
    }
  } else if (tensor.has_raw_data && !tensor.raw_data.empty()) {
    for (size_t at = 0; at < tensor.raw_data.size(); at += kWindowBytes) {
      const std::string_view window = tensor.raw_data.substr(at, kWindowBytes);
      if (window.size() > kSmallBytes) ReadAhead(window);
      extremes.AddRaw(window);
      if (done) done(window);
    }
  } else {
    ForEachField(tensor.message, place, [&](uint32_t tag, pbf_reader& reader) {
      if (tag == Bytes(kInt32Data)) {
        for (const uint64_t bits : reader.get_packed_uint64()) extremes.Add(static_cast<T>(bits));
      } else if (tag == Varint(kInt32Data)) {
        extremes.Add(static_cast<T>(reader.get_uint64()));
      } else {
        return false;
      }
      return true;
    });
  }
  return extremes.Range();
}

// Values that a file keeps in the field of their type, not as raw bytes.
class TypedValues {
 public:
  TypedValues(const TypeRow& type, int64_t elements, TensorValues& values)
      : type_(type),
        elements_(static_cast<uint64_t>(elements)),
        // 4-bit values share a number, two by two.
        wanted_(type.bits == 4 ? RawBytes(type, elements) : elements_),
        values_(values) {}

  // Whether this field of the message holds values of the type.
  bool Read(uint32_t tag, pbf_reader& reader) {
    if (tag >> 3 != type_.field) return false;
    switch (tag) {
      case Bytes(kFloatData):
        return AddAll(reader.get_packed_fixed32());
      case Fixed32(kFloatData):
        return Add(reader.get_fixed32());
      case Bytes(kDoubleData):
        return AddAll(reader.get_packed_fixed64());
      case Fixed64(kDoubleData):
        return Add(reader.get_fixed64());
      case Bytes(kInt32Data):
      case Bytes(kInt64Data):
      case Bytes(kUint64Data):
        return AddAll(reader.get_packed_uint64());
      case Varint(kInt32Data):
      case Varint(kInt64Data):
      case Varint(kUint64Data):
        return Add(reader.get_uint64());
      default:
        return false;
    }
  }
  uint64_t given() const { return given_; }
  bool complete() const { return given_ == wanted_; }

 private:
  bool Add(uint64_t bits) {
    if (++given_ > wanted_) return true;
    Append(type_, bits, &values_);
    if (type_.bits == 4 && given_ * 2 <= elements_) Append(type_, bits >> 4, &values_);
    return true;
  }
  template <typename Numbers>
  bool AddAll(const Numbers& numbers) {
    for (const auto bits : numbers) Add(bits);
    return true;
  }

  const TypeRow& type_;
  const uint64_t elements_, wanted_;
  uint64_t given_ = 0;
  TensorValues& values_;
};

}  // namespace

Dtype DtypeOf(int64_t data_type) { return RowOf(data_type).dtype; }
int BitsOf(int64_t data_type) { return RowOf(data_type).bits; }

int64_t Elements(const absl::InlinedVector<int64_t, 4>& dims, const std::string& what) {
  if (dims.size() > kMaxRank) {
    throw BadModel(what, fmt::format("{} dimensions; {} are the most", dims.size(), kMaxRank));
  }
  const auto count = ElementCount(dims.data(), dims.size());
  if (!count) throw BadModel(what, "the product of the dimensions is beyond 64 bits");
  return *count;
}

TensorProto ParseTensor(std::string_view message, std::string_view what, const ExternalData& data,
                        const char** place) {
  TensorProto tensor;
  tensor.message = message;
  absl::InlinedVector<std::string_view, 3> external;
  ForEachField(message, place, [&](uint32_t tag, pbf_reader& reader) {
    switch (tag) {
      case Varint(1):
        tensor.dims.push_back(reader.get_int64());
        return true;
      case Bytes(1):
        for (const int64_t dim : reader.get_packed_int64()) tensor.dims.push_back(dim);
        return true;
      case Varint(2):
        tensor.data_type = reader.get_int64();
        return true;
      case Bytes(8):
        tensor.name = pbf::View(reader);
        return true;
      case Bytes(9):
        tensor.raw_data = pbf::View(reader);
        tensor.has_raw_data = true;
        return true;
      case Bytes(13):
        external.push_back(pbf::View(reader));
        return true;
      case Varint(14):
        tensor.is_external = reader.get_int64() == 1;
        return true;
      default:
        return false;
    }
  });
  const std::string name = NameOf(what, tensor.name);
  const auto negative =
      std::find_if(tensor.dims.begin(), tensor.dims.end(), [](int64_t dim) { return dim < 0; });
  if (negative != tensor.dims.end()) {
    throw BadModel(name, fmt::format("dimension {} is negative", *negative));
  }
  tensor.elements = Elements(tensor.dims, name);
  if (tensor.is_external) {
    for (const std::string_view entry : external) ParseExternal(entry, name, place, &tensor);
    const std::string problem = CheckExternalLocation(tensor.location, !data.given.empty());
    if (!problem.empty()) throw BadModel(name, problem);
  }
  const TypeRow& type = RowOf(tensor.data_type);
  if (tensor.has_raw_data && !tensor.is_external && type.form != Form::kNone &&
      !tensor.raw_data.empty()) {
    // Compared in the number of elements: the number of bytes could overflow.
    const uint64_t have = type.bits == 4 ? uint64_t{tensor.raw_data.size()} * 2
                                         : tensor.raw_data.size() / (type.bits / 8);
    const auto want = static_cast<uint64_t>(tensor.elements);
    if (have != want && !(type.bits == 4 && have == want + 1)) {
      throw BadModel(name, fmt::format("{} bytes of data for {} elements of {} bits",
                                       tensor.raw_data.size(), want, type.bits));
    }
  }
  return tensor;
}

bool ShouldKeep(const TensorProto& tensor, Keep keep) {
  const TypeRow& type = RowOf(tensor.data_type);
  if (type.form == Form::kNone) return false;
  if (keep == Keep::kAll) return tensor.elements <= kMaxEncodingValues;
  const bool is_float = type.form == Form::kFloat || type.form == Form::kBfloat16;
  const bool is_short = tensor.dims.size() <= 1 || (!is_float && type.bits != 16);
  return tensor.elements <= (is_short ? kMaxKeptValues : kMaxFewValues);
}

std::shared_ptr<const TensorValues> Values(const TensorProto& tensor, std::string_view what,
                                           const ExternalData& data, const char** place,
                                           std::string* problem) {
  const TypeRow& type = RowOf(tensor.data_type);
  if (type.form == Form::kNone || tensor.elements > kMaxEncodingValues) return nullptr;
  auto values = std::make_shared<TensorValues>();
  if (tensor.elements == 0) return values;
  const size_t bytes = RawBytes(type, tensor.elements);
  if (tensor.is_external) {
    if (data.directory.empty()) return nullptr;
    if (tensor.length >= 0 && static_cast<uint64_t>(tensor.length) != bytes) {
      throw BadModel(NameOf(what, tensor.name),
                     fmt::format("external data of {} bytes for {} elements of {} bits",
                                 tensor.length, tensor.elements, type.bits));
    }
    const auto raw = ReadExternal(data, tensor.location, tensor.offset, bytes, problem);
    if (!raw) return nullptr;
    AppendRaw(type, *raw, tensor.elements, values.get());
    return values;
  }
  if (tensor.has_raw_data && !tensor.raw_data.empty()) {
    AppendRaw(type, tensor.raw_data, tensor.elements, values.get());
    return values;
  }
  TypedValues typed(type, tensor.elements, *values);
  ForEachField(tensor.message, place,
               [&](uint32_t tag, pbf_reader& reader) { return typed.Read(tag, reader); });
  if (typed.given() == 0) return nullptr;  // a model stripped of its data
  if (!typed.complete()) {
    throw BadModel(NameOf(what, tensor.name),
                   fmt::format("{} values for {} elements", typed.given(), tensor.elements));
  }
  return values;
}

std::optional<std::pair<double, double>> StoredRange(
    const TensorProto& tensor, const ExternalData& data, const char** place,
    const std::function<void(std::string_view)>& done) {
  if (tensor.elements == 0 || tensor.elements > std::numeric_limits<int64_t>::max() / 2) {
    return std::nullopt;
  }
  switch (RowOf(tensor.data_type).dtype) {
    case Dtype::kInt16:
      return RangeOf<int16_t>(tensor, data, place, done);
    case Dtype::kUint16:
      return RangeOf<uint16_t>(tensor, data, place, done);
    default:
      return std::nullopt;
  }
}

}  // namespace quantgate::onnx
