#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/rules/args.h"
#include "core/rules/encoding_facts.h"
#include "core/rules/format.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

// What the limits are times: the product of the scales of the ports that `as` names, 1 without.
// Nothing where one of them has no scale.
class Unit {
 public:
  Unit(const Subject& s, const Args& args) {
    std::array<int64_t, 2> ports;
    const auto count = args.numbers(ArgKey::kAs, ports);
    if (!count) return;
    count_ = *count;
    for (size_t i = 0; i < count_; ++i) {
      const Tensor* tensor = s.node.tensor(static_cast<int>(ports[i]));
      if (tensor == nullptr || tensor->encoding.scales.empty()) known_ = false;
      factors_[i] = tensor == nullptr ? nullptr : &tensor->encoding;
    }
  }

  bool known() const { return known_; }
  bool relative() const { return count_ > 0; }
  // The smallest and the largest over all channels.
  std::pair<double, double> Ends() const {
    std::pair<double, double> ends{1, 1};
    for (size_t i = 0; i < count_; ++i) {
      const auto [least, most] = std::ranges::minmax_element(factors_[i]->scales);
      ends = {ends.first * double{*least}, ends.second * double{*most}};
    }
    return ends;
  }

 private:
  std::array<const Encoding*, 2> factors_{};
  size_t count_ = 0;
  bool known_ = true;
};

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype)) return true;
  const Args args(s.node, s.constraint);
  const Unit unit(s, args);
  if (!unit.known()) return true;
  const auto ends = unit.Ends();
  const auto min = args.real(ArgKey::kMin);
  const auto max = args.real(ArgKey::kMax);
  const auto& scales = s.tensor->encoding.scales;
  return std::all_of(scales.begin(), scales.end(), [&](float v) {
    const auto [least, most] = ends;
    if (unit.relative() && !(v > 0 && least > 0)) return true;  // no scale: valid_scale's to say
    return (!min || v >= *min * most || SameScale(v, *min * most)) &&
           (!max || v <= *max * least || SameScale(v, *max * least));
  });
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const Unit unit(s, args);
  const auto [least, most] = unit.Ends();
  const auto min = args.real(ArgKey::kMin);
  const auto max = args.real(ArgKey::kMax);
  f.found = DescribeTensor(*s.tensor);
  if (min) f.allowed = fmt::format("scale of at least {}", Number(*min * most));
  if (max) {
    f.allowed += fmt::format("{}scale of at most {}", min ? ", " : "", Number(*max * least));
  }
  if (unit.relative()) {
    f.allowed += fmt::format(", {} times that of the inputs", Number(min ? *min : *max));
  }
  f.message =
      fmt::format("the scale of {} of {} is out of the range it computes right with", f.port, f.op);
  f.fixes.push_back(UnsafeFix(fmt::format("use a {}", f.allowed)));
}

constexpr RuleEntry kEntry = {.rule = {.code = "QG310",
                                       .slug = "scale-range",
                                       .summary = "a scale is beyond what the op can compute with",
                                       .explanation = R"(## What it checks
Some kernels compute in a fixed internal precision and only work for scales within limits, of one
tensor or of the result against the inputs.

## Why
Outside of them the op runs and returns constants or wrapped values.

## Fix
Use a scale within the limits; a wider output type often helps.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable},
                              .kinds = {opdb::Kind::kScaleRange},
                              .kind_count = 1,
                              .holds = Holds,
                              .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry scale_range;
const RuleEntry scale_range = kEntry;

}  // namespace quantgate::rules
