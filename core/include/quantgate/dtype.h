// Datatypes of the QNN backends.
//
// Names are those of QNN without the QNN_DATATYPE_ prefix. Plain integers (UINT_8)
// and fixed-point types (UFIXED_POINT_8) differ: the latter carry an encoding.
// Numbers come from the public QNN header (QnnTypes.h, SDK 2.25).
#ifndef QUANTGATE_DTYPE_H_
#define QUANTGATE_DTYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// The order is internal (bit positions in dtype sets); QnnValue() gives QNN's number.
enum class Dtype : uint8_t {
  kUndefined = 0,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kSfixedPoint4,
  kSfixedPoint8,
  kSfixedPoint16,
  kSfixedPoint32,
  kUfixedPoint4,
  kUfixedPoint8,
  kUfixedPoint16,
  kUfixedPoint32,
  kBool8,
  kString,
};
inline constexpr int kDtypeCount = 22;

enum class DtypeClass : uint8_t { kNone, kInt, kUint, kFloat, kSfixed, kUfixed, kBool, kString };

// "UFIXED_POINT_8"; "UNDEFINED" for kUndefined.
std::string_view DtypeName(Dtype dtype);
// "U8", "S32", "F16", "I32", "UI8", "B8": as the files of the database and tables write them.
// U and S are fixed-point types, I and UI plain integers. "-" for kUndefined.
std::string_view DtypeShortName(Dtype dtype);
// Exact names only; nothing for "-".
std::optional<Dtype> DtypeFromShortName(std::string_view name);
// Exact names only.
std::optional<Dtype> DtypeFromName(std::string_view name);
// QNN_DATATYPE_* number, e.g. 0x0408 for UFIXED_POINT_8.
uint32_t QnnValue(Dtype dtype);
std::optional<Dtype> DtypeFromQnnValue(uint32_t value);

DtypeClass ClassOf(Dtype dtype);
// Storage bits; 0 for STRING and UNDEFINED.
int BitsOf(Dtype dtype);
// True for SFIXED_POINT_* and UFIXED_POINT_*.
bool IsFixedPoint(Dtype dtype);
bool IsFloat(Dtype dtype);
// Smallest and largest stored value of an integer, fixed-point or bool type with
// `bitwidth` significant bits (0 = the storage bits).
int64_t StoredMin(Dtype dtype, int bitwidth = 0);
int64_t StoredMax(Dtype dtype, int bitwidth = 0);
// The zero point that makes a fixed-point type symmetric: 0 for signed types,
// 2^(bits-1) for unsigned ones (128 for UFIXED_POINT_8, 32768 for UFIXED_POINT_16).
int64_t SymmetricZeroPoint(Dtype dtype, int bitwidth = 0);

// A set of dtypes as a bit mask, bit = Dtype value.
using DtypeMask = uint32_t;
constexpr DtypeMask MaskOf(Dtype dtype) { return DtypeMask{1} << static_cast<int>(dtype); }

}  // namespace quantgate

#endif  // QUANTGATE_DTYPE_H_
