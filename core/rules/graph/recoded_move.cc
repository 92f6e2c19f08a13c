#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace recoded_move {

struct Own : Settings {
  SetMask moves = 0, joins = 0;
  double max_lost_bits = 0, max_cut = 0;  // of an input that is joined: beyond, others say so
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::moves>("moves"), F::Bind<&Own::joins>("joins"),
                                    F::Bind<&Own::max_lost_bits>("max_lost_bits"),
                                    F::Bind<&Own::max_cut>("max_cut")};

struct Recoding {
  int32_t op;
  size_t in, out;  // ports
  double bytes;
};

// Whether the encoding of a join loses so much of an input that concat-lost-bits or cut-range says
// so.
bool IsLossy(const GraphView& g, int32_t op, const Tensor& from, const Tensor& to) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.joins)) return false;
  const Interval in = *HeldRange(&from), out = *HeldRange(&to);
  const double cut = std::max(out.low - in.low, in.high - out.high);
  return std::log2(*StepOf(&to) / *StepOf(&from)) >= own.max_lost_bits ||
         cut > own.max_cut * (in.high - in.low);
}

// The first pair of an input and an output whose encodings differ by more than rounding does.
std::optional<Recoding> At(const GraphView& g, int32_t op) {
  for (size_t in = 0; in < g.op(op).inputs.size(); ++in) {
    const Tensor* const from = g.input(op, in);
    if (!StepOf(from) || from->is_static) continue;
    for (size_t out = 0; out < g.op(op).outputs.size(); ++out) {
      const Tensor* const to = g.output(op, out);
      if (!StepOf(to) || from->dtype != to->dtype || RoundsAlike(*to, *from)) continue;
      if (IsLossy(g, op, *from, *to)) return std::nullopt;
      return Recoding{op, in, out, BytesOf(*from) + BytesOf(*to)};
    }
  }
  return std::nullopt;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  std::vector<Recoding> found;
  double bytes = 0;
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (!g.Is(op, g.settings<Own>().moves) || g.Refused(op) || g.ReportedBefore(op)) continue;
    const auto recoding = At(g, op);
    if (!recoding) continue;
    found.push_back(*recoding);
    bytes += recoding->bytes;
  }
  if (found.empty()) return;
  const auto largest =
      std::max_element(found.begin(), found.end(),
                       [](const Recoding& a, const Recoding& b) { return a.bytes < b.bytes; });
  Finding& f = findings.AddInput(largest->op, largest->in, Consequence::kAdvice);
  f.message = fmt::format(
      "{} only moves values, and its output has another encoding than {}: each value is converted "
      "and rounded again",
      f.op, f.port);
  f.found = fmt::format("{} becomes {}", DescribeEncoding(*g.input(largest->op, largest->in)),
                        DescribeEncoding(*g.output(largest->op, largest->out)));
  if (found.size() > 1) {
    f.found += fmt::format("; so it is at {} ({} a run together)",
                           Quoted(OtherNames(g, found, largest->op)), Bytes(bytes));
  }
  f.allowed = "one encoding for what goes in and what comes out";
  f.related = {fmt::format("out[{}]", largest->out)};
  f.fixes.push_back(UnsafeFix("give both sides the same encoding, calibrated over both"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kRecodedMove, {.summary = "an op that only moves values changes their encoding",
                                 .explanation = R"(## What it checks
Ops that select, join or reorder values and compute nothing: their outputs should have the encoding of
their inputs. What differs by less than rounding does is left out. All of a model in one finding, at
the largest tensor. Where bits are lost or a range is cut, QG407 and QG408 say so at each op.

## Why
With one encoding such an op copies, or nothing is done at all. With two it is a conversion: a pass that
computes each value anew and rounds it a second time, by up to half a step of the output.

## Fix
Let the quantizer tie both sides: a shared encoding, calibrated over all that is joined or split.

## References
The evidence and what the real library or provider said are listed below.
)",
                                 .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace recoded_move

const RuleEntry kRecodedMoveEntry = recoded_move::kEntry;

}  // namespace quantgate::rules
