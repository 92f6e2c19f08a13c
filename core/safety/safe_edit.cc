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

using Reason = Objection::Reason;

bool IsBetween(double value, const ValueRange& range, double slack) {
  return value >= range.low - slack && value <= range.high + slack;
}

// Compares at one end what is left of `x` by the one and by the other. The functions are equal if
// both ends are: cutting keeps the order.
Objection ObjectionAt(double x, const ValueRange& before, const ValueRange& after, double slack) {
  const double was = std::clamp(x, before.low, before.high);
  const double is = std::clamp(x, after.low, after.high);
  if (std::abs(was - is) <= slack) return {};
  if (std::abs(x - was) > std::abs(x - is)) return {Reason::kUndoesCut, was, x};
  return {Reason::kCuts, is, x};
}

Objection ObjectionToEnds(const ValueRange& reaching, const ValueRange& before,
                          const ValueRange& after, double slack) {
  if (auto low = ObjectionAt(reaching.low, before, after, slack)) return low;
  return ObjectionAt(reaching.high, before, after, slack);
}

Objection ObjectionToSteps(const ValueRange& reaching, double before, double after) {
  // Values that lie on the new grid are not rounded.
  if (after <= before * (1 + kCoarser) || reaching.step == after) return {};
  return {Reason::kCoarserSteps, before, after};
}

bool FitsAxis(const Tensor& tensor, const Encoding& encoding) {
  const auto rank = static_cast<int32_t>(tensor.dims.size());
  const int32_t axis = encoding.axis < 0 ? encoding.axis + rank : encoding.axis;
  return axis >= 0 && axis < rank &&
         tensor.dims[static_cast<size_t>(axis)] == static_cast<int64_t>(EntryCount(encoding));
}

}  // namespace

std::string Objection::Text() const {
  const auto reach = [&] {
    return std::isfinite(wanted) ? fmt::format("what reaches it goes to {:.4g}", wanted)
                                 : std::string("how far what reaches it goes is not known");
  };
  switch (reason) {
    case Reason::kNone:
      return "";
    case Reason::kOtherChannels:
      return "its channels would be other ones";
    case Reason::kOtherWidth:
      return "another width of its integers";
    case Reason::kNoRange:
      return "its encoding says no range";
    case Reason::kUndoesCut:
      return fmt::format(
          "its encoding cuts at {:.4g}, and {}: that may be a removed Relu or Clip, which the edit "
          "would undo",
          now, reach());
    case Reason::kCuts:
      return fmt::format("the edit would cut at {:.4g}, and {}", now, reach());
    case Reason::kCoarserSteps:
      return fmt::format("its steps would be coarser: {:.4g} instead of {:.4g}", wanted, now);
    case Reason::kLeavesRange:
      return fmt::format("its values may lie beyond {}", Describe(range));
    case Reason::kRounds:
      return "its values would be rounded";
  }
  return "";
}

Objection ObjectionTo(const ValueRange& reaching, const Coding& from, const Coding& to) {
  if (Same(from, to)) return {};
  const size_t count = std::max(EntryCount(from.encoding), EntryCount(to.encoding));
  if (count > 1 &&
      (from.encoding->kind != to.encoding->kind || from.encoding->axis != to.encoding->axis)) {
    return {Reason::kOtherChannels};
  }
  if (!HasRange(from) || !HasRange(to)) return {Reason::kNoRange};
  const EntryRanges entries_before(from), entries_after(to);
  for (size_t i = 0; i < count; ++i) {
    const ValueRange before = entries_before[i], after = entries_after[i];
    const double slack = std::min(before.step, after.step) * (1 + kRounding);
    if (auto ends = ObjectionToEnds(reaching, before, after, slack)) return ends;
    if (auto steps = ObjectionToSteps(reaching, before.step, after.step)) return steps;
  }
  return {};
}

Objection ObjectionToInserted(const ValueRange& reaching, const Coding* behind,
                              const Coding& inserted) {
  const std::optional<ValueRange> first = RangeOf(inserted);
  if (!first || EntryCount(inserted.encoding) != 1) return {Reason::kNoRange};
  if (behind == nullptr) {
    return ObjectionToEnds(reaching, ValueRange{}, *first, first->step * (1 + kRounding));
  }
  const std::optional<ValueRange> then = RangeOf(*behind);
  if (!then || EntryCount(behind->encoding) != 1) return {Reason::kNoRange};
  // Both cut, one after the other.
  const ValueRange both = {std::clamp(first->low, then->low, then->high),
                           std::clamp(first->high, then->low, then->high)};
  const double slack = std::min(first->step, then->step) * (1 + kRounding);
  if (auto ends = ObjectionToEnds(reaching, *then, both, slack)) return ends;
  return ObjectionToSteps(reaching, then->step, first->step);
}

Objection ObjectionToConstant(const Tensor& tensor, const ValueRange& held, const Coding& from,
                              const Coding& to) {
  if (BitsOf(from.dtype) != BitsOf(to.dtype)) return {Reason::kOtherWidth};
  if (from.encoding->axis != to.encoding->axis && from.encoding->kind == to.encoding->kind) {
    const auto rank = static_cast<int32_t>(tensor.dims.size());
    const bool one_axis = (from.encoding->axis - to.encoding->axis) % std::max(rank, 1) == 0;
    // One axis written in two ways, or the only one that the scales fit.
    Coding moved = from;
    moved.encoding.Edit().axis = to.encoding->axis;
    const bool only_one = !FitsAxis(tensor, from.encoding) && FitsAxis(tensor, to.encoding);
    if (Same(moved, to) && (one_axis || only_one)) return {};
    return {Reason::kOtherChannels};
  }
  const size_t count = std::max(EntryCount(from.encoding), EntryCount(to.encoding));
  if (!HasRange(from) || !HasRange(to)) return {Reason::kNoRange};
  const EntryRanges entries_before(from), entries_after(to);
  for (size_t i = 0; i < count; ++i) {
    const ValueRange before = entries_before[i], after = entries_after[i];
    const ValueRange values = {std::clamp(held.low, before.low, before.high),
                               std::clamp(held.high, before.low, before.high), before.step};
    const double slack = after.step * 0.5 * (1 + kRounding);
    if (!IsBetween(values.low, after, slack) || !IsBetween(values.high, after, slack)) {
      return {Reason::kLeavesRange, 0, 0, after};
    }
    // 32-bit integers are sums of products: their step is far below what any result shows.
    if (BitsOf(to.dtype) == 32) continue;
    if (after.step > before.step) return {Reason::kRounds};
  }
  return {};
}

}  // namespace quantgate::fix
