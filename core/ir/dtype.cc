#include "quantgate/dtype.h"

#include <algorithm>
#include <array>

namespace quantgate {
namespace {

struct Row {
  std::string_view name;
  std::string_view short_name;
  uint32_t value;  // QNN_DATATYPE_*, QnnTypes.h of SDK 2.25
  DtypeClass cls;
  int bits;
};

constexpr std::array<Row, kDtypeCount> kRows = {{
    {"UNDEFINED", "-", 0x7FFFFFFF, DtypeClass::kNone, 0},
    {"INT_8", "I8", 0x0008, DtypeClass::kInt, 8},
    {"INT_16", "I16", 0x0016, DtypeClass::kInt, 16},
    {"INT_32", "I32", 0x0032, DtypeClass::kInt, 32},
    {"INT_64", "I64", 0x0064, DtypeClass::kInt, 64},
    {"UINT_8", "UI8", 0x0108, DtypeClass::kUint, 8},
    {"UINT_16", "UI16", 0x0116, DtypeClass::kUint, 16},
    {"UINT_32", "UI32", 0x0132, DtypeClass::kUint, 32},
    {"UINT_64", "UI64", 0x0164, DtypeClass::kUint, 64},
    {"FLOAT_16", "F16", 0x0216, DtypeClass::kFloat, 16},
    {"FLOAT_32", "F32", 0x0232, DtypeClass::kFloat, 32},
    {"FLOAT_64", "F64", 0x0264, DtypeClass::kFloat, 64},
    {"SFIXED_POINT_4", "S4", 0x0304, DtypeClass::kSfixed, 4},
    {"SFIXED_POINT_8", "S8", 0x0308, DtypeClass::kSfixed, 8},
    {"SFIXED_POINT_16", "S16", 0x0316, DtypeClass::kSfixed, 16},
    {"SFIXED_POINT_32", "S32", 0x0332, DtypeClass::kSfixed, 32},
    {"UFIXED_POINT_4", "U4", 0x0404, DtypeClass::kUfixed, 4},
    {"UFIXED_POINT_8", "U8", 0x0408, DtypeClass::kUfixed, 8},
    {"UFIXED_POINT_16", "U16", 0x0416, DtypeClass::kUfixed, 16},
    {"UFIXED_POINT_32", "U32", 0x0432, DtypeClass::kUfixed, 32},
    {"BOOL_8", "B8", 0x0508, DtypeClass::kBool, 8},
    {"STRING", "STR", 0x0608, DtypeClass::kString, 0},
}};

const Row& RowOf(Dtype dtype) { return kRows[static_cast<size_t>(dtype)]; }

bool IsSignedInteger(Dtype dtype) {
  return ClassOf(dtype) == DtypeClass::kInt || ClassOf(dtype) == DtypeClass::kSfixed;
}

}  // namespace

std::string_view DtypeName(Dtype dtype) { return RowOf(dtype).name; }
std::string_view DtypeShortName(Dtype dtype) { return RowOf(dtype).short_name; }

std::optional<Dtype> DtypeFromName(std::string_view name) {
  const auto it =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
  if (it == kRows.end()) return std::nullopt;
  return static_cast<Dtype>(it - kRows.begin());
}

std::optional<Dtype> DtypeFromShortName(std::string_view name) {
  const auto it = std::find_if(kRows.begin() + 1, kRows.end(),
                               [&](const Row& r) { return r.short_name == name; });
  if (it == kRows.end()) return std::nullopt;
  return static_cast<Dtype>(it - kRows.begin());
}

uint32_t QnnValue(Dtype dtype) { return RowOf(dtype).value; }

std::optional<Dtype> DtypeFromQnnValue(uint32_t value) {
  const auto it =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.value == value; });
  if (it == kRows.end()) return std::nullopt;
  return static_cast<Dtype>(it - kRows.begin());
}

DtypeClass ClassOf(Dtype dtype) { return RowOf(dtype).cls; }
int BitsOf(Dtype dtype) { return RowOf(dtype).bits; }

bool IsFixedPoint(Dtype dtype) {
  return ClassOf(dtype) == DtypeClass::kSfixed || ClassOf(dtype) == DtypeClass::kUfixed;
}

bool IsFloat(Dtype dtype) { return ClassOf(dtype) == DtypeClass::kFloat; }

int64_t StoredMin(Dtype dtype, int bitwidth) {
  const int bits = bitwidth > 0 ? bitwidth : BitsOf(dtype);
  if (!IsSignedInteger(dtype) || bits <= 0) return 0;
  return bits >= 64 ? INT64_MIN : -(int64_t{1} << (bits - 1));
}

int64_t StoredMax(Dtype dtype, int bitwidth) {
  const int bits = bitwidth > 0 ? bitwidth : BitsOf(dtype);
  if (ClassOf(dtype) == DtypeClass::kBool) return 1;
  if (bits <= 0) return 0;
  if (IsSignedInteger(dtype)) return bits >= 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
  return bits >= 63 ? INT64_MAX : (int64_t{1} << bits) - 1;
}

int64_t SymmetricZeroPoint(Dtype dtype, int bitwidth) {
  if (ClassOf(dtype) != DtypeClass::kUfixed) return 0;
  const int bits = bitwidth > 0 ? bitwidth : BitsOf(dtype);
  return int64_t{1} << (bits - 1);
}

}  // namespace quantgate
