#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/squares.h"
#include "core/rules/support/value_bounds.h"
#include "quantgate/report.h"
#include "quantgate/text.h"

namespace quantgate::rules {
namespace coarse_argument {

struct Own : Settings, BoundSets {
  SetMask exponentials = 0, angles = 0, poles = 0, quotients = 0, grids = 0, norms = 0, sums = 0,
          orders = 0, conversions = 0, tables = 0, weighted = 0;
  double max_exponent_step = 0, max_angle_step = 0;
  double max_grid_step = 0;  // in pixels
  double max_norm_step = 0;  // of the spread of what is read
  double least_levels = 0;   // of a sum, or a channel of a norm's output
  int64_t most_ordered = 0;  // values that few bits tell apart
  double most_lost_steps = 0;  // of an input, that its square makes 0
  double least_steps = 0;      // of the middle value of a constant
  int64_t least_values = 0;    // of such a constant
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::exponentials>("exponentials"),
                                    F::Bind<&Own::angles>("angles"),
                                    F::Bind<&Own::poles>("poles"),
                                    F::Bind<&Own::quotients>("quotients"),
                                    F::Bind<&Own::grids>("grids"),
                                    F::Bind<&Own::norms>("norms"),
                                    F::Bind<&Own::sums>("sums"),
                                    F::Bind<&Own::orders>("orders"),
                                    F::Bind<&Own::conversions>("conversions"),
                                    F::Bind<&Own::products>("products"),
                                    F::Bind<&Own::tables>("tables"),
                                    F::Bind<&Own::weighted>("weighted"),
                                    F::Bind<&Own::shares>("shares"),
                                    F::Bind<&Own::signed_shares>("signed_shares"),
                                    F::Bind<&Own::limits>("limits"),
                                    F::Bind<&Own::low>("low"),
                                    F::Bind<&Own::high>("high"),
                                    F::Bind<&Own::relus>("relus"),
                                    F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::moves>("moves"),
                                    F::Bind<&Own::most_lost_steps>("most_lost_steps"),
                                    F::Bind<&Own::least_steps>("least_steps"),
                                    F::Bind<&Own::least_values>("least_values"),
                                    F::Bind<&Own::max_exponent_step>("max_exponent_step"),
                                    F::Bind<&Own::max_angle_step>("max_angle_step"),
                                    F::Bind<&Own::max_grid_step>("max_grid_step"),
                                    F::Bind<&Own::max_norm_step>("max_norm_step"),
                                    F::Bind<&Own::least_levels>("least_levels"),
                                    F::Bind<&Own::most_ordered>("most_ordered")};

// A share of exp(-11) is no step of 16 bits.
constexpr double kNothingBeside = 11;

bool HasFewBits(const Tensor& t) { return EffectiveBits(t) <= 8; }

// A finding at an input, whose message is for the caller to say.
Finding& Add(const GraphView& g, int32_t op, size_t port, std::string allowed, GraphFindings& findings) {
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.found = DescribeEncoding(*g.input(op, port));
  f.allowed = std::move(allowed);
  f.fixes.push_back(
      UnsafeFix("keep it in 16 bits or in float, or look for the outlier that makes the range and bound it before"));
  return f;
}

void VisitExponent(const GraphView& g, int32_t op, double step, GraphFindings& findings) {
  const double most = g.settings<Own>().max_exponent_step;
  if (step < most) return;
  Finding& f = Add(g, op, 0, fmt::format("a step below {}", Number(most)), findings);
  f.message = fmt::format("{} comes in steps of {}, and what {} makes of a value ", f.port, Number(step), f.op);
  f.message += step < kNothingBeside
                   ? fmt::format("grows {:.2g}-fold from one to the next", std::exp(step))
                   : "is nothing beside that of the next: an outlier makes the range";
}

void VisitAngle(const GraphView& g, int32_t op, double step, GraphFindings& findings) {
  const double most = g.settings<Own>().max_angle_step;
  if (step < most) return;
  Finding& f = Add(g, op, 0, fmt::format("a step below {}", Number(most)), findings);
  f.message = fmt::format("the angle of {} comes in steps of {}", f.op, Number(step));
  f.message += step < 3 ? fmt::format(": the result is off by up to {}", Number(step / 2))
                        : ", half a turn or more: the result is arbitrary";
}

// Functions without a value at 0, and divisors.
void VisitPole(const GraphView& g, int32_t op, size_t port, GraphFindings& findings) {
  const Tensor& in = *g.input(op, port);
  const std::optional<Interval> held = HeldRange(&in);
  if (!held || !HasFewBits(in) || in.is_static || held->low > 0 || held->high < 0) return;
  const double step = *StepOf(&in);
  const Interval bounds = ValueBounds(g, g.op(op).inputs[port], g.settings<Own>());
  if (bounds.low >= step || bounds.high <= -step) return;
  Finding& f = Add(g, op, port, "16 bits", findings);
  f.message = fmt::format(
      "{} of {} has {} bits: what is below {} is 0, where it has no value, and the steps next to it ({}, {}, …) give "
      "results far apart",
      f.port, f.op, EffectiveBits(in), Number(step / 2), Number(step), Number(2 * step));
}

void VisitGrid(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *image = g.input(op, 0), *grid = g.input(op, 1);
  const auto step = StepOf(grid);
  if (image == nullptr || !step || image->dims.size() < 3) return;
  const int64_t longest = *std::max_element(image->dims.begin() + 1, image->dims.end() - 1);
  const double pixels = *step * static_cast<double>(longest) / 2;
  if (!(pixels >= g.settings<Own>().max_grid_step)) return;
  Finding& f = Add(g, op, 1, fmt::format("steps below {} pixels", Number(g.settings<Own>().max_grid_step)), findings);
  f.message = fmt::format("the coordinates of {} come in steps of {}, which are {:.2g} of {} pixels", f.op,
                          Number(*step), pixels, longest);
}

// The range of the output tells the spread of what is read: a norm makes it that of its gains.
void VisitNorm(const GraphView& g, int32_t op, double step, GraphFindings& findings) {
  const Tensor& in = *g.input(op, 0);
  const Tensor* const gains = g.input(op, 1);
  const std::optional<Interval> held = HeldRange(&in), written = HeldRange(g.output(op));
  const std::optional<double> gain =
      gains == nullptr ? 1.0 : gains->is_static ? MagnitudeOf(*gains) : std::nullopt;
  if (!held || !written || !gain || !HasFewBits(in)) return;
  const double reach = std::max(-held->low, held->high), most = std::max(-written->low, written->high);
  const double spread = reach * *gain / most;
  if (!(spread > 0) || step <= g.settings<Own>().max_norm_step * spread) return;
  Finding& f = Add(g, op, 0, fmt::format("a step of at most {}", Number(g.settings<Own>().max_norm_step * spread)),
                   findings);
  f.message = fmt::format(
      "what {} reads reaches {} and spreads about {} by the range of its output, and comes in steps of {}: outliers make "
      "the range, and most values lie within a few steps of 0",
      f.op, Number(reach), Number(spread), Number(step));
}

// The tensor that an op's output is stored in: of float, what it is quantized to.
const Tensor* StoredOutput(const GraphView& g, int32_t op) {
  const Tensor* const out = g.output(op);
  if (out == nullptr || StepOf(out)) return out;
  const int32_t reader = g.FirstReader(g.op(op).outputs[0]);
  return reader >= 0 && g.Is(reader, g.settings<Own>().conversions) ? g.output(reader) : out;
}

// Gains that differ so much that most channels of the output lie within a few steps.
void VisitGains(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *gains = g.input(op, 1), *out = StoredOutput(g, op);
  const auto step = StepOf(out);
  if (!step || !HasFewBits(*out) || gains == nullptr || IsFixedPoint(gains->dtype)) return;
  const std::optional<double> middle = MedianMagnitude(*gains);
  if (!middle) return;
  // What a norm makes lies within three times the gain, but for one in 400.
  const double levels = 6 * *middle / *step;
  if (!(levels < g.settings<Own>().least_levels)) return;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "half of the channels that {} writes have gains up to {} and lie within {} steps of {}: a few large ones make the "
      "range of its {} bits",
      f.op, Number(*middle), static_cast<int>(levels) + 1, Number(*step), EffectiveBits(*out));
  f.found = DescribeEncoding(*out);
  f.allowed = "16 bits, or gains of like size";
  f.fixes.push_back(UnsafeFix(
      "keep the output in 16 bits, or move the large gains into the weights behind it (as SmoothQuant does)"));
}

// The square of a tensor in few bits: what is small becomes 0.
void VisitSquare(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* const out = g.output(op);
  const auto step = StepOf(g.input(op, 0)), made = StepOf(out);
  if (!IsSquare(g, op, g.settings<Own>().products) || !step || !made || !HasFewBits(*out)) return;
  const double lost = std::sqrt(*made / 2);
  if (!(lost >= g.settings<Own>().most_lost_steps * *step)) return;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the square of {} has steps of {} in {} bits: what lies within {} of 0, {} steps of the input, is 0",
      g.input(op, 0)->name, Number(*made), EffectiveBits(*out), Number(lost), static_cast<int>(lost / *step));
  f.found = DescribeEncoding(*out);
  f.allowed = "16 bits";
  f.fixes.push_back(UnsafeFix("keep the square in 16 bits or in float, or write the norm as one operator"));
}

// A table or another constant that is looked up, multiplied or added, most of whose values lie within a few steps.
void VisitConstant(const GraphView& g, int32_t op, size_t port, GraphFindings& findings) {
  const Tensor* const constant = g.input(op, port);
  if (!HasOneScale(constant) || !constant->is_static || !HasFewBits(*constant)) return;
  const Own& own = g.settings<Own>();
  const std::optional<double> middle = MedianMagnitude(*constant);
  if (!middle || std::ssize(constant->values->ints) < own.least_values) return;
  // Of zeros and ones, a mask, and of others that are few steps in all, nothing is lost.
  const std::optional<double> most = MagnitudeOf(*constant);
  if (!most || *middle >= own.least_steps || *most < own.least_steps * *StepOf(constant)) return;
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.message = fmt::format(
      "half of the {} values of {} lie within {} of 0: a few large ones make the range of its {} bits",
      constant->values->ints.size(), f.port, Counted(static_cast<size_t>(*middle), "step"), EffectiveBits(*constant));
  f.found = DescribeEncoding(*constant);
  f.allowed = "16 bits, or values of like size";
  f.fixes.push_back(UnsafeFix("keep it in 16 bits or in float, or bound the outliers before"));
}

// One value for each place, such as a depth, that the model gives in few bits.
void VisitOutput(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* const out = g.output(op);
  const auto step = StepOf(out);
  if (!step || !HasFewBits(*out) || out->dims.empty() || out->dims.back() != 1) return;
  const TensorId id = g.op(op).outputs[0];
  const int32_t reader = g.FirstReader(id);
  const bool ends = g.IsGraphOutput(id) || (reader >= 0 && g.Is(reader, g.settings<Own>().conversions) &&
                                            g.IsGraphOutput(g.op(reader).outputs[0]));
  if (!ends) return;
  const Interval held = *HeldRange(out);
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the model gives one number for each place in {} bits: {:.0f} levels from {} to {}, in steps of {}",
      EffectiveBits(*out), std::exp2(EffectiveBits(*out)), Number(held.low), Number(held.high), Number(*step));
  f.found = DescribeEncoding(*out);
  f.allowed = "16 bits, where the value itself counts (a depth, a distance)";
  f.fixes.push_back(UnsafeFix("give this output 16 bits, or leave its last layer in float"));
}

// Differences of nearly equal numbers.
void VisitSum(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *a = g.input(op, 0), *b = g.input(op, 1);
  const auto step_a = StepOf(a), step_b = StepOf(b);
  const std::optional<Interval> held = HeldRange(g.output(op));
  if (!step_a || !step_b || !held) return;
  const double step = std::min(*step_a, *step_b), levels = (held->high - held->low) / step;
  if (!(levels < g.settings<Own>().least_levels)) return;
  Finding& f = Add(g, op, *step_a <= *step_b ? 0 : 1, "inputs in 16 bits, where the output is that small", findings);
  f.message = fmt::format(
      "the inputs of {} come in steps of {} and more, and its output lies within {} … {}: {}", f.op, Number(step),
      Number(held->low), Number(held->high),
      levels < 1 ? "all that it gives is one value" : fmt::format("it has {} values at most", static_cast<int>(levels) + 1));
}

// The best of many values that are stored in few bits: some are equal.
void VisitOrder(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor& in = *g.input(op, 0);
  const int64_t longest = in.dims.empty() ? 0 : *std::max_element(in.dims.begin(), in.dims.end());
  if (!HasFewBits(in) || g.op(op).outputs.size() < 2 || longest < g.settings<Own>().most_ordered) return;
  Finding& f = Add(g, op, 0, "16 bits", findings);
  f.message = fmt::format("{} orders {} values that have {} bits: many are equal, and those come by their place", f.op,
                          longest, EffectiveBits(in));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (g.Refused(op) || g.ReportedBefore(op)) return;
  if (g.Is(op, own.grids)) return VisitGrid(g, op, findings);
  if (g.Is(op, own.weighted)) return VisitOutput(g, op, findings);
  if (g.Is(op, own.tables)) return VisitConstant(g, op, 0, findings);
  VisitSquare(g, op, findings);
  if (g.Is(op, own.products | own.sums)) {
    for (size_t port = 0; port < 2; ++port) VisitConstant(g, op, port, findings);
  }
  if (g.Is(op, own.sums)) return VisitSum(g, op, findings);
  if (g.Is(op, own.norms)) VisitGains(g, op, findings);
  if (g.Is(op, own.quotients)) {
    if (g.input(op, 1) != nullptr) VisitPole(g, op, 1, findings);
    return;
  }
  const std::optional<double> step = StepOf(g.input(op, 0));
  if (!step || !std::isfinite(*step)) return;
  if (g.Is(op, own.exponentials)) return VisitExponent(g, op, *step, findings);
  if (g.Is(op, own.angles)) return VisitAngle(g, op, *step, findings);
  if (g.Is(op, own.poles)) return VisitPole(g, op, 0, findings);
  if (g.Is(op, own.norms)) return VisitNorm(g, op, *step, findings);
  if (g.Is(op, own.orders)) VisitOrder(g, op, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseArgument,
                  {.summary = "an input's steps are too coarse for what the op makes of them",
                   .explanation = R"(## What it checks
What an exponential reads has steps below 0.5, what a sine or cosine reads below 0.2, coordinates of a GridSample
below a quarter of a pixel. What is divided by, and what a logarithm, a reciprocal or the reciprocal
of a root reads, has more than 8 bits. What a norm reads has steps below a quarter of its spread, as the range of
its output tells it; half of the channels that it writes in 8 bits, by its gains, use 16 steps at least. A sum or
difference has 16 different values at least, and what a TopK orders has more than
8 bits where there are 1,024 values or more. A square in 8 bits does not make 0 of what is three steps from it; the
middle value of a constant that is looked up, multiplied or added has four steps; and one number for each place, such
as a depth, is given in more than 8 bits.

## Why
Rounding an input by half a step changes the result as much as the function is steep. Exponentials of numbers
that are a step of 0.8 apart differ 2.2-fold; a divisor next to 0 doubles the quotient with a
single step; a position that is the angle of a sine in steps of 4 gives any value. The output's own encoding may be
fine, and no check of it shows the loss.

## Fix
Keep the input in 16 bits, or the op in float. Where an outlier makes the range wide, bound it before calibration.

## References
The evidence is listed below; the rest is arithmetic.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_argument

const RuleEntry kCoarseArgumentEntry = coarse_argument::kEntry;

}  // namespace quantgate::rules
