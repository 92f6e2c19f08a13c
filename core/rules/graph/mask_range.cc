#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace mask_range {

struct Own : Settings {
  SetMask softmaxes = 0, adds = 0;
  // A masked score must be this far below the others.
  double max_mask_addend = 0;
  // A step of the scores this large blurs them, and one that large leaves nothing of them.
  double coarse_score_step = 0.5, lost_score_step = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::softmaxes>("softmaxes"),
                                    F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::max_mask_addend>("max_mask_addend"),
                                    F::Bind<&Own::coarse_score_step>("coarse_score_step"),
                                    F::Bind<&Own::lost_score_step>("lost_score_step")};

// One step of the sum takes the scores' range.
bool IsCoarse(const Tensor* sum, const Own& settings) {
  const std::optional<double> step = StepOf(sum);
  return step && *step >= settings.coarse_score_step;
}

// Bits of the scores, an operand that is computed, that the steps of the sum don't tell; 0 = none.
double LostBits(const GraphView& g, int32_t add) {
  const Tensor* sum = g.output(add);
  double most = 0;
  for (size_t port = 0; port < 2; ++port) {
    const Tensor* scores = g.input(add, port);
    const std::optional<double> step = StepOf(scores);
    if (!step || scores->is_static) continue;
    const double lost = std::log2(*StepOf(sum) / *step);
    most = std::max(most, std::min<double>(lost, EffectiveBits(*scores)));
  }
  return most;
}

// All that the scores can hold is less than one step of the sum.
bool LosesOperand(const GraphView& g, int32_t add) {
  const Tensor* sum = g.output(add);
  for (size_t port = 0; port < 2; ++port) {
    const Tensor* operand = g.input(add, port);
    if (!HasOneScale(operand) || operand->is_static) continue;
    const double steps = std::exp2(EffectiveBits(*operand)) - 1;
    if (operand->encoding->scales[0] * steps <= *StepOf(sum)) return true;
  }
  return false;
}

// The smallest value of a mask that lets something through; 0 = it doesn't, or is no mask.
double TooWeak(const Tensor* mask, const Own& settings) {
  if (mask == nullptr || !mask->is_static) return 0;
  const auto range = RealRange(*mask);
  // 0 where a score stays, something negative where it goes; all else is no mask.
  if (!range || range->second != 0 || !(range->first < 0) ||
      range->first <= settings.max_mask_addend) {
    return 0;
  }
  return range->first;
}

// Whatever made the scores: a choice by a mask, a product, a calibration that saw infinities.
void VisitScores(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const Tensor* scores = g.input(op, 0);
  if (!IsCoarse(scores, settings)) return;
  const double step = *StepOf(scores);
  const bool lost = step >= settings.lost_score_step;
  Finding& f = findings.AddInput(op, 0, lost ? Consequence::kAltered : Consequence::kAdvice);
  f.message = fmt::format("one step of the scores is {}: ", Number(step));
  f.message += lost ? fmt::format("all that are not masked are equal to \"{}\", nothing is left of them", g.NameOf(op))
                    : fmt::format("\"{}\" tells scores apart only where one gets more than {} the share of the other",
                                  g.NameOf(op), step < 1 ? fmt::format("{:.1f} times", std::exp(step)) : "twice");
  f.found = DescribeEncoding(*scores);
  f.allowed = fmt::format("a scale well below {}", Number(settings.coarse_score_step));
  f.fixes.push_back(UnsafeFix("calibrate over the scores that matter: masked ones at about -100"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (!g.Is(op, settings.softmaxes) || g.op(op).inputs.empty() || g.op(op).inputs[0] == kNoTensor)
    return;
  const int32_t add = g.Producer(g.op(op).inputs[0]);
  if (add < 0 || !g.Is(add, settings.adds)) return VisitScores(g, op, findings);
  const Tensor* sum = g.output(add);
  if (IsCoarse(sum, settings)) {
    const bool lost = LosesOperand(g, add);
    Finding& f = findings.AddOutput(add, 0, lost ? Consequence::kAltered : Consequence::kAdvice);
    f.message = fmt::format(
        "the scores that go into \"{}\" come in steps of {}: the mask has used up their range{}",
        g.NameOf(op), Number(sum->encoding->scales[0]),
        lost ? ", and nothing is left of the scores" : "");
    f.found = DescribeEncoding(*sum);
    f.allowed = fmt::format("a scale well below {}", Number(settings.coarse_score_step));
    f.lost_bits = LostBits(g, add);
    f.fixes.push_back(UnsafeFix("clip the mask to about -100 before calibration"));
    return;
  }
  for (size_t port = 0; port < 2; ++port) {
    const double smallest = TooWeak(g.input(add, port), settings);
    if (!(smallest < 0)) continue;
    Finding& f = findings.AddInput(add, port, Consequence::kAdvice);
    f.message = fmt::format(
        "the mask in front of \"{}\" pushes scores down by {} only: masked "
        "positions keep part of the attention",
        g.NameOf(op), Number(-smallest));
    f.found = fmt::format("smallest value {}", Number(smallest));
    f.allowed = fmt::format("at most {}", Number(settings.max_mask_addend));
    f.fixes.push_back(UnsafeFix(
        fmt::format("use {} or less for masked positions", Number(settings.max_mask_addend))));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kMaskRange,
                  {.summary = "the attention mask is too weak, or uses up the range of the scores",
                   .explanation = R"(## What it checks
An addition in front of a Softmax. A constant mask must push masked scores at least 20 below the
others; and the sum's encoding must still tell the scores apart: with -inf, -65504 or the smallest
float as mask, calibration gives the sum a range in which one step is larger than the scores. Scores
that something else makes must have steps below 0.5 too.

## Why
A weak mask lets masked positions through. A strong one with a quantized sum makes all scores
equal: attention becomes an average, and nothing fails.

## Fix
Use a mask between -20 and about -100, clip it before calibration, and quantize the sum over the
range of the scores.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace mask_range

const RuleEntry kMaskRangeEntry = mask_range::kEntry;

}  // namespace quantgate::rules
