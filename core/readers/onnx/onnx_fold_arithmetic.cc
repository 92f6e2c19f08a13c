// Operators that compute every element from those at its place, and those that make elements from
// a few numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/readers/onnx/onnx_fold.h"

namespace quantgate::onnx::fold {
namespace {

using Ints = std::vector<int64_t>;
// Of one element; nullopt where the result is not exact.
using IntResult = std::optional<int64_t>;

bool Fits(int64_t value, Dtype dtype) {
  switch (dtype) {
    case Dtype::kBool8:
      return value == 0 || value == 1;
    case Dtype::kInt32:
      return value >= std::numeric_limits<int32_t>::min() &&
             value <= std::numeric_limits<int32_t>::max();
    default:
      return true;
  }
}

// The element of `input` that is broadcast to element `k` of the output.
int64_t BroadcastIndex(int64_t k, std::span<const int64_t> dims, const Input& input) {
  if (input.count == 1) return 0;
  int64_t index = 0;
  int64_t stride = 1;
  const size_t shift = dims.size() - input.dims.size();
  for (size_t i = dims.size(); i-- > shift;) {
    const int64_t dim = input.dims[i - shift];
    if (dim != 1) index += k % dims[i] * stride;
    stride *= dim;
    k /= dims[i];
  }
  return index;
}

bool Broadcasts(const Input& input, std::span<const int64_t> dims) {
  if (input.values == nullptr || input.dims.size() > dims.size()) return false;
  const size_t shift = dims.size() - input.dims.size();
  for (size_t i = 0; i < input.dims.size(); ++i) {
    if (input.dims[i] != 1 && input.dims[i] != dims[shift + i]) return false;
  }
  return true;
}

// `ints` and `reals` compute an element of the output from one of each input. Reals of FLOAT_32
// are rounded to it.
template <size_t kInputs, typename IntOperation, typename RealOperation>
std::optional<TensorValues> EachElement(const Task& task, IntOperation ints, RealOperation reals) {
  if (task.inputs.size() != kInputs) return std::nullopt;
  for (const Input& input : task.inputs) {
    if (!Broadcasts(input, task.dims) || input.is_real() != task.inputs[0].is_real()) {
      return std::nullopt;
    }
  }
  TensorValues out;
  for (int64_t k = 0; k < task.count; ++k) {
    if (task.inputs[0].is_real()) {
      std::array<double, kInputs> at;
      for (size_t i = 0; i < kInputs; ++i) {
        at[i] = task.inputs[i].Real(BroadcastIndex(k, task.dims, task.inputs[i]));
      }
      const auto result = reals(at);
      if constexpr (std::is_same_v<std::decay_t<decltype(result)>, bool>) {
        out.ints.push_back(result ? 1 : 0);
      } else {
        out.reals.push_back(static_cast<float>(result));
      }
    } else {
      std::array<int64_t, kInputs> at;
      for (size_t i = 0; i < kInputs; ++i) {
        at[i] = task.inputs[i].Int(BroadcastIndex(k, task.dims, task.inputs[i]));
      }
      const IntResult result = ints(at);
      if (!result || !Fits(*result, task.dtype)) return std::nullopt;
      out.ints.push_back(*result);
    }
  }
  return out;
}

using TwoInts = std::array<int64_t, 2>;
using TwoReals = std::array<double, 2>;

std::optional<TensorValues> Add(const Task& task) {
  return EachElement<2>(
      task,
      [](TwoInts x) -> IntResult {
        int64_t r = 0;
        if (__builtin_add_overflow(x[0], x[1], &r)) return std::nullopt;
        return r;
      },
      [](TwoReals x) { return x[0] + x[1]; });
}

std::optional<TensorValues> Subtract(const Task& task) {
  return EachElement<2>(
      task,
      [](TwoInts x) -> IntResult {
        int64_t r = 0;
        if (__builtin_sub_overflow(x[0], x[1], &r)) return std::nullopt;
        return r;
      },
      [](TwoReals x) { return x[0] - x[1]; });
}

std::optional<TensorValues> Multiply(const Task& task) {
  return EachElement<2>(
      task,
      [](TwoInts x) -> IntResult {
        int64_t r = 0;
        if (__builtin_mul_overflow(x[0], x[1], &r)) return std::nullopt;
        return r;
      },
      [](TwoReals x) { return x[0] * x[1]; });
}

bool Divides(TwoInts x) {
  return x[1] != 0 && !(x[1] == -1 && x[0] == std::numeric_limits<int64_t>::min());
}

// Integers are cut towards zero.
std::optional<TensorValues> Divide(const Task& task) {
  return EachElement<2>(
      task,
      [](TwoInts x) -> IntResult { return Divides(x) ? IntResult(x[0] / x[1]) : std::nullopt; },
      [](TwoReals x) { return x[0] / x[1]; });
}

// With the sign of the divisor, or with fmod = 1 that of the dividend.
std::optional<TensorValues> Modulo(const Task& task) {
  const bool truncates = task.Attribute("fmod", 0) != 0;
  return EachElement<2>(
      task,
      [&](TwoInts x) -> IntResult {
        if (!Divides(x)) return std::nullopt;
        const int64_t rest = x[0] % x[1];
        return rest != 0 && !truncates && (rest < 0) != (x[1] < 0) ? rest + x[1] : rest;
      },
      [](TwoReals x) { return std::fmod(x[0], x[1]); });
}

std::optional<TensorValues> Minimum(const Task& task) {
  return EachElement<2>(
      task, [](TwoInts x) -> IntResult { return std::min(x[0], x[1]); },
      [](TwoReals x) { return std::min(x[0], x[1]); });
}

std::optional<TensorValues> Maximum(const Task& task) {
  return EachElement<2>(
      task, [](TwoInts x) -> IntResult { return std::max(x[0], x[1]); },
      [](TwoReals x) { return std::max(x[0], x[1]); });
}

template <typename Comparison>
std::optional<TensorValues> Compare(const Task& task, Comparison compare) {
  return EachElement<2>(
      task, [&](TwoInts x) -> IntResult { return compare(x[0], x[1]) ? 1 : 0; },
      [&](TwoReals x) -> bool { return compare(x[0], x[1]); });
}

std::optional<TensorValues> Equal(const Task& task) { return Compare(task, std::equal_to<>()); }
std::optional<TensorValues> Less(const Task& task) { return Compare(task, std::less<>()); }
std::optional<TensorValues> LessOrEqual(const Task& task) {
  return Compare(task, std::less_equal<>());
}
std::optional<TensorValues> Greater(const Task& task) { return Compare(task, std::greater<>()); }
std::optional<TensorValues> GreaterOrEqual(const Task& task) {
  return Compare(task, std::greater_equal<>());
}

std::optional<TensorValues> And(const Task& task) {
  if (task.inputs[0].is_real()) return std::nullopt;
  return Compare(task, [](auto a, auto b) { return a != 0 && b != 0; });
}
std::optional<TensorValues> Or(const Task& task) {
  if (task.inputs[0].is_real()) return std::nullopt;
  return Compare(task, [](auto a, auto b) { return a != 0 || b != 0; });
}

std::optional<TensorValues> Not(const Task& task) {
  if (task.inputs[0].is_real()) return std::nullopt;
  return EachElement<1>(
      task, [](auto x) -> IntResult { return x[0] == 0 ? 1 : 0; },
      [](auto x) -> bool { return x[0] == 0; });
}

std::optional<TensorValues> Negate(const Task& task) {
  return EachElement<1>(
      task,
      [](auto x) -> IntResult {
        if (x[0] == std::numeric_limits<int64_t>::min()) return std::nullopt;
        return -x[0];
      },
      [](auto x) { return -x[0]; });
}

std::optional<TensorValues> Absolute(const Task& task) {
  return EachElement<1>(
      task,
      [](auto x) -> IntResult {
        if (x[0] == std::numeric_limits<int64_t>::min()) return std::nullopt;
        return x[0] < 0 ? -x[0] : x[0];
      },
      [](auto x) { return std::abs(x[0]); });
}

template <typename Function>
std::optional<TensorValues> OfReals(const Task& task, Function function) {
  return EachElement<1>(
      task, [](auto) -> IntResult { return std::nullopt; },
      [&](auto x) -> double { return function(x[0]); });
}

std::optional<TensorValues> Floor(const Task& task) {
  return OfReals(task, [](double x) { return std::floor(x); });
}
std::optional<TensorValues> Ceil(const Task& task) {
  return OfReals(task, [](double x) { return std::ceil(x); });
}
// Halves to the even neighbour.
std::optional<TensorValues> Round(const Task& task) {
  return OfReals(task, [](double x) { return std::nearbyint(x); });
}
std::optional<TensorValues> SquareRoot(const Task& task) {
  return OfReals(task, [](double x) { return std::sqrt(x); });
}

// Reals are cut towards zero; what does not fit is left to the runtime.
IntResult Whole(double x) {
  if (!(x > -0x1p63 && x < 0x1p63)) return std::nullopt;
  return static_cast<int64_t>(x);
}

std::optional<TensorValues> Cast(const Task& task) {
  const Input& input = task.inputs[0];
  if (input.count != task.count) return std::nullopt;
  TensorValues out;
  for (int64_t k = 0; k < task.count; ++k) {
    if (IsFloat(task.dtype)) {
      out.reals.push_back(static_cast<float>(input.Real(k)));
      continue;
    }
    IntResult value;
    if (task.dtype == Dtype::kBool8) {
      value = input.Real(k) != 0 ? 1 : 0;
    } else {
      value = input.is_real() ? Whole(input.Real(k)) : input.Int(k);
    }
    if (!value || !Fits(*value, task.dtype)) return std::nullopt;
    out.ints.push_back(*value);
  }
  return out;
}

// The shape that it takes is that of the output already.
std::optional<TensorValues> ConstantOfShape(const Task& task) {
  TensorValues out;
  const Param* param = task.node.FindParam("value");
  const auto* value = param == nullptr ? nullptr : std::get_if<TensorParam>(&param->value);
  if (param != nullptr && value == nullptr) return std::nullopt;
  const auto count = static_cast<size_t>(task.count);
  if (IsFloat(task.dtype)) {
    if (value != nullptr && value->reals.size() != 1) return std::nullopt;
    out.reals.assign(count, value == nullptr ? 0 : value->reals[0]);
  } else {
    if (value == nullptr || value->ints.size() != 1 || !Fits(value->ints[0], task.dtype)) {
      return std::nullopt;
    }
    out.ints.assign(count, value->ints[0]);
  }
  return out;
}

// ONNX Runtime adds the step again and again, in the type of the numbers.
TensorValues RealRange(const Task& task) {
  TensorValues out;
  auto value = static_cast<float>(task.inputs[0].Real(0));
  for (int64_t k = 0; k < task.count; ++k) {
    out.reals.push_back(value);
    value += static_cast<float>(task.inputs[2].Real(0));
  }
  return out;
}

std::optional<TensorValues> Range(const Task& task) {
  if (task.inputs.size() != 3) return std::nullopt;
  const bool real = task.inputs[0].is_real();
  for (const Input& input : task.inputs) {
    if (input.values == nullptr || input.count != 1 || input.is_real() != real) return std::nullopt;
  }
  if (real) return RealRange(task);
  TensorValues out;
  int64_t value = task.inputs[0].Int(0);
  for (int64_t k = 0; k < task.count; ++k) {
    if (!Fits(value, task.dtype)) return std::nullopt;
    out.ints.push_back(value);
    if (__builtin_add_overflow(value, task.inputs[2].Int(0), &value) && k + 1 < task.count) {
      return std::nullopt;
    }
  }
  return out;
}

// Sorted by name.
constexpr auto kArithmetic = std::to_array<Computed>({
    {"Abs", Absolute},
    {"Add", Add},
    {"And", And},
    {"Cast", Cast},
    {"Ceil", Ceil},
    {"ConstantOfShape", ConstantOfShape},
    {"Div", Divide},
    {"Equal", Equal},
    {"Floor", Floor},
    {"Greater", Greater},
    {"GreaterOrEqual", GreaterOrEqual},
    {"Less", Less},
    {"LessOrEqual", LessOrEqual},
    {"Max", Maximum},
    {"Min", Minimum},
    {"Mod", Modulo},
    {"Mul", Multiply},
    {"Neg", Negate},
    {"Not", Not},
    {"Or", Or},
    {"Range", Range},
    {"Round", Round},
    {"Sqrt", SquareRoot},
    {"Sub", Subtract},
});
static_assert(std::is_sorted(kArithmetic.begin(), kArithmetic.end(), ByOperator));

}  // namespace

Compute FindArithmetic(std::string_view op) {
  return Find(kArithmetic, op);
}

}  // namespace quantgate::onnx::fold
