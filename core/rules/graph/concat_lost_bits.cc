#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

struct Own : Settings {
  SetMask joins = 0;
  SetMask sums = 0;  // of two inputs
  double min_lost_bits = 2;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::joins>("joins"), F::Bind<&Own::sums>("sums"),
                                    F::Bind<&Own::min_lost_bits>("min_lost_bits")};

bool HasStep(const Tensor* t) {
  return t != nullptr && IsFixedPoint(t->dtype) && t->encoding->scales.size() == 1 &&
         t->encoding->scales[0] > 0;
}

// Bits of `in` that the steps of `out` don't tell; both have a step.
double Lost(const Tensor& in, const Tensor& out) {
  return std::log2(double{out.encoding->scales[0]} / double{in.encoding->scales[0]});
}

bool TooMany(double lost, const Own& settings) {
  return lost >= settings.min_lost_bits && std::isfinite(lost);
}

// Largest real number, whatever its sign, that a tensor with a step may hold.
double Reach(const Tensor& t) {
  if (const auto values = RealRange(t)) {
    return std::max(std::abs(values->first), std::abs(values->second));
  }
  const double zero = t.encoding->zero_points.empty() ? 0 : t.encoding->zero_points[0];
  const double low = static_cast<double>(StoredMin(t.dtype, t.encoding->bitwidth)) - zero;
  const double high = static_cast<double>(StoredMax(t.dtype, t.encoding->bitwidth)) - zero;
  return std::max(std::abs(low), std::abs(high)) * t.encoding->scales[0];
}

// An addend that changes no stored value of the sum: all of it is below half a step.
void VisitSum(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* out = g.output(op);
  if (!HasStep(out) || g.op(op).inputs.size() != 2) return;
  const double step = out->encoding->scales[0];
  for (size_t port = 0; port < 2; ++port) {
    const Tensor* in = g.input(op, port);
    if (!HasStep(in)) continue;
    const double reach = Reach(*in);
    if (!(reach > 0) || reach >= step / 2) continue;
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    f.message = fmt::format(
        "{} reaches {} and a step of the sum is {}: nothing of it is left in the output of {}",
        f.port, Number(reach), Number(step), f.op);
    f.found = DescribeEncoding(*out);
    f.allowed = fmt::format("a step of at most {}", Number(2 * reach));
    f.related = {"out[0]"};
    f.lost_bits = EffectiveBits(*in);
    f.fixes.push_back(
        UnsafeFix("keep the sum in 16 bits, scale the addends alike, or leave it in float"));
  }
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (g.Is(op, settings.sums)) VisitSum(g, op, findings);
  if (!g.Is(op, settings.joins)) return;
  const Tensor* out = g.output(op);
  if (!HasStep(out)) return;
  for (size_t port = 0; port < g.op(op).inputs.size(); ++port) {
    const Tensor* in = g.input(op, port);
    if (!HasStep(in)) continue;
    const double lost = Lost(*in, *out);
    if (!TooMany(lost, settings)) continue;
    const double step = out->encoding->scales[0], own = in->encoding->scales[0];
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    const int bits = EffectiveBits(*in);
    f.message = fmt::format(
        "{} loses {} of its {} bits: the scale of the output of {} is {} times as large", f.port,
        lost < bits ? fmt::format("{:.1f}", lost) : "all", bits, f.op, Number(step / own));
    f.found = DescribeEncoding(*out);
    f.allowed = fmt::format("near {}", DescribeEncoding(*in));
    f.related = {"out[0]"};
    f.lost_bits = std::min<double>(lost, bits);
    f.fixes.push_back(UnsafeFix("join tensors of similar range, or use 16 bits here"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kConcatLostBits,
                  {.summary = "an input joins others with a much coarser scale and loses bits",
                   .explanation = R"(## What it checks
Inputs of Concat and Pack are requantized to the encoding of the output. Where the output's step is
several times that of an input, the input loses log2 of the ratio in bits. The comparison is
relative. An addend of a sum must not lie below half a step of the sum as a whole.

## Why
A tensor of small values next to one of large values keeps a handful of steps: 8 bits become 4. The
model runs, and its accuracy is gone for that branch.

## Fix
Join tensors of similar range, scale the small one up before and down again in the next weight, or
use 16 bits for the joined tensor.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kConcatLostBitsEntry = kEntry;

}  // namespace quantgate::rules
