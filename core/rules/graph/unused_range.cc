#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unused_range {

struct Own : Settings {
  SetMask shares = 0, signed_shares = 0;  // values from 0 to 1, from -1 to 1
  SetMask limits = 0;                     // cut at two params
  std::string_view low, high;             // their names
  SetMask passes = 0;                     // between the values that are read, or 0
  SetMask relus = 0;                      // the same, and none below 0
  SetMask sums = 0, differences = 0, products = 0;
  double min_lost_bits = 2, min_lost_by_limits = 1, min_lost_by_inputs = 2;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::shares>("shares"),
                                    F::Bind<&Own::signed_shares>("signed_shares"),
                                    F::Bind<&Own::limits>("limits"),
                                    F::Bind<&Own::low>("low"),
                                    F::Bind<&Own::high>("high"),
                                    F::Bind<&Own::passes>("passes"),
                                    F::Bind<&Own::relus>("relus"),
                                    F::Bind<&Own::sums>("sums"),
                                    F::Bind<&Own::differences>("differences"),
                                    F::Bind<&Own::products>("products"),
                                    F::Bind<&Own::min_lost_bits>("min_lost_bits"),
                                    F::Bind<&Own::min_lost_by_limits>("min_lost_by_limits"),
                                    F::Bind<&Own::min_lost_by_inputs>("min_lost_by_inputs")};

struct Bounds {
  double low, high;
  double least;            // lost bits from which on it is worth a word
  bool of_inputs = false;  // by what the encodings of the inputs hold
};

std::optional<double> FiniteParam(const Node& node, std::string_view name) {
  const Param* const param = node.FindParam(name);
  const auto* real = param != nullptr ? std::get_if<double>(&param->value) : nullptr;
  return real != nullptr && std::isfinite(*real) ? std::optional(*real) : std::nullopt;
}

// What a tensor can hold, by a scale for all of it.
std::optional<Interval> Held(const Tensor* t) {
  const bool per_tensor = t != nullptr && t->encoding->kind == EncodingKind::kPerTensor;
  return per_tensor ? HeldRange(t) : std::nullopt;
}

// Of two inputs.
Interval Combined(const GraphView& g, const Own& settings, int32_t op, Interval a, Interval b) {
  if (g.Is(op, settings.sums)) return {a.low + b.low, a.high + b.high};
  if (g.Is(op, settings.differences)) return {a.low - b.high, a.high - b.low};
  return ProductOf(a, b);
}

// By the encodings of the inputs; nullopt where one is not known.
std::optional<Bounds> BoundsByInputs(const GraphView& g, const Own& settings, int32_t op) {
  const bool passes = g.Is(op, settings.passes | settings.relus);
  if (!passes && !g.Is(op, settings.sums | settings.differences | settings.products)) {
    return std::nullopt;
  }
  std::optional<Interval> all;
  if (passes) {
    for (size_t i = 0; i < g.op(op).inputs.size(); ++i) {
      const Tensor* const in = g.input(op, i);
      if (in == nullptr || !(IsFixedPoint(in->dtype) || IsFloat(in->dtype))) continue;
      const std::optional<Interval> held = Held(in);
      if (!held) return std::nullopt;
      if (!all) all = Interval{0, 0};
      *all = {std::min(all->low, held->low), std::max(all->high, held->high)};
    }
  } else if (const auto a = Held(g.input(op, 0)), b = Held(g.input(op, 1)); a && b) {
    all = Combined(g, settings, op, *a, *b);
  }
  if (all && g.Is(op, settings.relus)) all->low = 0;
  if (!all || !(all->low < all->high)) return std::nullopt;
  return Bounds{all->low, all->high, settings.min_lost_by_inputs, true};
}

// What the op's values lie between.
std::optional<Bounds> BoundsOf(const GraphView& g, const Own& settings, int32_t op) {
  if (g.Is(op, settings.shares)) return Bounds{0, 1, settings.min_lost_bits};
  if (g.Is(op, settings.signed_shares)) return Bounds{-1, 1, settings.min_lost_bits};
  if (!g.Is(op, settings.limits)) return BoundsByInputs(g, settings, op);
  const auto low = FiniteParam(g.op(op), settings.low), high = FiniteParam(g.op(op), settings.high);
  if (!low || !high || !(*low < *high)) return std::nullopt;
  return Bounds{*low, *high, settings.min_lost_by_limits};
}

// Bits of the output that no value of the op uses; 0 = few.
double LostBits(const Tensor* out, const Bounds& bounds) {
  const std::optional<Interval> held = Held(out);
  if (!held) return 0;
  const double lost = std::log2((held->high - held->low) / (bounds.high - bounds.low));
  return lost >= bounds.least ? lost : 0;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const auto bounds = BoundsOf(g, g.settings<Own>(), op);
  if (!bounds) return;
  const double lost = LostBits(g.output(op), *bounds);
  if (lost == 0 || g.Refused(op) || g.ReportedBefore(op)) return;
  const Tensor& out = *g.output(op);
  const double steps = std::exp2(EffectiveBits(out));
  const double scale = (bounds->high - bounds->low) / steps;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "values of {} lie from {} to {}{}, and the encoding reaches over {}: {:.1f} of {} bits are "
      "never used",
      g.op(op).op, Number(bounds->low), Number(bounds->high),
      bounds->of_inputs ? " by the encodings of its inputs" : "",
      Number(out.encoding->scales[0] * (steps - 1)), lost, EffectiveBits(out));
  f.found = DescribeEncoding(out);
  f.allowed = fmt::format("a scale of about {}", Number(scale));
  f.lost_bits = lost;
  f.fixes.push_back(UnsafeFix(fmt::format("use the scale {}", Number(scale))));
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnusedRange, {.summary = "an op's values use a small part of their encoding",
                                 .explanation = R"(## What it checks
Outputs of ops whose values have known bounds (Softmax, Sigmoid, Tanh and others in the op sets, a
ReluMinMax with its two limits) against the range of their encoding. The same for sums, differences,
products, averages and ops that choose or move values, whose bounds follow from the encodings of their
inputs. It speaks up from two lost bits on, at limits from one.

## Why
A 16-bit Softmax with the scale of an 8-bit one (1/256) has 256 of its 65,536 steps for values from
0 to 1: it costs 16 bits and is as coarse as 8. An output whose encoding reaches beyond whatever its
inputs can make was calibrated on something else: another tensor, an outlier, a stand-in range.

## Fix
Use the scale that the message names.

## References
The evidence is listed below; the rest is arithmetic.
)",
                                 .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unused_range

const RuleEntry kUnusedRangeEntry = unused_range::kEntry;

}  // namespace quantgate::rules
