#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unscaled_join {

constexpr int kBits = 8;

struct Own : Settings {
  SetMask joins = 0, moves = 0;
  SetMask curves = 0;  // of one input
  // Ops that are a curve beside one constant number, in whatever port, and where it stands in the first or second.
  SetMask beside_number = 0, after_number = 0, before_number = 0;
  int64_t rank = 5;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::joins>("joins"),
                                    F::Bind<&Own::moves>("moves"),
                                    F::Bind<&Own::curves>("curves"),
                                    F::Bind<&Own::beside_number>("beside_number"),
                                    F::Bind<&Own::after_number>("after_number"),
                                    F::Bind<&Own::before_number>("before_number"),
                                    F::Bind<&Own::rank>("rank")};

bool IsEightBit(const GraphView& g, const Tensor* t) {
  return StepOf(t) && t->rank() == g.settings<Own>().rank && EffectiveBits(*t) == kBits && BitsOf(t->dtype) == kBits;
}

// A number of as many dimensions as the op is not taken for one.
bool IsNumber(const GraphView& g, const Tensor* t) {
  return t != nullptr && t->is_static && t->rank() < g.settings<Own>().rank &&
         std::all_of(t->dims.begin(), t->dims.end(), [](int64_t dim) { return dim == 1; });
}

// Whether the op is computed by looking up each stored value of one input.
bool IsCurve(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  if (g.Is(op, own.curves)) return true;
  const bool first = IsNumber(g, g.input(op, 0)), second = IsNumber(g, g.input(op, 1));
  return (first && g.Is(op, own.beside_number | own.after_number)) ||
         (second && g.Is(op, own.beside_number | own.before_number));
}

// The op that computes what a port of the join reads, behind ops that move it alone; -1 if it is no curve.
int32_t CurveBehind(const GraphView& g, int32_t join, size_t port) {
  const Tensor* joined = g.input(join, port);
  TensorId id = g.op(join).inputs[port];
  for (int link = 0; link < kMostLinks; ++link) {
    const Tensor& made = g.tensor(g.Shown(id));
    const int32_t op = g.Producer(id);
    if (op < 0 || g.Refused(op) || !IsEightBit(g, &made) || made.dtype != joined->dtype ||
        !SameEncoding(made.encoding, joined->encoding)) {
      return -1;
    }
    if (IsCurve(g, op)) return op;
    if (!g.Is(op, g.settings<Own>().moves) || g.input(op, 0) == nullptr) return -1;
    id = g.op(op).inputs[0];
  }
  return -1;
}

bool IsLowestZero(const Tensor& t) { return ZeroPointAt(t.encoding, 0) == StoredMin(t.dtype, t.encoding->bitwidth); }

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (!g.Is(op, g.settings<Own>().joins) || g.Refused(op)) return;
  const Tensor* out = g.output(op);
  if (!IsEightBit(g, out)) return;
  for (size_t port = 0; port < g.op(op).inputs.size(); ++port) {
    const Tensor* in = g.input(op, port);
    if (!IsEightBit(g, in) || in->dtype != out->dtype || IsBarelyOff(*out, *in)) continue;
    if (IsLowestZero(*in) && !IsLowestZero(*out)) continue;  // this alone is rescaled
    const int32_t curve = CurveBehind(g, op, port);
    if (curve < 0) continue;
    Finding& f = findings.AddInput(op, port, Consequence::kWrongValues);
    f.message = fmt::format(
        "{} copies what \"{}\" ({}) stored into its output and does not rescale it: with five dimensions and 8 bits it "
        "is read with another encoding than it was written with",
        f.op, g.NameOf(curve), g.op(curve).op);
    f.found = DescribeEncoding(*out);
    f.allowed = DescribeEncoding(*in);
    f.related = {"out[0]"};
    f.fixes.push_back(
        UnsafeFix(fmt::format("give the outputs of \"{}\" and of the join one encoding", g.NameOf(curve))));
    f.fixes.push_back(UnsafeFix("compute and join it in four dimensions (a Reshape before the op), or in 16 bits"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnscaledJoin,
                  {.summary = "a join of five dimensions copies stored values and does not rescale them",
                   .explanation = R"(## What it checks
Inputs of an 8-bit Concat of five dimensions whose encoding is not that of its output, and which come from an op
that is computed by a table: Sigmoid, Exp, Abs, HardSigmoid, or one number that is added, subtracted, compared,
divided by the input, an exponent, or the slope of a Prelu. Ops between the two that only move values change nothing.

## Why
The library writes the table straight into the output of the Concat, in the encoding that the op had by itself: a
Sigmoid of 1/255 a step, joined with boxes of 1 a step, comes out as 208 in place of 0.8. It is right with fewer
dimensions or 16 bits, and where the input's zero point is the lowest stored value and the output's is not.

## Fix
Give both tensors one encoding, or compute and join in four dimensions: in a detector's head, Reshape before the
Sigmoid.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unscaled_join

const RuleEntry kUnscaledJoinEntry = unscaled_join::kEntry;

}  // namespace quantgate::rules
