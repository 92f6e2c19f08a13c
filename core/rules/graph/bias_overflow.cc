#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace bias_overflow {

constexpr double kLimit = 2147483648.0;  // 2^31

struct Own : Settings {
  double coarser_at_16_bits = 1;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::coarser_at_16_bits>("coarser_at_16_bits")};

// The largest |value| of the bias in steps of the accumulator, and its channel.
struct Worst {
  double steps = 0;
  size_t channel = 0;
  bool cut = false;  // stored at the end of the type
};

// Whether the extremes alone show that nothing overflows, as in most biases: their scale is the
// product of the others, and their values are far from the limit.
bool FarBelow(const Tensor& in, const Tensor& weight, const Tensor& bias) {
  const auto& weights = weight.encoding->scales;
  const auto& scales = bias.encoding->scales;
  if (in.encoding->scales.empty() || weights.empty() || scales.empty() ||
      !IsFixedPoint(bias.dtype) || bias.values->ints.empty()) {
    return false;
  }
  int64_t bits = 0;  // all that any value needs: biases are long, and this takes a cycle for each
  for (const int64_t value : bias.values->ints) bits |= value < 0 ? ~value : value;
  int64_t zero = 0;
  for (const int32_t z : bias.encoding->zero_points) zero = std::max(zero, std::abs(int64_t{z}));
  const double furthest = static_cast<double>(zero) + static_cast<double>(bits) + 1;
  const double finest = *std::min_element(weights.begin(), weights.end());
  const auto [smallest, coarsest] = std::minmax_element(scales.begin(), scales.end());
  const double step = double{in.encoding->scales[0]} * finest;
  // False for whatever is not a number too.
  return step > 0 && *smallest > 0 && furthest < kLimit / 2 &&
         furthest * double{*coarsest} < step * kLimit / 2;
}

std::optional<Worst> WorstOf(const Tensor& in, const Tensor& weight, const Tensor& bias) {
  if (in.encoding->scales.empty() || weight.encoding->scales.empty()) {
    return std::nullopt;
  }
  const bool fixed = IsFixedPoint(bias.dtype) && !bias.encoding->scales.empty();
  if (!fixed && !IsFloat(bias.dtype)) return std::nullopt;
  const size_t count = fixed ? bias.values->ints.size() : bias.values->reals.size();
  Worst worst;
  for (size_t i = 0; i < count; ++i) {
    const double stored = fixed ? static_cast<double>(bias.values->ints[i]) : 0;
    const double real =
        fixed ? (stored - ZeroPointAt(bias.encoding, i)) * double{ScaleAt(bias.encoding, i)}
              : bias.values->reals[i];
    const double step = double{ScaleAt(in.encoding, 0)} * double{ScaleAt(weight.encoding, i)};
    if (!(step > 0) || !std::isfinite(real)) continue;
    const double steps = std::abs(real) / step;
    if (steps > worst.steps) {
      worst = {steps, i, fixed && (stored <= -kLimit || stored >= kLimit - 1)};
    }
  }
  return worst;
}

// How many steps of input scale x weight scale fit: next to a 16-bit input the steps in which a
// quantized bias is added are larger ones.
double LimitAt(const GraphView& g, const Tensor& in, const Tensor& bias) {
  const bool coarse = BitsOf(in.dtype) == 16 && IsFixedPoint(bias.dtype);
  return kLimit * (coarse ? g.settings<Own>().coarser_at_16_bits : 1);
}

// What overflows at an op.
std::optional<Worst> At(const GraphView& g, int32_t op, const Tensor* bias) {
  const OpInfo& info = g.info(op);
  const Tensor* in = g.input(op, 0);
  const Tensor* weight = g.input(op, static_cast<size_t>(info.weight));
  if (in == nullptr || weight == nullptr || !IsFixedPoint(in->dtype) ||
      FarBelow(*in, *weight, *bias)) {
    return std::nullopt;
  }
  const std::optional<Worst> worst = WorstOf(*in, *weight, *bias);
  // Scales are of single precision: the last step is nobody's fault.
  if (!worst || !(worst->cut || worst->steps > LimitAt(g, *in, *bias) * 1.000001)) {
    return std::nullopt;
  }
  return worst;
}

// Apart from Visit(), which every op goes through.
[[gnu::noinline]] void CheckBias(const GraphView& g, int32_t op, const Tensor* bias,
                                 GraphFindings& findings) {
  const std::optional<Worst> worst = At(g, op, bias);
  if (!worst) return;
  const OpInfo& info = g.info(op);
  const auto port = static_cast<size_t>(info.bias);
  const Tensor* in = g.input(op, 0);
  const Tensor* weight = g.input(op, static_cast<size_t>(info.weight));
  // Measured with per-tensor weights and a bias whose own scale is honoured.
  const bool wrong = !worst->cut && IsFixedPoint(bias->dtype) &&
                     weight->encoding->kind == EncodingKind::kPerTensor;
  Finding& f =
      findings.AddInput(op, port, wrong ? Consequence::kWrongValues : Consequence::kAdvice);
  const double step =
      double{ScaleAt(in->encoding, 0)} * double{ScaleAt(weight->encoding, worst->channel)};
  f.message = worst->cut
                  ? fmt::format("the bias of channel {} stands at the end of 32 bits: it was cut",
                                worst->channel)
                  : fmt::format(
                        "the bias of channel {} needs {} steps of input scale x weight "
                        "scale: more than 32 bits hold",
                        worst->channel, Number(worst->steps));
  const double limit = LimitAt(g, *in, *bias);
  f.found = fmt::format("{} x {} = {} a step", Number(ScaleAt(in->encoding, 0)),
                        Number(ScaleAt(weight->encoding, worst->channel)), Number(step));
  f.allowed = fmt::format("at least {} a step", Number(step * worst->steps / limit));
  f.lost_bits = std::max(0.0, std::log2(worst->steps / limit));
  f.related = {"in[0]", fmt::format("in[{}]", info.weight)};
  f.fixes.push_back(UnsafeFix(
      fmt::format("quantize channel {} of the weight with a larger scale", worst->channel)));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const OpInfo& info = g.info(op);
  if (info.bias < 0 || info.weight < 0) return;
  const Tensor* const bias = g.input(op, static_cast<size_t>(info.bias));
  if (bias != nullptr && bias->values != nullptr) CheckBias(g, op, bias, findings);
}

constexpr RuleEntry kEntry = {
    .rule = About(kBiasOverflow,
                  {.summary = "the bias does not fit 32 bits at input scale x weight scale",
                   .explanation = R"(## What it checks
A bias is added to a 32-bit accumulator whose step is input scale x weight scale, and 256 times that
next to a 16-bit input. The largest bias value must be below 2^31 such steps. A bias that stands at
the ends of its type has been cut.

## Why
A channel with tiny weights has a tiny weight scale, and its bias then overflows: the tool that
requantizes the bias cuts it or lets it wrap, and the channel is wrong everywhere.

## Fix
Raise the weight scale of the channel (a floor on the scale), or the input's; or fold the bias into
an addition of its own.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace bias_overflow

const RuleEntry kBiasOverflowEntry = bias_overflow::kEntry;

}  // namespace quantgate::rules
