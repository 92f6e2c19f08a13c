#include "quantgate/model.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>

namespace quantgate {
namespace {
constexpr std::array<std::string_view, 4> kDialects = {"qnn", "onnx", "aten", "tflite"};
}  // namespace

std::string_view DialectName(Dialect dialect) { return kDialects[static_cast<size_t>(dialect)]; }

std::optional<Dialect> DialectFromName(std::string_view name) {
  const auto it = std::find(kDialects.begin(), kDialects.end(), name);
  if (it == kDialects.end()) return std::nullopt;
  return static_cast<Dialect>(it - kDialects.begin());
}

const Param* Node::FindParam(std::string_view param_name) const {
  const auto it = std::find_if(params.begin(), params.end(),
                               [&](const Param& p) { return p.name == param_name; });
  return it == params.end() ? nullptr : &*it;
}

namespace {

// Calls `use` with the integers of a value, if it has any; what it returns, or nothing.
template <typename Use>
auto WithInts(const ParamValue& value, Use&& use) {
  using Result = decltype(use(std::span<const int64_t>()));
  return std::visit(
      [&](const auto& v) -> Result {
        using T = std::decay_t<decltype(v)>;
        const auto one = [&](int64_t n) { return use(std::span<const int64_t>(&n, 1)); };
        if constexpr (std::is_same_v<T, IntParam>) {
          return one(v.value);
        } else if constexpr (std::is_same_v<T, UintParam>) {
          return one(static_cast<int64_t>(v.value));
        } else if constexpr (std::is_same_v<T, bool>) {
          return one(v ? 1 : 0);
        } else if constexpr (std::is_same_v<T, TensorParam>) {
          return v.reals.empty() ? use(std::span<const int64_t>(v.ints)) : Result{};
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          return use(std::span<const int64_t>(v));
        } else {
          return Result{};
        }
      },
      value);
}

}  // namespace

std::optional<std::vector<int64_t>> IntsOf(const ParamValue& value) {
  return WithInts(value, [](std::span<const int64_t> ints) {
    return std::optional(std::vector<int64_t>(ints.begin(), ints.end()));
  });
}

std::optional<int64_t> IntOf(const ParamValue& value) {
  return WithInts(value, [](std::span<const int64_t> ints) {
    return ints.size() == 1 ? std::optional(ints[0]) : std::nullopt;
  });
}

std::optional<double> RealOf(const ParamValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* tensor = std::get_if<TensorParam>(&value); tensor && tensor->reals.size() == 1) {
    return tensor->reals[0];
  }
  if (const auto number = IntOf(value)) return static_cast<double>(*number);
  return std::nullopt;
}

}  // namespace quantgate
