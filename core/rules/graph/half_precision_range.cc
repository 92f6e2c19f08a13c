#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/length_bound.h"
#include "core/rules/support/squares.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace half_precision_range {

struct Own : Settings {
  SetMask products = 0, quotients = 0, adds = 0, subtractions = 0, weighted = 0, powers = 0, sums = 0, orders = 0,
          angles = 0, selects = 0, casts = 0, lookups = 0, curves = 0, exponentials = 0, bounded_below = 0,
          limits = 0, maxima = 0, scores = 0, length_norms = 0, rms_norms = 0, moves = 0;
  std::string_view low;        // the lower limit's param
  double large_factor = 0;     // from here on a factor takes most of the range
  double most = 0, least = 0;  // of half precision
  double mask = 0;             // a factor from here on is no scale
  double least_exponent = 0;   // of which the exponential is right
  int64_t most_ordered = 0;    // values that it can tell apart
  int64_t most_ordered_scores = 0;  // the same of what a curve writes, which is less exact
  int64_t most_counted = 0;    // up to here it has every integer
  // That compute FLOAT_32 in half precision too; others may, by an option of the graph.
  std::vector<std::string_view> half_routes;
};

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
                                    F::Bind<&Own::selects>("selects")};

bool IsHalf(const Tensor* t) {
  return t != nullptr && (t->dtype == Dtype::kFloat16 || t->dtype == Dtype::kFloat32);
}

// The largest magnitude of a float constant; 0 = it is none, or not known.
double Magnitude(const Tensor* t) {
  return IsHalf(t) && t->is_static ? MagnitudeOf(*t).value_or(0) : 0;
}

bool IsNegative(const Tensor& t) {
  const auto range = RealRange(t);
  return range && range->first < 0;
}

// The number that all of a constant is; nullopt where it is none, or not known.
std::optional<double> NumberOf(const Tensor* t) {
  const auto range = t == nullptr || !t->is_static ? std::nullopt : RealRange(*t);
  return range && range->first == range->second ? std::optional(range->first) : std::nullopt;
}

// What an op reads, where it is computed in half precision; else null.
const Tensor* HalfInput(const GraphView& g, int32_t op, size_t port = 0) {
  const Tensor* in = g.input(op, port);
  return IsHalf(in) && !in->is_static ? in : nullptr;
}

// Whether a tensor is certainly computed with in half precision.
bool IsCertain(const GraphView& g, const Tensor& t) {
  return t.dtype == Dtype::kFloat16 || g.IsOnOneOf(g.settings<Own>().half_routes);
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
  const bool harmless = is_mask || g.Is(op, own.adds) || (vanishes && g.Is(op, own.products) && IsOnlyAdded(g, op));
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
    if (magnitude == 0) continue;
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

// Products of queries and keys that norms made, whose scale is to come behind them.
void VisitScores(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (HalfInput(g, op) == nullptr || HalfInput(g, op, 1) == nullptr) return;
  const LengthSets sets = {own.length_norms, own.rms_norms, own.products, own.moves};
  const auto rows = LengthBound(g, g.op(op).inputs[0], sets), columns = LengthBound(g, g.op(op).inputs[1], sets);
  if (!rows || !columns || *rows * *columns <= own.most) return;
  Finding& f = findings.Add(op, Consequence::kAdvice);
  f.message = fmt::format(
      "products of rows as long as {} and {}, which norms and their gains make them, reach {}: they overflow the half "
      "precision that floats are computed in, which ends at {}",
      Number(*rows), Number(*columns), Number(*rows * *columns), Number(own.most));
  f.found = fmt::format("up to {}", Number(*rows * *columns));
  f.allowed = fmt::format("within {}", Number(own.most));
  f.fixes.push_back(UnsafeFix(
      "scale the queries down before the product (by the square root of their length), not the scores behind it"));
}

void VisitSum(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (HalfInput(g, op) == nullptr) return;
  const int32_t square = SquareBefore(g, op, g.settings<Own>().products, g.settings<Own>().powers);
  if (square < 0) return;
  const double root = std::floor(std::sqrt(g.settings<Own>().most));
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "squares of values beyond {} overflow half precision, in which floats are computed: the sum "
      "or mean of \"{}\" is too small then",
      Number(root), g.NameOf(square));
  f.found = "squares that are added up";
  f.allowed = fmt::format("values within {}", Number(root));
  f.fixes.push_back(
      UnsafeFix("write the norm as one operator (LayerNormalization, RMSNormalization), or divide "
                "before the square"));
}

// Of so many values in a row some are equal in half precision.
void VisitOrder(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor* in = HalfInput(g, op);
  if (in == nullptr) return;
  int64_t longest = 0;
  for (const int64_t dim : in->dims) longest = std::max(longest, dim);
  // The largest of some scores is seldom another one; the order of several is.
  const bool scores = g.op(op).outputs.size() > 1 && g.ReadsFrom(op, own.curves);
  if (longest <= (scores ? own.most_ordered_scores : own.most_ordered)) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} {} are compared in half precision, where neighbours less than a thousandth apart are "
      "equal: the index may be that of another value",
      longest, scores ? fmt::format("scores of \"{}\"", g.NameOf(g.Producer(g.op(op).inputs[0]))) : "values");
  f.found = Dims(*in);
  f.fixes.push_back(UnsafeFix(fmt::format("leave the choice of the best to the CPU{}",
                                          scores ? ", or choose before the curve, which keeps the order" : "")));
}

// Whether a power of it is right where the base is a negative zero.
bool KeepsNegativeZero(const Tensor* exponent) {
  const std::optional<double> number = NumberOf(exponent);
  return number && (*number < 0 || (*number > 1 && std::fmod(*number, 2) == 1));
}

// The base may be a negative zero, as 0 times a negative number is; a sum never is.
void VisitPower(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor* base = HalfInput(g, op);
  if (base == nullptr || KeepsNegativeZero(g.input(op, 1)) || g.ReadsFrom(op, own.adds | own.subtractions)) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "in half precision {} of a negative zero, such as 0 times a negative number, is garbage: -4 for a square, 131008 "
      "for a square root",
      f.op);
  f.found = DtypeName(base->dtype);
  f.fixes.push_back(UnsafeFix("write a square as the product of the base with itself, a root as Sqrt"));
}

// The product of an exponential with a tensor that isn't fixed: a mask; -1 = none.
int32_t MaskBehind(const GraphView& g, int32_t op) {
  for (const int32_t reader : g.Readers(g.op(op).outputs[0])) {
    if (!g.Is(reader, g.settings<Own>().products) || g.op(reader).inputs.size() != 2) continue;
    const TensorId a = g.op(reader).inputs[0], b = g.op(reader).inputs[1];
    if (g.Shown(a) != g.Shown(b) && !g.tensor(a).is_static && !g.tensor(b).is_static) return reader;
  }
  return -1;
}

// A softmax in pieces that takes the largest of all before it masks: where that one is masked, the others may be 0.
bool VisitLateMask(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const int32_t shift = g.Producer(g.op(op).inputs[0]);
  if (shift < 0 || !g.Is(shift, own.subtractions) || g.op(shift).inputs.size() != 2) return false;
  const int32_t largest = g.Producer(g.op(shift).inputs[1]);
  if (largest < 0 || !g.Is(largest, own.maxima)) return false;
  const int32_t mask = MaskBehind(g, op);
  if (mask < 0) return false;
  Finding& f = findings.Add(op, Consequence::kAdvice);
  f.message = fmt::format(
      "the mask comes behind the exponential (\"{}\"): where a masked value is the largest by 17 or more, the exponentials "
      "of all that count are 0 in half precision, and their sum is too",
      g.NameOf(mask));
  f.found = "the largest of masked values as well";
  f.fixes.push_back(
      UnsafeFix("mask before the largest is taken (add about -100 to what does not count), or write a Softmax"));
  return true;
}

void VisitExponential(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (HalfInput(g, op) == nullptr || VisitLateMask(g, op, findings) || g.ReadsFrom(op, own.bounded_below)) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the exponential of what is below {} is garbage in half precision, huge positive or negative numbers in place of 0",
      Number(own.least_exponent));
  f.found = "no lower bound";
  f.allowed = fmt::format("{} or more", Number(own.least_exponent));
  f.fixes.push_back(UnsafeFix("where it can be that low, clip it before, at -50 for example"));
}

void VisitAngle(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* in = HalfInput(g, op);
  if (in == nullptr) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} takes its angle in half precision: beyond 100 the result is off by a tenth and more",
      f.op);
  f.found = DtypeName(in->dtype);
  f.fixes.push_back(
      UnsafeFix("compute sines and cosines of positions before, as a constant or an input"));
}

// How far the numbers of a tensor reach that picks rows of a table; 0 = it picks none.
int64_t LastRow(const GraphView& g, TensorId id) {
  int64_t last = 0;
  const auto readers = g.Readers(id);
  for (const int32_t reader : readers.first(std::min<size_t>(readers.size(), kMostLinks))) {
    const auto& inputs = g.op(reader).inputs;
    if (!g.Is(reader, g.settings<Own>().lookups) || g.input(reader, 1) == nullptr ||
        g.Shown(inputs[1]) != g.Shown(id)) {
      continue;
    }
    const Tensor* table = g.input(reader, 0);
    const Param* axis = g.op(reader).FindParam("axis");
    const auto rows = table == nullptr ? std::nullopt : DimOf(*table, axis == nullptr ? 0 : IntOf(axis->value).value_or(0));
    last = std::max(last, rows.value_or(0) - 1);
  }
  return last;
}

// Numbers of tokens or classes that become floats, to be compared or searched.
void VisitCast(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor *in = g.input(op, 0), *out = g.output(op);
  if (in == nullptr || !IsHalf(out) || !IsCertain(g, *out) || in->is_static) return;
  int64_t last = 0;
  TensorId id = g.op(op).inputs[0];
  for (int step = 0; step < kMostLinks && id != kNoTensor; ++step) {
    last = std::max(last, LastRow(g, id));
    const int32_t before = g.Producer(id);
    id = before >= 0 && g.Is(before, own.casts) && g.input(before, 0) != nullptr ? g.op(before).inputs[0] : kNoTensor;
  }
  if (last <= own.most_counted) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "integers up to {} become half precision, which has every integer up to {} only: beyond, neighbours are equal",
      last, own.most_counted);
  f.found = fmt::format("up to {}", last);
  f.allowed = fmt::format("up to {}", own.most_counted);
  f.fixes.push_back(UnsafeFix("compare and search them as integers (INT_32)"));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (g.Refused(op)) return;
  if (g.Is(op, own.casts)) return VisitCast(g, op, findings);
  if (g.Is(op, own.angles)) return VisitAngle(g, op, findings);
  if (g.Is(op, own.exponentials)) return VisitExponential(g, op, findings);
  if (g.Is(op, own.orders)) return VisitOrder(g, op, findings);
  if (!IsHalf(g.output(op))) return;
  if (g.Is(op, own.limits)) return VisitLimit(g, op, findings);
  if (g.Is(op, own.powers)) return VisitPower(g, op, findings);
  if (g.Is(op, own.products | own.quotients | own.adds | own.selects)) {
    VisitConstants(g, op, findings);
  }
  if (g.Is(op, own.weighted)) VisitWeight(g, op, findings);
  if (g.Is(op, own.scores)) VisitScores(g, op, findings);
  if (g.Is(op, own.sums)) VisitSum(g, op, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kHalfPrecisionRange,
                  {.summary = "a number leaves the range of the half precision that floats run in",
                   .explanation = R"(## What it checks
Ops that are written in float: constants that they multiply with or divide by, weights, the epsilon or
the mask that they add, lower limits that are 0 there, squares that are added up, products of what norms
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

}  // namespace half_precision_range

const RuleEntry kHalfPrecisionRangeEntry = half_precision_range::kEntry;

}  // namespace quantgate::rules
