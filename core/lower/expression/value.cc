#include "core/lower/expression/value.h"

#include <cmath>

namespace quantgate::mapping {
namespace {

std::optional<int64_t> Whole(double d) {
  // 2^53: above it not every integer is a double.
  if (!(std::abs(d) <= 9007199254740992.0) || d != std::floor(d)) return std::nullopt;
  return static_cast<int64_t>(d);
}

}  // namespace

bool Value::True() const {
  switch (type) {
    case Type::kNull:
      return false;
    case Type::kInt:
      return integer != 0;
    case Type::kReal:
      return real != 0;
    case Type::kText:
      return !text.empty();
    case Type::kInts:
      return !ints.empty();
    case Type::kReals:
      return !reals.empty();
    case Type::kPort:
      return true;
  }
  return false;
}

std::optional<int64_t> Value::AsInt() const {
  if (type == Type::kInt) return integer;
  if (type == Type::kReal) return Whole(real);
  if (type == Type::kInts && ints.size() == 1) return ints[0];
  if (type == Type::kReals && reals.size() == 1) return Whole(reals[0]);
  return std::nullopt;
}

std::optional<double> Value::AsReal() const {
  if (type == Type::kReal) return real;
  if (type == Type::kReals && reals.size() == 1) return reals[0];
  if (type == Type::kInt) return static_cast<double>(integer);
  if (type == Type::kInts && ints.size() == 1) return static_cast<double>(ints[0]);
  return std::nullopt;
}

std::optional<Ints> Value::AsInts() const {
  if (type == Type::kInts) return ints;
  if (type == Type::kInt) return Ints{integer};
  if (type == Type::kReals) {
    Ints result;
    for (const double d : reals) {
      const std::optional<int64_t> whole = Whole(d);
      if (!whole) return std::nullopt;
      result.push_back(*whole);
    }
    return result;
  }
  return std::nullopt;
}

bool Value::Equals(const Value& other) const {
  if (null() || other.null()) return null() == other.null();
  if (type == Type::kText || other.type == Type::kText) {
    return type == other.type && text == other.text;
  }
  if (type == Type::kInts && other.type == Type::kInts) return ints == other.ints;
  if (type == Type::kReals && other.type == Type::kReals) return reals == other.reals;
  const std::optional<double> a = AsReal(), b = other.AsReal();
  return a && b && *a == *b;
}

}  // namespace quantgate::mapping
