#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace cut_range {

struct Own : Settings {
  SetMask joins = 0;
  SetMask selects = 0;
  SetMask views = 0;     // hand on each value of their input
  SetMask products = 0;  // of two inputs
  SetMask tangents = 0, sigmoids = 0, relus = 0, negations = 0, exponentials = 0;
  SetMask norms = 0;  // whose rows have a mean square of 1, times their gains
  SetMask totals = 0; // sums of many values
  double tolerance = 0;        // part of an input's range that the output of a join may cut
  double least_kept = 0;       // part of an input's range that a view must keep
  double curve_tolerance = 0;  // the same of what a curve makes of its input's range
  double slope_tolerance = 0;  // part of an input's range of which a slope's output may cut the results
  double many = 0;             // values that are summed up
  double excess = 0;     // times its range that a product goes beyond it, in an input's encoding
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::joins>("joins"), F::Bind<&Own::views>("views"), F::Bind<&Own::selects>("selects"),
    F::Bind<&Own::products>("products"),
    F::Bind<&Own::tangents>("tangents"), F::Bind<&Own::sigmoids>("sigmoids"),
    F::Bind<&Own::relus>("relus"), F::Bind<&Own::negations>("negations"),
    F::Bind<&Own::exponentials>("exponentials"), F::Bind<&Own::norms>("norms"), F::Bind<&Own::totals>("totals"),
    F::Bind<&Own::tolerance>("tolerance"), F::Bind<&Own::least_kept>("least_kept"),
    F::Bind<&Own::curve_tolerance>("curve_tolerance"),
    F::Bind<&Own::slope_tolerance>("slope_tolerance"), F::Bind<&Own::many>("many"),
    F::Bind<&Own::excess>("excess")};

std::string Text(Interval r) { return fmt::format("{:.4g} … {:.4g}", r.low, r.high); }

// Whether the output of a join cuts an input; both have a range.
bool Cuts(const Interval& out, const Interval& in, double tolerance) {
  const double cut = std::max(out.low - in.low, in.high - out.high);
  return cut > tolerance * (in.high - in.low);
}

// Whether a view keeps less than this part of its input's range; a Relu may have been folded into it.
bool Narrows(const Interval& out, const Interval& in, double least_kept) {
  return out.high - out.low < least_kept * (in.high - in.low);
}

// Whether the output has the very encoding of an input: it was copied, not calibrated.
bool IsCopied(const Tensor& input, const Tensor& output) {
  return input.dtype == output.dtype && SameEncoding(*input.encoding, *output.encoding);
}

// A finding at an output of this range, whose message is for the caller to say.
Finding& AddOutput(int32_t op, Interval range, std::string allowed, std::string fix, GraphFindings& findings) {
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.found = fmt::format("range {}", Text(range));
  f.allowed = std::move(allowed);
  f.fixes.push_back(UnsafeFix(std::move(fix)));
  return f;
}

// A product in the very encoding of one of its factors, which is far too narrow for it.
void VisitProduct(const GraphView& g, int32_t op, double excess, GraphFindings& findings) {
  const Tensor *first = g.input(op, 0), *second = g.input(op, 1), *output = g.output(op);
  const auto a = HeldRange(first), b = HeldRange(second), out = HeldRange(output);
  if (!a || !b || !out) return;
  if (!IsCopied(*first, *output) && !IsCopied(*second, *output)) return;
  const Interval product = ProductOf(*a, *b);
  if (product.high - product.low < excess * (out->high - out->low)) return;
  Finding& f = AddOutput(op, *out, "the calibrated range of the product",
                         "calibrate the output of its own, do not share the encoding of an input", findings);
  f.message = fmt::format(
      "{} of {} has the encoding of one of its factors, which ends at {}; their product reaches "
      "{}: what lies beyond is clipped",
      f.port, f.op, Text(*out), Text(product));
}

// Inputs, of what the op reads, whose results lie within a range.
Interval Kept(const GraphView& g, int32_t op, Interval out) {
  const Own& own = g.settings<Own>();
  if (g.Is(op, own.negations)) return {-out.high, -out.low};
  if (g.Is(op, own.relus)) return {out.low <= 0 ? kAnyNumber.low : out.low, out.high};
  return {out.low <= 0 ? kAnyNumber.low : std::log(out.low), out.high <= 0 ? kAnyNumber.low : std::log(out.high)};
}

// An op that rises or falls all along, and whose output keeps a part of its input's range only.
void VisitSlope(const GraphView& g, int32_t op, GraphFindings& findings) {
  const auto in = HeldRange(g.input(op, 0)), out = HeldRange(g.output(op));
  if (!in || !out) return;
  const Interval kept = Kept(g, op, *out);
  // Values that a Relu makes 0 are none that its output cuts.
  const double low = g.Is(op, g.settings<Own>().relus) ? std::max(0.0, in->low) : in->low;
  if (!Cuts(kept, {low, in->high}, g.settings<Own>().slope_tolerance)) return;
  Finding& f = AddOutput(op, *out, "the calibrated range of what the op makes",
                         "calibrate the output of its own, with the inputs that made the input's range", findings);
  f.message = fmt::format(
      "{} of {} holds {} only, which it makes of inputs from {:.4g} to {:.4g}, and its input reaches {}: what is made of "
      "the others is clipped",
      f.port, f.op, Text(*out), std::max(kept.low, in->low), std::min(kept.high, in->high), Text(*in));
  f.related = {"in[0]"};
}

// A norm whose output ends below the size that most of its values have.
void VisitNorm(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* const gains = g.input(op, 1);
  const auto out = HeldRange(g.output(op));
  if (!out || (gains != nullptr && !gains->is_static)) return;
  const auto least = gains == nullptr ? std::optional(std::pair(1.0, 1.0)) : RealRange(*gains);
  if (!least) return;
  const double gain = std::min(std::abs(least->first), std::abs(least->second));
  const bool one_sign = least->first * least->second > 0;
  if (!one_sign || std::max(-out->low, out->high) >= gain) return;
  Finding& f = AddOutput(op, *out, fmt::format("a range of some {} on either side", Number(3 * gain)),
                         "calibrate the output of its own", findings);
  f.message = fmt::format(
      "{} of {} holds {} only, and the values of a row have a root mean square of 1 times their gains, {} or more: most "
      "of them are clipped",
      f.port, f.op, Text(*out), Number(gain));
}

// The sum of many values in the encoding of one.
void VisitTotal(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  const auto held = HeldRange(in);
  if (!held || !HeldRange(out) || !IsCopied(*in, *out)) return;
  const double count = LeastElements(*in) / LeastElements(*out);
  // Of both signs they may cancel.
  const bool one_sign = std::min(-held->low, held->high) <= *StepOf(in);
  if (!one_sign || !(count >= g.settings<Own>().many)) return;
  Finding& f = AddOutput(op, *held, "the calibrated range of the sum",
                         "calibrate the output of its own, do not share the encoding of the input", findings);
  f.message = fmt::format(
      "{} of {} has the encoding of its input, which ends at {}, and sums up {} values of one sign: what lies beyond is "
      "clipped",
      f.port, f.op, Text(*held), Number(count));
}

// A Tanh or Sigmoid whose output does not hold what it makes of its input's range.
void VisitCurve(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const auto in = HeldRange(g.input(op, 0)), out = HeldRange(g.output(op));
  if (!in || !out) return;
  const bool tangent = g.Is(op, settings.tangents);
  const auto curve = [&](double x) { return tangent ? std::tanh(x) : 1 / (1 + std::exp(-x)); };
  // Every encoding holds 0: where a range ends there, the values may end before.
  const double half_step = StepOf(g.input(op, 0)).value_or(0) / 2;
  const Interval made{std::abs(in->low) <= half_step ? out->low : curve(in->low),
                      std::abs(in->high) <= half_step ? out->high : curve(in->high)};
  if (!Cuts(*out, made, settings.curve_tolerance)) return;
  Finding& f = AddOutput(op, *out, fmt::format("range {}", Text(made)),
                         "calibrate the output by its smallest and largest values, not by averages of them", findings);
  f.message = fmt::format("{} of {} holds {} only, its input's range leads to {}: values beyond are clipped", f.port,
                          f.op, Text(*out), Text(made));
  f.related = {"in[0]"};
}

// A constant that is chosen, such as what takes a place out of a softmax, and that the output does not hold.
void VisitChoice(const GraphView& g, int32_t op, GraphFindings& findings) {
  const auto out = HeldRange(g.output(op));
  if (!out) return;
  for (size_t port = 1; port < g.op(op).inputs.size(); ++port) {
    const Tensor* const constant = g.input(op, port);
    const auto values = constant != nullptr && constant->is_static ? RealRange(*constant) : std::nullopt;
    if (!values) continue;
    const double below = out->low - values->first, above = values->second - out->high;
    if (std::max(below, above) <= out->high - out->low) continue;
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    f.message = fmt::format("{} is {}, and the output of {} holds {} only: it is clipped to the nearest end", f.port,
                            Number(below > above ? values->first : values->second), f.op, Text(*out));
    f.found = fmt::format("range {}", Text(*out));
    f.allowed = "a range that holds the constant";
    f.related = {"out[0]"};
    f.fixes.push_back(
        UnsafeFix("choose a mild number (about -100 for a mask) before calibration, and calibrate with inputs of which "
                  "some are chosen"));
  }
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (g.Is(op, settings.selects)) return VisitChoice(g, op, findings);
  if (g.Is(op, settings.tangents | settings.sigmoids)) return VisitCurve(g, op, findings);
  if (g.Is(op, settings.relus | settings.negations | settings.exponentials)) return VisitSlope(g, op, findings);
  if (g.Is(op, settings.norms)) return VisitNorm(g, op, findings);
  if (g.Is(op, settings.totals)) return VisitTotal(g, op, findings);
  if (g.Is(op, settings.products) && g.op(op).inputs.size() == 2) {
    VisitProduct(g, op, settings.excess, findings);
  }
  const bool is_join = g.Is(op, settings.joins);
  const auto out = is_join || g.Is(op, settings.views) ? HeldRange(g.output(op)) : std::nullopt;
  if (!out) return;
  for (size_t port = 0; port < g.op(op).inputs.size(); ++port) {
    const Tensor* tensor = g.input(op, port);
    const std::optional<Interval> in = HeldRange(tensor);
    if (!in || !(is_join ? Cuts(*out, *in, settings.tolerance) : Narrows(*out, *in, settings.least_kept))) continue;
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    f.message = fmt::format(
        "{} reaches {}, the output of {} holds {} only: values beyond are "
        "clipped",
        f.port, Text(*in), f.op, Text(*out));
    f.found = fmt::format("range {}", Text(*out));
    f.allowed =
        fmt::format("range {}", Text({std::min(in->low, out->low), std::max(in->high, out->high)}));
    f.related = {"out[0]"};
    f.fixes.push_back({is_join ? "calibrate the output with the values of all inputs"
                               : "give the output the range of the input, in its own number of bits", false, {}});
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kCutRange,
                  {.summary = "the range of the joined tensor does not hold one of its inputs",
                   .explanation = R"(## What it checks
The range of a quantized tensor is what its stored values can say. Where several tensors go into one
(Concat, Pack), or share one encoding, the range of the output must hold the range of each input. So must the
output of an op that hands on all of its input (a Reshape, Transpose, Convert), at least 0.4 times its range, and
that of a choice (Where) a constant that is chosen. A product must not have the very encoding of one of its factors
where their ranges make it much larger. The output of a Tanh or Sigmoid must hold most of what the curve makes of its input's range, that of a Relu, Neg or Exp
what it makes of most of it. The output of a norm must reach the root mean square that its gains give it, and the sum
of many values must not have the encoding of one.

## Why
Values beyond the range saturate: the largest activations, which matter most, become equal. Shared
encodings are often taken from the first member alone.

## Fix
Calibrate the shared encoding over all members, or take the union of their ranges.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace cut_range

const RuleEntry kCutRangeEntry = cut_range::kEntry;

}  // namespace quantgate::rules
