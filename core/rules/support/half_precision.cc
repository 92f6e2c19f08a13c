#include "core/rules/support/half_precision.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/length_bound.h"
#include "core/rules/support/squares.h"
#include "quantgate/report.h"

namespace quantgate::rules::half_precision_range {
namespace {

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

Interval BoundsOf(const GraphView& g, int32_t op) {
  return ValueBounds(g, g.op(op).inputs[0], g.settings<Own>());
}

// Whether what an op reads first can't go beyond a limit at either side of 0.
bool StaysWithin(const GraphView& g, int32_t op, double limit) {
  const Interval bounds = BoundsOf(g, op);
  return -limit <= bounds.low && bounds.high <= limit;
}

void VisitSquares(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (HalfInput(g, op) == nullptr) return;
  const int32_t square = SquareBefore(g, op, g.settings<Own>().products, g.settings<Own>().powers);
  if (square < 0) return;
  const double root = std::floor(std::sqrt(g.settings<Own>().most));
  if (StaysWithin(g, square, root)) return;
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

// A sum of so many values that ordinary ones overflow.
void VisitLongSum(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor *in = HalfInput(g, op), *out = g.output(op);
  if (in == nullptr || out == nullptr) return;
  double count = LeastElements(*in) / LeastElements(*out);
  if (count == 1) {  // a running sum
    const Param* axis = g.op(op).FindParam("axis");
    count = static_cast<double>(DimOf(*in, axis == nullptr ? -1 : IntOf(axis->value).value_or(-1)).value_or(0));
  }
  const Own& own = g.settings<Own>();
  if (!(count >= static_cast<double>(own.many_addends))) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "a sum of {} values overflows half precision, in which floats are computed, where their mean is beyond {:.2g}",
      Number(count), own.most / count);
  f.found = Dims(*in);
  f.allowed = fmt::format("sums within {}", Number(own.most));
  f.fixes.push_back(UnsafeFix("take a mean, scale the values down before, or sum in pieces"));
}

// Values whose power overflows.
void ReportPower(const GraphView& g, int32_t op, double exponent, GraphFindings& findings) {
  const double root = std::floor(std::pow(g.settings<Own>().most, 1 / exponent));
  if (StaysWithin(g, op, root)) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format("values beyond {} overflow half precision, in which floats are computed, to the power of {}",
                          Number(root), Number(exponent));
  f.found = fmt::format("to the power of {}", Number(exponent));
  f.allowed = fmt::format("values within {}", Number(root));
  f.fixes.push_back(UnsafeFix("scale the values down before, and the result up where it is used"));
}

// Whether what an op makes is added up along an axis: what overflows is said there.
bool IsSummed(const GraphView& g, int32_t op) {
  const auto readers = g.Readers(g.op(op).outputs[0]);
  return std::any_of(readers.begin(), readers.end(),
                     [&](int32_t reader) { return g.Is(reader, g.settings<Own>().sums); });
}

// Whether a power of it is right where the base is a negative zero.
bool KeepsNegativeZero(const Tensor* exponent) {
  const std::optional<double> number = NumberOf(exponent);
  return number && (*number < 0 || (*number > 1 && std::fmod(*number, 2) == 1));
}

// Whether stored integers stand behind a tensor, whose 0 has no sign.
bool IsDequantized(const GraphView& g, TensorId id) {
  const int32_t op = g.Producer(id);
  return op >= 0 && g.Is(op, g.settings<Own>().moves) && g.input(op, 0) != nullptr &&
         IsFixedPoint(g.input(op, 0)->dtype);
}

// The base may be a negative zero, as 0 times a negative number is; a sum never is.
void VisitPower(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor* base = HalfInput(g, op);
  const double exponent = NumberOf(g.input(op, 1)).value_or(0);
  if (base != nullptr && exponent >= 2 && !IsSummed(g, op)) ReportPower(g, op, exponent, findings);
  if (base == nullptr || KeepsNegativeZero(g.input(op, 1)) || g.ReadsFrom(op, own.adds | own.subtractions)) return;
  if (g.ReadsFrom(op, own.shares) || BoundsOf(g, op).low > 0 || IsDequantized(g, g.op(op).inputs[0])) return;
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
  if (BoundsOf(g, op).low >= own.least_exponent) return;
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
  if (in == nullptr || !IsHalf(out) || !IsCertain(g, *out)) return;
  if (in->is_static) {
    const double magnitude = MagnitudeOf(*in).value_or(0);
    if (magnitude <= own.most) return;
    Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
    f.message = fmt::format("the constant {} reaches {} and becomes infinity in half precision, which ends at {}", f.port,
                            Number(magnitude), Number(own.most));
    f.found = fmt::format("up to {}", Number(magnitude));
    f.allowed = fmt::format("at most {}", Number(own.most));
    f.fixes.push_back(UnsafeFix("scale what it is used with so that it stays within"));
    return;
  }
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

// Floats that are brought to a range beyond half precision.
void VisitQuantize(const GraphView& g, int32_t op, GraphFindings& findings) {
  const auto held = HeldRange(g.output(op));
  const double most = g.settings<Own>().most;
  if (HalfInput(g, op) == nullptr || !held || std::max(-held->low, held->high) <= most) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "the range up to {} of what {} makes is beyond half precision, in which {} is computed before: it ends at {}, and what "
      "exceeds it is infinite or cut",
      Number(std::max(-held->low, held->high)), f.op, f.port, Number(most));
  f.found = fmt::format("from {} to {}", Number(held->low), Number(held->high));
  f.allowed = fmt::format("within {}", Number(most));
  f.fixes.push_back(UnsafeFix("quantize the op that makes it as well, or scale what it reads down"));
}

}  // namespace

bool VisitInexact(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (g.Is(op, own.quantizes)) {
    VisitQuantize(g, op, findings);
  } else if (g.Is(op, own.casts)) {
    VisitCast(g, op, findings);
  } else if (g.Is(op, own.angles)) {
    VisitAngle(g, op, findings);
  } else if (g.Is(op, own.exponentials)) {
    VisitExponential(g, op, findings);
  } else if (g.Is(op, own.orders)) {
    VisitOrder(g, op, findings);
  } else if (g.Is(op, own.powers)) {
    if (IsHalf(g.output(op))) VisitPower(g, op, findings);
  } else {
    return false;
  }
  return true;
}

void VisitOverflow(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (IsSquare(g, op, g.settings<Own>().products) && !IsSummed(g, op) && HalfInput(g, op) != nullptr) {
    ReportPower(g, op, 2, findings);
  }
  if (g.Is(op, g.settings<Own>().long_sums)) VisitLongSum(g, op, findings);
  if (g.Is(op, g.settings<Own>().scores)) VisitScores(g, op, findings);
  if (g.Is(op, g.settings<Own>().sums)) VisitSquares(g, op, findings);
}

}  // namespace quantgate::rules::half_precision_range
