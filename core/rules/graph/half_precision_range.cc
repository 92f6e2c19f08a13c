#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <variant>

#include "core/rules/support/half_precision.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace half_precision_range {
namespace {

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::products>("products"),
                                    F::Bind<&Own::quotients>("quotients"),
                                    F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::subtractions>("subtractions"),
                                    F::Bind<&Own::weighted>("weighted"),
                                    F::Bind<&Own::powers>("powers"),
                                    F::Bind<&Own::sums>("sums"),
                                    F::Bind<&Own::most>("most"),
                                    F::Bind<&Own::least>("least"),
                                    F::Bind<&Own::mask>("mask"),
                                    F::Bind<&Own::orders>("orders"),
                                    F::Bind<&Own::most_ordered>("most_ordered"),
                                    F::Bind<&Own::most_ordered_scores>("most_ordered_scores"),
                                    F::Bind<&Own::curves>("curves"),
                                    F::Bind<&Own::exponentials>("exponentials"),
                                    F::Bind<&Own::bounded_below>("bounded_below"),
                                    F::Bind<&Own::least_exponent>("least_exponent"),
                                    F::Bind<&Own::limits>("limits"),
                                    F::Bind<&Own::low>("low"),
                                    F::Bind<&Own::high>("high"),
                                    F::Bind<&Own::shares>("shares"),
                                    F::Bind<&Own::signed_shares>("signed_shares"),
                                    F::Bind<&Own::relus>("relus"),
                                    F::Bind<&Own::large_factor>("large_factor"),
                                    F::Bind<&Own::casts>("casts"),
                                    F::Bind<&Own::lookups>("lookups"),
                                    F::Bind<&Own::most_counted>("most_counted"),
                                    F::Bind<&Own::angles>("angles"),
                                    F::Bind<&Own::half_routes>("half_routes"),
                                    F::Bind<&Own::maxima>("maxima"),
                                    F::Bind<&Own::scores>("scores"),
                                    F::Bind<&Own::length_norms>("length_norms"),
                                    F::Bind<&Own::rms_norms>("rms_norms"),
                                    F::Bind<&Own::moves>("moves"),
                                    F::Bind<&Own::long_sums>("long_sums"),
                                    F::Bind<&Own::floors>("floors"),
                                    F::Bind<&Own::quantizes>("quantizes"),
                                    F::Bind<&Own::many_addends>("many_addends"),
                                    F::Bind<&Own::selects>("selects")};

// The largest magnitude of a float constant; 0 = it is none, or not known.
double Magnitude(const Tensor* t) {
  return IsHalf(t) && t->is_static ? MagnitudeOf(*t).value_or(0) : 0;
}

bool IsNegative(const Tensor& t) {
  const auto range = RealRange(t);
  return range && range->first < 0;
}

// Whether nothing else than sums reads what an op makes: nothing is lost where it is 0.
bool IsOnlyAdded(const GraphView& g, int32_t op) {
  const Node& node = g.op(op);
  if (node.outputs.size() != 1 || node.outputs[0] == kNoTensor || g.IsGraphOutput(node.outputs[0])) return false;
  const auto readers = g.Readers(node.outputs[0]);
  return !readers.empty() && std::all_of(readers.begin(), readers.end(),
                                         [&](int32_t reader) { return g.Is(reader, g.settings<Own>().adds); });
}

void ReportConstant(const GraphView& g, int32_t op, size_t port, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor& constant = *g.input(op, port);
  const double magnitude = Magnitude(&constant);
  const bool vanishes = magnitude < own.least;
  const bool is_mask =
      !vanishes && g.Is(op, own.products) && (IsNegative(constant) || magnitude >= own.mask);
  const bool harmless = is_mask || g.Is(op, own.adds | own.floors) ||
                        (vanishes && g.Is(op, own.products) && IsOnlyAdded(g, op));
  const bool wrong = !harmless && IsCertain(g, constant);
  Finding& f =
      findings.AddInput(op, port, wrong ? Consequence::kWrongValues : Consequence::kAdvice);
  f.found = fmt::format("{} {}", vanishes ? "at most" : "up to", Number(magnitude));
  if (vanishes) {
    f.message = fmt::format(
        "{} reaches {} only, which is 0 in the half precision that floats are computed in{}",
        f.port, Number(magnitude),
        harmless ? ": it keeps nothing from a division by 0 or a logarithm of 0" : "");
    f.allowed = fmt::format("{} or more", Number(own.least));
    f.fixes.push_back(UnsafeFix("use 1e-6 or more"));
    return;
  }
  f.message =
      fmt::format("{} reaches {}, and floats are computed in half precision, which ends at {}",
                  f.port, Number(magnitude), Number(own.most));
  f.allowed = fmt::format("at most {}", Number(own.most));
  f.fixes.push_back(
      UnsafeFix(fmt::format("keep it within {}, or quantize the op", Number(own.most))));
}

// A constant far below 0 that is added or chosen: what takes positions out of a softmax.
void ReportMask(const GraphView& g, int32_t op, size_t port, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const double magnitude = Magnitude(g.input(op, port));
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.message = fmt::format(
      "{} goes down to {}, which is -infinity in the half precision that floats are computed in",
      f.port, Number(-magnitude));
  f.found = Number(-magnitude);
  f.allowed = fmt::format("{} or more", Number(-own.most));
  f.fixes.push_back(UnsafeFix("mask with about -100, or with -65472 at least"));
}

// A factor within the range that leaves little of it to what it multiplies.
void ReportFactor(const GraphView& g, int32_t op, size_t port, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const double factor = Magnitude(g.input(op, port));
  Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
  f.message = fmt::format(
      "a factor of {}: values beyond {} overflow the half precision that floats are computed in, and so do sums and "
      "squares of far smaller ones behind it",
      Number(factor), Number(own.most / factor));
  f.found = Number(factor);
  f.allowed = fmt::format("a product within {}", Number(own.most));
  f.fixes.push_back(UnsafeFix("leave the factor out and correct what comes out, or quantize the op"));
}

// A lower limit that is to keep a logarithm or a division from 0, and is 0 itself.
void VisitLimit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Param* low = g.op(op).FindParam(own.low);
  const auto* floor = low == nullptr ? nullptr : std::get_if<double>(&low->value);
  if (floor == nullptr || *floor <= 0 || *floor >= own.least) return;
  Finding& f = findings.Add(op, Consequence::kAdvice);
  f.message = fmt::format(
      "the lower limit of {} is {}, which is 0 in the half precision that floats are computed in: it keeps nothing from a "
      "division by 0 or a logarithm of 0, and what is below 6e-8 is lost as well",
      f.op, Number(*floor));
  f.found = Number(*floor);
  f.allowed = fmt::format("{} or more", Number(own.least));
  f.fixes.push_back(UnsafeFix("use 1e-6 or more, and scale what is read so that it stays above"));
}

void VisitConstants(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const bool cut = g.Is(op, own.adds | own.selects);
  for (size_t port = 0; port < std::min<size_t>(3, g.op(op).inputs.size()); ++port) {
    const double magnitude = Magnitude(g.input(op, port));
    if (magnitude == 0 || (magnitude > own.most && g.Is(op, own.floors))) continue;
    if (cut && magnitude > own.most) {
      if (IsNegative(*g.input(op, port))) ReportMask(g, op, port, findings);
    } else if (magnitude > own.most || (magnitude < own.least && !g.Is(op, own.selects))) {
      ReportConstant(g, op, port, findings);
    } else if (magnitude >= own.large_factor && g.Is(op, own.products) && NumberOf(g.input(op, port))) {
      ReportFactor(g, op, port, findings);
    }
  }
}

// Products that a weight's sums add up.
double Depth(const Tensor& weight, const Tensor& out) {
  const double elements = LeastElements(weight);
  return out.dims.empty() || out.dims.back() < 1 ? 1
                                                 : elements / static_cast<double>(out.dims.back());
}

void VisitWeight(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor *weight = g.input(op, 1), *out = g.output(op);
  const double magnitude = Magnitude(weight);
  if (magnitude == 0 || !IsHalf(out)) return;
  if (magnitude > own.most) return ReportConstant(g, op, 1, findings);
  const double depth = Depth(*weight, *out);
  if (magnitude * depth <= own.most) return;
  Finding& f = findings.AddInput(op, 1, Consequence::kAdvice);
  f.message = fmt::format(
      "sums of {} products with weights up to {} overflow half precision, which ends at {}, where "
      "the input is 1",
      Number(depth), Number(magnitude), Number(own.most));
  f.found = fmt::format("up to {}", Number(magnitude));
  f.allowed = fmt::format("sums within {}", Number(own.most));
  f.fixes.push_back(UnsafeFix("scale the weights down, and the result up where it is used"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (g.Refused(op)) return;
  if (VisitInexact(g, op, findings) || !IsHalf(g.output(op))) return;
  if (g.Is(op, own.limits)) return VisitLimit(g, op, findings);
  if (g.Is(op, own.products | own.quotients | own.adds | own.selects | own.floors)) {
    VisitConstants(g, op, findings);
  }
  if (g.Is(op, own.weighted)) VisitWeight(g, op, findings);
  VisitOverflow(g, op, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kHalfPrecisionRange,
                  {.summary = "a number leaves the range of the half precision that floats run in",
                   .explanation = R"(## What it checks
Ops that are written in float: constants that they multiply with or divide by, weights, the epsilon or
the mask that they add, lower limits that are 0 there, squares that are added up, squares and other powers, sums of
many thousand values, ranges beyond it that floats are quantized to, products of what norms
made with large gains, angles, exponentials of what has no lower bound, or that are masked behind, powers
of what may be a negative zero, thousands of values (or scores behind a Sigmoid) of which the best are
picked, and numbers of rows in a large table that are cast to floats. Constants are read where the file's
reader keeps them.

## Why
The backend computes floats in half precision; with the option that ONNX Runtime's provider and
ExecuTorch set, FLOAT_32 as well. It ends at 65504, and what is below 3e-8 is 0. A factor beyond is
cut, an epsilon is lost, sums of squares stay too small: the model runs, and its numbers are wrong,
on a chip maybe infinite.

## Fix
Keep constants within the range, use an epsilon of 1e-6 or more, write a norm as one operator, or
divide before the square. What has to have a larger range stays on the CPU or is quantized.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace
}  // namespace half_precision_range

const RuleEntry kHalfPrecisionRangeEntry = half_precision_range::kEntry;

}  // namespace quantgate::rules
