#include "core/rules/support/format.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/rules/support/encoding_facts.h"
#include "quantgate/calibration.h"
#include "quantgate/report.h"

namespace quantgate::rules {

std::string Number(double value) { return fmt::format("{:.7g}", value); }

std::string Dims(const Tensor& tensor) {
  if (tensor.unknown_rank) return "of unknown rank";
  std::string text = "[";
  for (size_t i = 0; i < tensor.dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += tensor.dims[i] == kDynamicDim ? "?" : std::to_string(tensor.dims[i]);
  }
  return text + "]";
}

std::string ZeroPoint(int64_t zero_point) {
  if (zero_point == 0) return "zero_point 0";
  return absl::StrCat("zero_point ", zero_point, " (offset ", -zero_point, ")");
}

std::string DescribeEncoding(const Tensor& tensor) {
  const Encoding& e = tensor.encoding;
  if (e.kind == EncodingKind::kNone) return "no encoding";
  std::string text(EncodingKindName(e.kind));
  if (e.bitwidth > 0) text += fmt::format(" {}-bit", e.bitwidth);
  if (e.kind == EncodingKind::kPerChannel || e.kind == EncodingKind::kLpbq) {
    text += fmt::format(" axis {}", e.axis);
  }
  if (e.kind == EncodingKind::kLpbq) text += fmt::format(" with {} blocks a channel", e.num_blocks);
  if (IsUncalibrated(e)) {
    text += ", scale not calibrated";
  } else if (!e.scales.empty()) {
    const auto [lo, hi] = std::minmax_element(e.scales.begin(), e.scales.end());
    text += *lo == *hi ? fmt::format(", scale {}", Number(*lo))
                       : fmt::format(", scales {} … {}", Number(*lo), Number(*hi));
  }
  if (e.zero_points.empty()) return text + ", zero_point 0";
  const auto [lo, hi] = std::minmax_element(e.zero_points.begin(), e.zero_points.end());
  text += ", ";
  text += *lo == *hi ? ZeroPoint(*lo) : fmt::format("zero_points {} … {}", *lo, *hi);
  return text;
}

std::string DescribeTensor(const Tensor& tensor) {
  if (tensor.encoding->kind == EncodingKind::kNone && !IsFixedPoint(tensor.dtype)) {
    return std::string(DtypeName(tensor.dtype));
  }
  return fmt::format("{} {}", DtypeName(tensor.dtype), DescribeEncoding(tensor));
}

std::string Join(std::span<const std::string> items, std::string_view last) {
  std::string text;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? std::string(last) : ", ";
    text += items[i];
  }
  return text;
}

std::string DtypeList(DtypeMask mask) {
  std::vector<std::string> names;
  for (int i = 0; i < kDtypeCount; ++i) {
    if (((mask >> i) & 1u) != 0) names.emplace_back(DtypeName(static_cast<Dtype>(i)));
  }
  return names.empty() ? "absent" : Join(names);
}

std::string EncodingList(EncodingMask mask) {
  std::vector<std::string> names;
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    if (((mask >> i) & 1u) != 0) names.emplace_back(QnnEncodingName(static_cast<QnnEncoding>(i)));
  }
  return Join(names);
}

std::string NumberList(std::span<const int64_t> numbers, std::string_view last) {
  std::vector<std::string> items;
  items.reserve(numbers.size());
  for (int64_t n : numbers) items.push_back(std::to_string(n));
  return Join(items, last);
}

std::string PortName(const NodeView& node, int port, int element) {
  if (port < 0) return "";
  const bool input = node.is_input(port);
  return absl::StrCat(input ? "in[" : "out[",
                      (input ? port : port - node.op().input_count) + element, "]");
}

std::string ParamName(const NodeView& node, int param) {
  if (param < 0) return "";
  return std::string(node.db().str(node.db().get(node.op().params)[param].name));
}

std::string ParamValueName(const NodeView& node, int param, int64_t value) {
  const auto& row = node.db().get(node.op().params)[param];
  for (const auto& e : node.db().get(row.values)) {
    if (e.value == value) return fmt::format("{} ({})", node.db().str(e.name), value);
  }
  if (row.dtype == Dtype::kBool8) return value != 0 ? "true" : "false";
  return std::to_string(value);
}

bool ParamIsEnum(const NodeView& node, int param) {
  return node.db().get(node.op().params)[param].values.count > 0;
}

std::string RangeText(std::optional<int64_t> min, std::optional<int64_t> max) {
  if (min && max) return *min == *max ? std::to_string(*min) : fmt::format("{} to {}", *min, *max);
  return max ? fmt::format("up to {}", *max) : fmt::format("from {} on", min.value_or(0));
}

Dtype NearestDtype(DtypeMask mask, Dtype given) {
  Dtype best = Dtype::kUndefined;
  int best_distance = std::numeric_limits<int>::max();
  for (; mask != 0; mask &= mask - 1) {
    const auto dtype = static_cast<Dtype>(std::countr_zero(mask));
    const int distance = std::abs(BitsOf(dtype) - BitsOf(given)) +
                         (ClassOf(dtype) == ClassOf(given) ? 0 : 3) +
                         (IsFixedPoint(dtype) == IsFixedPoint(given) ? 0 : 64);
    if (distance < best_distance) {
      best = dtype;
      best_distance = distance;
    }
  }
  return best;
}

std::string ParamText(const NodeView& node, int param) {
  if (const auto one = node.param_int(param)) return ParamValueName(node, param, *one);
  if (const auto real = node.param_real(param)) return Number(*real);
  const auto ints = node.param_ints(param);
  if (ints.empty()) return "not given";
  return fmt::format("[{}]", NumberList(ints, ", "));
}

std::string_view OpName(const NodeView& node) { return node.db().str(node.op().name); }

std::string EncodingPath(const Tensor& tensor, std::string_view field) {
  const bool tensor_wide = tensor.encoding->kind == EncodingKind::kPerTensor;
  const std::string_view kind = tensor_wide                                         ? "perTensor"
                                : tensor.encoding->kind == EncodingKind::kPerChannel ? "perChannel"
                                : tensor.encoding->kind == EncodingKind::kLpbq       ? "lpbq"
                                                                                    : "block";
  return absl::StrCat("tensors/", Absl(tensor.name), "/encoding/", Absl(kind), "/", Absl(field),
                      tensor_wide ? "" : "s");
}

Fix SymmetricFix(const Tensor& tensor) {
  const int64_t middle = MiddleOf(tensor);
  Fix fix = UnsafeFix(absl::StrCat("quantize \"", Absl(tensor.name), "\" symmetric: zero_point ", middle,
                                   EntryCount(tensor.encoding) > 1 ? " in every channel" : ""));
  fix.edits.push_back({"set", EncodingPath(tensor, "zeroPoint"),
                       tensor.encoding->kind == EncodingKind::kPerTensor
                           ? std::to_string(middle)
                           : absl::StrCat("[", middle, "]")});
  return fix;
}

Fix UnsafeFix(std::string summary) { return {std::move(summary), false, {}}; }

}  // namespace quantgate::rules
