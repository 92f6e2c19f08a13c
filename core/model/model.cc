#include "quantgate/model.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace quantgate {
namespace {
constexpr std::array<std::string_view, 3> kDialects = {"qnn", "onnx", "aten"};
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

std::optional<std::vector<int64_t>> IntsOf(const ParamValue& value) {
  return std::visit(
      [](const auto& v) -> std::optional<std::vector<int64_t>> {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, IntParam>) {
          return std::vector<int64_t>{v.value};
        } else if constexpr (std::is_same_v<T, UintParam>) {
          return std::vector<int64_t>{static_cast<int64_t>(v.value)};
        } else if constexpr (std::is_same_v<T, bool>) {
          return std::vector<int64_t>{v ? 1 : 0};
        } else if constexpr (std::is_same_v<T, TensorParam>) {
          if (v.reals.empty()) return v.ints;
          return std::nullopt;
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          return v;
        } else {
          return std::nullopt;
        }
      },
      value);
}

std::optional<double> RealOf(const ParamValue& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* tensor = std::get_if<TensorParam>(&value); tensor && tensor->reals.size() == 1) {
    return tensor->reals[0];
  }
  if (const auto ints = IntsOf(value); ints && ints->size() == 1) {
    return static_cast<double>((*ints)[0]);
  }
  return std::nullopt;
}

}  // namespace quantgate
