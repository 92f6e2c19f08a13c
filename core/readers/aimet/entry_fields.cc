#include "core/readers/aimet/entry_fields.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>

#include "core/base/nearest.h"
#include "core/base/text.h"

namespace quantgate::aimet {
namespace {

constexpr int64_t kInt32Min = std::numeric_limits<int32_t>::min();
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxNesting = 8;  // dimensions of a weight

constexpr std::array<std::string_view, 5> kEncodingTypes = {"PER_TENSOR", "PER_CHANNEL",
                                                            "PER_BLOCK", "LPBQ", "VECTOR"};
constexpr size_t kVector = 4;

}  // namespace

bool EntryFields::One(Value value, int64_t* out) {
  return json_.Int(value, kInt64Min, kInt64Max, out);
}

template <typename T>
bool EntryFields::Number(Value value, Numbers<T>* out) {
  out->given = true;
  out->values.emplace_back();
  return One(value, &out->values.back());
}

template <typename T>
bool EntryFields::ReadNumbers(Value value, Numbers<T>* out) {
  if (out->given) return json_.Fail(value, "given twice");
  out->given = true;
  return ReadLevel(value, 0, out);
}

template <typename T>
bool EntryFields::ReadLevel(Value value, size_t level, Numbers<T>* out) {
  JsonType type;
  if (!json_.TypeOf(value, &type)) return false;
  if (type != JsonType::kArray) {
    if (level != out->dims.size()) return json_.Fail(value, "the lists differ in depth");
    out->values.emplace_back();
    return One(value, &out->values.back());
  }
  if (level == kMaxNesting) return json_.Fail(value, "lists within lists, more than 8 deep");
  const bool known = level < out->dims.size();
  // Depth is settled by the first number.
  if (!known && !out->values.empty()) return json_.Fail(value, "the lists differ in depth");
  if (!known) out->dims.push_back(0);
  const size_t offset = json_.OffsetOf(value);
  int64_t count = 0;
  const bool ok = json_.Array(value, [&](Value item) {
    ++count;
    return ReadLevel(item, level + 1, out);
  });
  if (!ok) return false;
  if (!known) {
    out->dims[level] = count;
  } else if (out->dims[level] != count) {
    return json_.FailAt(offset,
                        fmt::format("a list of {} beside one of {}", count, out->dims[level]));
  }
  return true;
}

bool EntryFields::ReadChannel(Value value, RawEntry* raw) {
  return json_.Map(value, [&](std::string_view key, Value v, size_t) {
    if (key == "scale") return Number(v, &raw->scales);
    if (key == "offset") return Number(v, &raw->offsets);
    if (key == "min") return Number(v, &raw->minima);
    if (key == "max") return Number(v, &raw->maxima);
    if (key == "bitwidth") return SameInt(v, "bitwidth", &raw->bitwidth);
    if (key == "is_symmetric") return Flag(v, &raw->symmetric);
    if (key == "dtype") return json_.String(v, &raw->dtype);
    unknown_.Add(key);
    return json_.Pass(v);
  });
}

bool EntryFields::ReadEntry(Value value, RawEntry* raw, Version* form) {
  return json_.Map(value, [&](std::string_view key, Value v, size_t) {
    if (key == "name") return json_.String(v, &raw->name);
    if (key == "block_size") return BlockSize(v, raw);
    if (key == "per_block_int_scale") return ReadNumbers(v, &raw->factors);
    return *form == Version::k100 ? ReadListField(key, v, raw)
                                  : ReadPlainField(key, v, raw, form);
  });
}

bool EntryFields::ReadListField(std::string_view key, Value v, RawEntry* raw) {
  if (key == "scale") return ReadNumbers(v, &raw->scales);
  if (key == "offset") return ReadNumbers(v, &raw->offsets);
  if (key == "dtype") return json_.String(v, &raw->dtype);
  if (key == "bw") return SameInt(v, "bw", &raw->bitwidth);
  if (key == "compressed_bw") return SameInt(v, "compressed_bw", &raw->compressed_bitwidth);
  if (key == "is_sym") return Flag(v, &raw->symmetric);
  if (key == "enc_type") return EncodingType(v, &raw->enc_type);
  if (key == "zero_point_shift") return Shift(v);
  if (key == "output_dtype" || key == "y_scale" || key == "y_zero_point") foreign_fields_ = true;
  unknown_.Add(key);
  return json_.Pass(v);
}

bool EntryFields::ReadPlainField(std::string_view key, Value v, RawEntry* raw, Version* form) {
  if (key == "output_dtype") return json_.String(v, &raw->dtype);
  if (key == "y_scale") return ReadScale(v, raw, form);
  if (key == "per_channel_float_scale") return ReadNumbers(v, &raw->scales);
  if (key == "y_zero_point") return ReadNumbers(v, &raw->offsets);
  if (key == "axis") return Axis(v, &raw->axis);
  if (key == "scale" || key == "offset" || key == "bw") foreign_fields_ = true;
  unknown_.Add(key);
  return json_.Pass(v);
}

bool EntryFields::ReadScale(Value v, RawEntry* raw, Version* form) {
  JsonType type;
  if (!json_.TypeOf(v, &type)) return false;
  if (type != JsonType::kObject) return ReadNumbers(v, &raw->scales);
  *form = Version::k210;
  return json_.Map(v, [&](std::string_view inner, Value field, size_t) {
    if (inner == "x") return ReadNumbers(field, &raw->factors);
    if (inner == "x_scale") return ReadNumbers(field, &raw->scales);
    if (inner == "x_zero_point") return ReadZeroes(field);
    if (inner == "axis") return Axis(field, &raw->factors_axis);
    // Of the factors: implied by their values.
    if (inner == "input_dtype" || inner == "block_size") return json_.Pass(field);
    unknown_.Add(inner);
    return json_.Pass(field);
  });
}

bool EntryFields::Flag(Value value, std::optional<bool>* out) {
  JsonType type;
  if (!json_.TypeOf(value, &type)) return false;
  bool flag = false;
  if (type == JsonType::kString) {
    const size_t offset = json_.OffsetOf(value);
    std::string_view text;
    if (!json_.String(value, &text)) return false;
    flag = text == "True" || text == "true";
    if (!flag && text != "False" && text != "false") {
      return json_.FailAt(offset,
                          fmt::format("{} is neither \"True\" nor \"False\"", Quoted(text)));
    }
  } else if (!json_.Bool(value, &flag)) {
    return false;
  }
  *out = flag;
  return true;
}

bool EntryFields::SameInt(Value value, std::string_view name, std::optional<int64_t>* out) {
  const size_t offset = json_.OffsetOf(value);
  int64_t number = 0;
  if (!json_.Int(value, 0, kInt32Max, &number)) return false;
  if (*out && **out != number) {
    return json_.FailAt(offset,
                        fmt::format("{} {} in one channel, {} in another", name, number, **out));
  }
  *out = number;
  return true;
}

bool EntryFields::Axis(Value value, std::optional<int32_t>* out) {
  int64_t number = 0;
  if (!json_.Int(value, kInt32Min, kInt32Max, &number)) return false;
  *out = static_cast<int32_t>(number);
  return true;
}

bool EntryFields::BlockSize(Value value, RawEntry* raw) {
  const size_t offset = json_.OffsetOf(value);
  Numbers<int64_t> sizes;
  if (!ReadNumbers(value, &sizes)) return false;
  int64_t block = 0;
  for (size_t i = 0; i < sizes.values.size(); ++i) {
    if (sizes.values.size() > 1 && sizes.values[i] <= 1) continue;
    if (block != 0) return json_.FailAt(offset, "blocks along two axes are not known");
    block = sizes.values[i];
    if (sizes.values.size() > 1) raw->axis = static_cast<int32_t>(i);
  }
  raw->block = block;
  return true;
}

bool EntryFields::EncodingType(Value value, std::string* out) {
  const size_t offset = json_.OffsetOf(value);
  if (!json_.String(value, out)) return false;
  const auto known = std::find(kEncodingTypes.begin(), kEncodingTypes.end(), *out);
  if (known == kEncodingTypes.end()) {
    return json_.FailAt(offset, fmt::format("unknown enc_type {}{}", Quoted(*out),
                                            out->size() < 64 ? DidYouMeanOf(*out, kEncodingTypes)
                                                             : std::string()));
  }
  if (known == kEncodingTypes.begin() + kVector) {
    return json_.FailAt(offset, "vector quantization has no QNN encoding");
  }
  return true;
}

bool EntryFields::Shift(Value value) {
  const size_t offset = json_.OffsetOf(value);
  Numbers<double> numbers;
  if (!ReadNumbers(value, &numbers)) return false;
  const bool zero = std::all_of(numbers.values.begin(), numbers.values.end(),
                                [](double number) { return number == 0; });
  return zero || json_.FailAt(offset, "a zero point between two steps has no QNN encoding");
}

bool EntryFields::ReadZeroes(Value value) {
  const size_t offset = json_.OffsetOf(value);
  Numbers<int64_t> numbers;
  if (!ReadNumbers(value, &numbers)) return false;
  const bool zero = std::all_of(numbers.values.begin(), numbers.values.end(),
                                [](int64_t number) { return number == 0; });
  return zero || json_.FailAt(offset, "the factors of blocks have a zero point other than 0");
}

}  // namespace quantgate::aimet
