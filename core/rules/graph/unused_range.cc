#include <fmt/core.h>

#include <cmath>
#include <cstdint>

#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

struct Own : Settings {
  SetMask shares = 0, signed_shares = 0;  // values from 0 to 1, from -1 to 1
  double min_lost_bits = 2;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::shares>("shares"),
                                    F::Bind<&Own::signed_shares>("signed_shares"),
                                    F::Bind<&Own::min_lost_bits>("min_lost_bits")};

// Bits of the output that no value of the op uses; 0 = few.
double LostBits(const GraphView& g, const Own& settings, int32_t op) {
  if (!g.Is(op, settings.shares | settings.signed_shares)) return 0;
  const Tensor* out = g.output(op);
  if (out == nullptr || !IsFixedPoint(out->dtype) ||
      out->encoding->kind != EncodingKind::kPerTensor || out->encoding->scales.size() != 1 ||
      !(out->encoding->scales[0] > 0)) {
    return 0;
  }
  const double needed = g.Is(op, settings.shares) ? 1 : 2;
  const double held = out->encoding->scales[0] * (std::exp2(EffectiveBits(*out)) - 1);
  const double lost = std::log2(held / needed);
  return lost >= settings.min_lost_bits ? lost : 0;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const double lost = LostBits(g, settings, op);
  if (lost == 0 || g.Refused(op) || g.ReportedBefore(op)) return;
  const Tensor& out = *g.output(op);
  const double low = g.Is(op, settings.shares) ? 0 : -1;
  const double steps = std::exp2(EffectiveBits(out));
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "values of {} lie from {} to 1, and the encoding reaches over {}: {:.1f} of {} bits are "
      "never used",
      g.op(op).op, Number(low), Number(out.encoding->scales[0] * (steps - 1)), lost,
      EffectiveBits(out));
  f.found = DescribeEncoding(out);
  f.allowed = fmt::format("a scale of about {}", Number((1 - low) / steps));
  f.lost_bits = lost;
  f.fixes.push_back(UnsafeFix(fmt::format("use the scale {}", Number((1 - low) / steps))));
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnusedRange, {.summary = "an op's values use a small part of their encoding",
                                 .explanation = R"(## What it checks
Outputs of ops whose values have known bounds (Softmax, Sigmoid, Tanh and others in the op sets)
against the range of their encoding. It speaks up from two lost bits on.

## Why
A 16-bit Softmax with the scale of an 8-bit one (1/256) has 256 of its 65,536 steps for values from
0 to 1: it costs 16 bits and is as coarse as 8.

## Fix
Use the scale that the message names.

## References
The evidence is listed below; the rest is arithmetic.
)",
                                 .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kUnusedRangeEntry = kEntry;

}  // namespace quantgate::rules
