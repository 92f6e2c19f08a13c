#include <fmt/core.h>

#include <cmath>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/squares.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace written_out_norm {

struct Own : Settings {
  SetMask products = 0, powers = 0, sums = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::products>("products"),
                                    F::Bind<&Own::powers>("powers"), F::Bind<&Own::sums>("sums")};

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.sums)) return;
  const Tensor* squares = g.input(op, 0);
  if (!HasOneScale(squares)) return;
  const int32_t square = SquareBefore(g, op, own.products, own.powers);
  if (square < 0) return;
  // Half a step of the squares, whose range is that of the values squared.
  const double part = std::sqrt(2 * (std::exp2(EffectiveBits(*squares)) - 1));
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "a norm is written out: the squares of \"{}\" have {} bits, what is below 1/{} of the largest value is 0 in their sum, "
      "and the norm of a row of small values is lost",
      g.NameOf(square), EffectiveBits(*squares), Number(std::floor(part)));
  f.found = DescribeEncoding(*squares);
  f.fixes.push_back(
      UnsafeFix("write the norm as one operator before quantization (RMSNormalization, "
                "LayerNormalization, LpNormalization)"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kWrittenOutNorm,
                  {.summary = "a quantized norm is written out as squares and their sum",
                   .explanation = R"(## What it checks
A product of a tensor with itself, or its power of 2, with an encoding of its own, that is summed or
averaged next.

## Why
Squares have twice the range in bits: with 8 bits all values below a 22nd of the largest have the
square 0, with 16 bits those below a 360th. Rows of a transformer without outliers, next to one with
a large one, lose their norm. As one operator the sum is kept in the accumulator.

## Fix
Export or fuse the norm as one operator before the encodings are made: RMSNormalization,
LayerNormalization or LpNormalization. Or leave the squares and the sum in float.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace written_out_norm

const RuleEntry kWrittenOutNormEntry = written_out_norm::kEntry;

}  // namespace quantgate::rules
