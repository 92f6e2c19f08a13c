#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace bad_scale {

using opdb::ArgKey;

enum Aspect { kPositive, kNonZero, kFinite, kNonNegative };

Aspect AspectOf(const Subject& s) {
  const auto text = Args(s.node, s.constraint).text(ArgKey::kAspect);
  if (text == "nonzero") return kNonZero;
  if (text == "finite") return kFinite;
  if (text == "nonnegative") return kNonNegative;
  return kPositive;
}

bool Good(float scale, Aspect aspect) {
  switch (aspect) {
    case kNonZero:  // NaN and infinity compute no more than 0 does
      return std::isfinite(scale) && scale != 0;
    case kFinite:
      return std::isfinite(scale);
    case kNonNegative:
      return !(scale < 0);
    case kPositive:
      return std::isfinite(scale) && scale > 0;
  }
  return true;
}

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const auto& scales = s.tensor->encoding->scales;
  const Aspect aspect = AspectOf(s);
  return std::all_of(scales.begin(), scales.end(), [&](float v) { return Good(v, aspect); });
}

// Where such a scale comes from says what to do.
std::string FixText(const Tensor& tensor, float scale) {
  if (std::isfinite(scale)) {
    return scale == 0 ? fmt::format("calibrate \"{}\" with data in which it varies, or set a small "
                                    "positive scale",
                                    tensor.name)
                      : fmt::format("export \"{}\" again with a scale above 0", tensor.name);
  }
  return fmt::format(
      "replace what is infinite before calibration (in a mask: -inf by about -100), and calibrate "
      "\"{}\" again",
      tensor.name);
}

void Explain(const Subject& s, Finding& f) {
  const auto& scales = s.tensor->encoding->scales;
  const Aspect aspect = AspectOf(s);
  const auto bad =
      std::find_if(scales.begin(), scales.end(), [&](float v) { return !Good(v, aspect); });
  f.found = fmt::format("scale {}", Number(*bad));
  if (scales.size() > 1) f.found += fmt::format(" in channel {}", bad - scales.begin());
  f.allowed = "a finite scale above 0";
  f.message = fmt::format("{} of {} must have {}, and has {}", f.port, f.op, f.allowed, f.found);
  f.fixes.push_back(UnsafeFix(FixText(*s.tensor, *bad)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kBadScale, {.summary = "a scale is zero, negative or not a number",
                              .explanation = R"(## What it checks
Scales must be finite and above zero.

## Why
With scale 0 everything runs and the numbers are wrong; a negative one fails in preparation.
Such scales come from tensors that were constant during calibration, or from a broken export.

## Fix
Calibrate with data in which the tensor varies, or give it a small positive scale.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                              .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace bad_scale

const RuleEntry kBadScaleEntry = bad_scale::kEntry;

}  // namespace quantgate::rules
