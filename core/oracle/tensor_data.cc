#include "core/oracle/tensor_data.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace quantgate::verify {
namespace {

template <typename T>
void Append(std::vector<uint8_t>& bytes, T value) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof(T));
  std::memcpy(bytes.data() + at, &value, sizeof(T));
}

template <typename T>
T Load(const uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

void AppendInteger(std::vector<uint8_t>& bytes, int64_t value, size_t size) {
  const size_t at = bytes.size();
  bytes.resize(at + size);
  std::memcpy(bytes.data() + at, &value, size);  // little-endian hosts only, as the library
}

void AppendFloat(std::vector<uint8_t>& bytes, double value, Dtype dtype) {
  if (dtype == Dtype::kFloat16) {
    Append(bytes, HalfFromFloat(static_cast<float>(value)));
  } else if (dtype == Dtype::kFloat32) {
    Append(bytes, static_cast<float>(value));
  } else {
    Append(bytes, value);
  }
}

}  // namespace

size_t ElementBytes(Dtype dtype) { return static_cast<size_t>((BitsOf(dtype) + 7) / 8); }

std::optional<size_t> ElementCount(const Tensor& tensor, size_t limit) {
  size_t count = 1;
  for (const int64_t dim : tensor.dims) {
    if (dim == 0) return 0;
    if (dim < 0 && dim != kDynamicDim) return std::nullopt;
    const auto size = static_cast<size_t>(dim < 0 ? 1 : dim);
    if (size > limit / count) return std::nullopt;
    count *= size;
  }
  return count;
}

uint16_t HalfFromFloat(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return sign | 0x7E00;
  if (magnitude == 0) return sign;
  if (magnitude >= 65520.0F) return sign | 0x7C00;  // rounds beyond the largest half, 65504
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Halves have 11 significant bits, and 2^-24 is their smallest step.
  const int step = std::max(exponent - 11, -24);
  const auto steps = static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, -step)));
  // Carries into the exponent by itself: the exponent field is step + 24.
  return static_cast<uint16_t>(sign | (steps + (static_cast<uint32_t>(step + 24) << 10)));
}

float FloatFromHalf(uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  const float sign = (half & 0x8000) ? -1.0F : 1.0F;
  if (exponent == 31) return sign * (fraction ? std::nanf("") : HUGE_VALF);
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

std::vector<uint8_t> PackValues(const TensorValues& values, Dtype dtype, size_t count) {
  const size_t size = ElementBytes(dtype);
  std::vector<uint8_t> bytes;
  bytes.reserve(count * size);
  const bool reals = values.ints.empty();
  const size_t given = reals ? values.reals.size() : values.ints.size();
  for (size_t i = 0; i < std::min(count, given == 1 ? count : given); ++i) {
    const size_t at = given == 1 ? 0 : i;
    if (IsFloat(dtype)) {
      AppendFloat(bytes, reals ? values.reals[at] : static_cast<double>(values.ints[at]), dtype);
    } else {
      const double real = reals ? values.reals[at] : 0;
      const bool fits = std::fabs(real) < 9e18;  // below 2^63
      AppendInteger(bytes, reals ? (fits ? static_cast<int64_t>(real) : 0) : values.ints[at], size);
    }
  }
  bytes.resize(count * size);
  return bytes;
}

// 32 bits hold biases: what is added to a sum of some hundred products of 8 bits. Over the whole
// range they would leave nothing of it, and overflow where their scale isn't that of the products.
constexpr int64_t kMostAdded = int64_t{1} << 18;

std::vector<uint8_t> RandomValues(const Tensor& tensor, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint8_t> bytes;
  const size_t size = ElementBytes(tensor.dtype);
  bytes.reserve(count * size);
  const bool lpbq = tensor.encoding->kind == EncodingKind::kLpbq;
  const int bits = lpbq ? 4 : std::clamp(tensor.encoding->bitwidth, 0, BitsOf(tensor.dtype));
  // mt19937_64 is the same everywhere; the standard's distributions are not.
  for (size_t i = 0; i < count; ++i) {
    const uint64_t drawn = random();
    if (IsFloat(tensor.dtype)) {
      AppendFloat(bytes, std::ldexp(static_cast<double>(drawn >> 11), -52) - 1.0, tensor.dtype);
    } else if (IsFixedPoint(tensor.dtype)) {
      const bool wide = BitsOf(tensor.dtype) >= 32;
      const int64_t low =
          wide ? std::max(-kMostAdded, StoredMin(tensor.dtype, bits)) : StoredMin(tensor.dtype, bits);
      const int64_t high =
          wide ? std::min(kMostAdded, StoredMax(tensor.dtype, bits)) : StoredMax(tensor.dtype, bits);
      const auto span = static_cast<uint64_t>(high - low) + 1;
      AppendInteger(bytes, low + static_cast<int64_t>(drawn % span), size);
    } else {
      AppendInteger(bytes, static_cast<int64_t>(drawn & 1), size);
    }
  }
  return bytes;
}

TensorValues UnpackValues(const std::vector<uint8_t>& bytes, Dtype dtype) {
  TensorValues values;
  const size_t size = ElementBytes(dtype);
  if (size == 0) return values;
  const bool is_signed =
      ClassOf(dtype) == DtypeClass::kInt || ClassOf(dtype) == DtypeClass::kSfixed;
  for (const uint8_t* at = bytes.data(); at + size <= bytes.data() + bytes.size(); at += size) {
    switch (dtype) {
      case Dtype::kFloat16:
        values.reals.push_back(FloatFromHalf(Load<uint16_t>(at)));
        continue;
      case Dtype::kFloat32:
        values.reals.push_back(Load<float>(at));
        continue;
      case Dtype::kFloat64:
        values.reals.push_back(Load<double>(at));
        continue;
      default:
        break;
    }
    uint64_t raw = 0;
    std::memcpy(&raw, at, size);
    const int unused = 64 - 8 * static_cast<int>(size);
    values.ints.push_back(is_signed ? static_cast<int64_t>(raw << unused) >> unused
                                    : static_cast<int64_t>(raw));
  }
  return values;
}

}  // namespace quantgate::verify
