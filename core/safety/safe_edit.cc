#include "core/safety/safe_edit.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace quantgate::fix {
namespace {

// Scales are products and quotients of single precision.
constexpr double kRounding = 1e-4;
// Steps that are coarser by no more than this round alike: 255 steps against 256.
constexpr double kCoarser = 1.0 / 64;

bool IsBetween(double value, const ValueRange& range, double slack) {
  return value >= range.low - slack && value <= range.high + slack;
}

// Compares at one end what is left of `x` by the one and by the other. The functions are equal if
// both ends are: cutting keeps the order.
Objection ObjectionAt(double x, const ValueRange& before, const ValueRange& after, double slack) {
  const double was = std::clamp(x, before.low, before.high);
  const double is = std::clamp(x, after.low, after.high);
  if (std::abs(was - is) <= slack) return std::nullopt;
  const std::string reach = std::isfinite(x)
                                ? fmt::format("what reaches it goes to {:.4g}", x)
                                : std::string("how far what reaches it goes is not known");
  if (std::abs(x - was) > std::abs(x - is)) {
    return fmt::format(
        "its encoding cuts at {:.4g}, and {}: that may be a removed Relu or Clip, which "
        "the edit would undo",
        was, reach);
  }
  return fmt::format("the edit would cut at {:.4g}, and {}", is, reach);
}

Objection ObjectionToEnds(const ValueRange& reaching, const ValueRange& before,
                          const ValueRange& after, double slack) {
  if (auto low = ObjectionAt(reaching.low, before, after, slack)) return low;
  return ObjectionAt(reaching.high, before, after, slack);
}

Objection ObjectionToSteps(const ValueRange& reaching, double before, double after) {
  // Values that lie on the new grid are not rounded.
  if (after <= before * (1 + kCoarser) || reaching.step == after) return std::nullopt;
  return fmt::format("its steps would be coarser: {:.4g} instead of {:.4g}", after, before);
}

// Entry by entry, for a tensor that these values reach.
std::optional<Coding> Entry(const Coding& coding, size_t i) {
  if (!RangeOf(coding)) return std::nullopt;
  Coding one = coding;
  one.encoding.Edit().kind = EncodingKind::kPerTensor;
  one.encoding.Edit().scales = {static_cast<float>(ScaleAt(coding.encoding, i))};
  one.encoding.Edit().zero_points = {static_cast<int32_t>(ZeroPointAt(coding.encoding, i))};
  return one;
}

bool FitsAxis(const Tensor& tensor, const Encoding& encoding) {
  const auto rank = static_cast<int32_t>(tensor.dims.size());
  const int32_t axis = encoding.axis < 0 ? encoding.axis + rank : encoding.axis;
  return axis >= 0 && axis < rank &&
         tensor.dims[static_cast<size_t>(axis)] == static_cast<int64_t>(EntryCount(encoding));
}

}  // namespace

Objection ObjectionTo(const ValueRange& reaching, const Coding& from, const Coding& to) {
  if (Same(from, to)) return std::nullopt;
  const size_t count = std::max(EntryCount(from.encoding), EntryCount(to.encoding));
  if (count > 1 &&
      (from.encoding->kind != to.encoding->kind || from.encoding->axis != to.encoding->axis)) {
    return "its channels would be other ones";
  }
  for (size_t i = 0; i < count; ++i) {
    const std::optional<Coding> a = Entry(from, i), b = Entry(to, i);
    const std::optional<ValueRange> before = a ? RangeOf(*a) : std::nullopt;
    const std::optional<ValueRange> after = b ? RangeOf(*b) : std::nullopt;
    if (!before || !after) return "its encoding says no range";
    const double slack = std::min(before->step, after->step) * (1 + kRounding);
    if (auto ends = ObjectionToEnds(reaching, *before, *after, slack)) return ends;
    if (auto steps = ObjectionToSteps(reaching, before->step, after->step)) return steps;
  }
  return std::nullopt;
}

Objection ObjectionToInserted(const ValueRange& reaching, const Coding* behind,
                              const Coding& inserted) {
  const std::optional<ValueRange> first = RangeOf(inserted);
  if (!first || EntryCount(inserted.encoding) != 1) return "its encoding says no range";
  if (behind == nullptr) {
    return ObjectionToEnds(reaching, ValueRange{}, *first, first->step * (1 + kRounding));
  }
  const std::optional<ValueRange> then = RangeOf(*behind);
  if (!then || EntryCount(behind->encoding) != 1) return "its encoding says no range";
  // Both cut, one after the other.
  const ValueRange both = {std::clamp(first->low, then->low, then->high),
                           std::clamp(first->high, then->low, then->high)};
  const double slack = std::min(first->step, then->step) * (1 + kRounding);
  if (auto ends = ObjectionToEnds(reaching, *then, both, slack)) return ends;
  return ObjectionToSteps(reaching, then->step, first->step);
}

Objection ObjectionToConstant(const Tensor& tensor, const ValueRange& held, const Coding& from,
                              const Coding& to) {
  if (BitsOf(from.dtype) != BitsOf(to.dtype)) return "another width of its integers";
  Coding moved = from;
  moved.encoding.Edit().axis = to.encoding->axis;
  if (from.encoding->axis != to.encoding->axis && from.encoding->kind == to.encoding->kind) {
    const auto rank = static_cast<int32_t>(tensor.dims.size());
    const bool one_axis = (from.encoding->axis - to.encoding->axis) % std::max(rank, 1) == 0;
    // One axis written in two ways, or the only one that the scales fit.
    const bool only_one = !FitsAxis(tensor, from.encoding) && FitsAxis(tensor, to.encoding);
    if (Same(moved, to) && (one_axis || only_one)) return std::nullopt;
    return "its channels would be other ones";
  }
  const size_t count = std::max(EntryCount(from.encoding), EntryCount(to.encoding));
  for (size_t i = 0; i < count; ++i) {
    const std::optional<Coding> a = Entry(from, i), b = Entry(to, i);
    const std::optional<ValueRange> before = a ? RangeOf(*a) : std::nullopt;
    const std::optional<ValueRange> after = b ? RangeOf(*b) : std::nullopt;
    if (!before || !after) return "its encoding says no range";
    const ValueRange values = {std::clamp(held.low, before->low, before->high),
                               std::clamp(held.high, before->low, before->high), before->step};
    const double slack = after->step * 0.5 * (1 + kRounding);
    if (!IsBetween(values.low, *after, slack) || !IsBetween(values.high, *after, slack)) {
      return fmt::format("its values may lie beyond {}", Describe(*after));
    }
    // 32-bit integers are sums of products: their step is far below what any result shows.
    if (BitsOf(to.dtype) == 32) continue;
    if (after->step > before->step) return "its values would be rounded";
  }
  return std::nullopt;
}

}  // namespace quantgate::fix
