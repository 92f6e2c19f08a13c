#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "core/rules/support/raw_encoding.h"
#include "quantgate/calibration.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace fixed_encoding {

using opdb::ArgKey;

bool ScaleHolds(const Subject& s, const Args& args) {
  const auto scale = args.real(ArgKey::kScale);
  if (!scale) return true;
  // A kernel that writes no larger number than this: in how many steps of another scale it would
  // be stored, rounded to nearest, is what counts.
  const auto most = args.number(ArgKey::kMax);
  const auto& scales = s.tensor->encoding->scales;
  return std::all_of(scales.begin(), scales.end(), [&](float v) {
    if (most && v > 0) {
      const auto written = static_cast<double>(*most);
      return std::abs(written * *scale / double{v} - written) <= 0.5;
    }
    return SameScale(v, *scale);
  });
}

bool OffsetHolds(const Subject& s, const Args& args) {
  const auto offset = args.number(ArgKey::kOffset);
  if (!offset) return true;
  for (size_t i = 0; i < std::max<size_t>(1, s.tensor->encoding->zero_points.size()); ++i) {
    if (ZeroPointAt(s.tensor->encoding, i) != FromQnnOffset(static_cast<int32_t>(*offset)))
      return false;
  }
  return true;
}

bool Holds(const Subject& s) {
  const Args args(s.node, s.constraint);
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  if (IsUncalibrated(s.tensor->encoding)) {
    // A scale that is fixed is none that an observer finds. Whether a zero point is the middle is
    // known, also where the offset is read raw: per tensor it is where it should be. Other numbers
    // are not.
    const double scale = args.real(ArgKey::kScale).value_or(0);
    if (scale != 0 && !args.number(ArgKey::kMax)) return false;
    const auto offset = args.number(ArgKey::kOffset);
    const bool middle =
        offset && FromQnnOffset(static_cast<int32_t>(*offset)) == MiddleOf(*s.tensor);
    const bool is_read = args.text(ArgKey::kAspect).empty() ||
                         QnnEncodingOf(s.tensor->encoding) == QnnEncoding::kScaleOffset;
    return !middle || args.real(ArgKey::kScale) || !is_read || IsSymmetric(*s.tensor);
  }
  if (args.text(ArgKey::kAspect) == "as_read_raw") {
    return RawOffset(*s.tensor) == args.number(ArgKey::kOffset);
  }
  if (s.tensor->encoding->kind == EncodingKind::kNone) return true;
  return ScaleHolds(s, args) && OffsetHolds(s, args);
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto scale = args.real(ArgKey::kScale);
  const auto offset = args.number(ArgKey::kOffset);
  f.found = DescribeTensor(*s.tensor);
  if (scale && *scale == 0) {
    // No step at all stands for that of the accumulator.
    f.allowed = "input scale × weight scale of each channel; or scale 0, which stands for it";
    f.message = fmt::format(
        "{} of {} must have the scale of its channel's products, input scale × weight scale", f.port,
        f.op);
    f.fixes.push_back(UnsafeFix(fmt::format(
        "quantize \"{}\" per-channel with input scale × weight scale", s.tensor->name)));
    return;
  }
  if (scale) f.allowed = fmt::format("scale {}", Number(*scale));
  if (offset) f.allowed += fmt::format("{}{}", scale ? ", " : "", ZeroPoint(-*offset));
  f.message = fmt::format("{} of {} must have {}", f.port, f.op, f.allowed);
  Fix fix = UnsafeFix(fmt::format("quantize \"{}\" with {}", s.tensor->name, f.allowed));
  if (scale && !ScaleHolds(s, args)) {
    fix.edits.push_back({"set", EncodingPath(*s.tensor, "scale"), fmt::format("{:.9g}", *scale)});
  }
  if (offset && !OffsetHolds(s, args)) {
    fix.edits.push_back({"set", EncodingPath(*s.tensor, "zeroPoint"), std::to_string(-*offset)});
  }
  f.fixes.push_back(std::move(fix));
}

constexpr RuleEntry kEntry = {
    .rule = About(kFixedEncoding, {.summary = "the encoding of this port is fixed",
                                   .explanation = R"(## What it checks
Some outputs have an encoding that the op itself dictates: 1/65536 for a 16-bit Sigmoid, for
example, or a zero point of 0 for an 8-bit Softmax.

## Why
Where the kernel does not read the encoding it writes with its own one, and whoever reads the
tensor with the written one gets wrong numbers.

## Fix
Set exactly the scale and zero point the message names.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace fixed_encoding

const RuleEntry kFixedEncodingEntry = fixed_encoding::kEntry;

}  // namespace quantgate::rules
