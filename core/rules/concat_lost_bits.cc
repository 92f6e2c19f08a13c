#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

void Walk(const GraphView& g, GraphFindings& findings) {
  const SetMask joins = g.sets().Bits(g.settings()["joins"]);
  const double least = g.settings()["least_bits"].real().value_or(2);
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (!g.Is(op, joins)) continue;
    const Tensor* out = g.output(op);
    if (out == nullptr || !IsFixedPoint(out->dtype) || out->encoding.scales.size() != 1) continue;
    const double step = out->encoding.scales[0];
    for (size_t port = 0; port < g.op(op).inputs.size(); ++port) {
      const Tensor* in = g.input(op, port);
      if (in == nullptr || !IsFixedPoint(in->dtype) || in->encoding.scales.size() != 1) continue;
      const double own = in->encoding.scales[0];
      if (!(own > 0) || !(step > 0)) continue;
      const double lost = std::log2(step / own);
      if (!(lost >= least) || !std::isfinite(lost)) continue;
      Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
      const int bits = EffectiveBits(*in);
      f.message = fmt::format(
          "{} loses {} of its {} bits: the output of {} has a step {} times as large", f.port,
          lost < bits ? fmt::format("{:.1f}", lost) : "all", bits, f.op, Number(step / own));
      f.found = DescribeEncoding(*out);
      f.allowed = fmt::format("near {}", DescribeEncoding(*in));
      f.related = {"out[0]"};
      f.fixes.push_back(UnsafeFix("join tensors of similar range, or use 16 bits here"));
    }
  }
}

constexpr RuleEntry kEntry = {
    .rule = {.code = "QG407",
             .slug = "concat-lost-bits",
             .summary = "an input joins others with a much coarser scale and loses bits",
             .explanation = R"(## What it checks
Inputs of Concat and Pack are requantized to the encoding of the output. Where the output's step is
several times that of an input, the input loses log2 of the ratio in bits. The comparison is
relative.

## Why
A tensor of small values beside one of large values keeps a handful of steps: 8 bits become 4. The
model runs, and its accuracy is gone for that branch.

## Fix
Join tensors of similar range, scale the small one up before and down again in the next weight, or
use 16 bits for the joined tensor.

## References
The evidence and what the real library or provider said are listed below.
)",
             .status = RuleStatus::kStable},
    .walk = Walk};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry concat_lost_bits;
const RuleEntry concat_lost_bits = kEntry;

}  // namespace quantgate::rules
