#include "core/lower/expression/encoding_functions.h"

#include <algorithm>
#include <optional>

#include "core/ir/encoding_math.h"

namespace quantgate::mapping {

PortFacts FactsOf(const Scope& scope, const Value& v) {
  return v.type == Value::Type::kPort ? scope.Port(v.integer) : PortFacts{};
}

Value StoredBits(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  if (port.encoding == nullptr) return Value::Null();
  return Value::Int(port.encoding->bitwidth > 0 ? port.encoding->bitwidth : BitsOf(port.stored));
}
Value StoredDtype(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  return port.encoding == nullptr ? Value::Null() : Value::Text(DtypeName(port.stored));
}
Value IsPerChannel(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  return Value::Int(port.encoding != nullptr && port.encoding->kind == EncodingKind::kPerChannel);
}
Value BlockSize(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  const std::optional<int64_t> axis = a[1].AsInt();
  if (port.encoding == nullptr || !axis || *axis < 0 ||
      *axis >= static_cast<int64_t>(port.encoding->block_size.size())) {
    return Value::Int(0);
  }
  return Value::Int(port.encoding->block_size[static_cast<size_t>(*axis)]);
}
Value Offset(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  if (port.encoding == nullptr) return Value::Int(0);
  const auto& points = port.encoding->zero_points;
  return Value::Int(std::any_of(points.begin(), points.end(), [](int32_t z) { return z != 0; }));
}
Value IsQuantized(const Scope& s, Args a) { return Value::Int(FactsOf(s, a[0]).quantized); }

namespace {

// One scale and one zero point, with the integers that fit.
struct Steps {
  double scale, zero, least, most;
};

std::optional<Steps> StepsOf(const PortFacts& port) {
  if (port.encoding == nullptr || port.encoding->kind != EncodingKind::kPerTensor ||
      port.encoding->scales.size() != 1 || !IsFixedPoint(port.stored)) {
    return std::nullopt;
  }
  const Encoding& encoding = *port.encoding;
  if (!(encoding.scales[0] > 0)) return std::nullopt;
  return Steps{encoding.scales[0], encoding.zero_points.empty() ? 0.0 : encoding.zero_points[0],
               static_cast<double>(StoredMin(port.stored, encoding.bitwidth)),
               static_cast<double>(StoredMax(port.stored, encoding.bitwidth))};
}

}  // namespace

Value Lowest(const Scope& s, Args a) {
  const std::optional<Steps> steps = StepsOf(FactsOf(s, a[0]));
  return steps ? Value::Real((steps->least - steps->zero) * steps->scale) : Value::Null();
}

Value Highest(const Scope& s, Args a) {
  const std::optional<Steps> steps = StepsOf(FactsOf(s, a[0]));
  return steps ? Value::Real((steps->most - steps->zero) * steps->scale) : Value::Null();
}

Value Zeros(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  const std::optional<Steps> steps = StepsOf(port);
  if (!steps) return Value::Int(0);
  if (port.value_range != nullptr) {
    return Value::Int(port.value_range->first == steps->zero &&
                      port.value_range->second == steps->zero);
  }
  if (port.values == nullptr) return Value::Int(0);
  const auto all = [](const auto& numbers, double wanted) {
    return std::all_of(numbers.begin(), numbers.end(),
                       [wanted](auto number) { return static_cast<double>(number) == wanted; });
  };
  const TensorValues& values = *port.values;
  if (!values.ints.empty()) return Value::Int(all(values.ints, steps->zero));
  return Value::Int(!values.reals.empty() && all(values.reals, 0));
}

Value Number(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  const std::optional<Steps> steps = StepsOf(port);
  if (!steps || port.values == nullptr) return Value::Null();
  const TensorValues& values = *port.values;
  if (values.ints.size() == 1) {
    return Value::Real((static_cast<double>(values.ints[0]) - steps->zero) * steps->scale);
  }
  return values.reals.size() == 1 ? Value::Real(values.reals[0]) : Value::Null();
}

Value StoredAs(const Scope& s, Args a) {
  const PortFacts port = FactsOf(s, a[0]);
  const std::optional<double> number = a[1].AsReal();
  if (!StepsOf(port) || !number) return Value::Null();
  return Value::Real(StoredReal(*number, *port.encoding, port.stored));
}

}  // namespace quantgate::mapping
