#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace bias_scale {

using opdb::ArgKey;

struct Ports {
  const Tensor* activation = nullptr;
  const Tensor* weight = nullptr;
  double tolerance = 0.01;       // relative; a scale this close moves the bias by less than a step
  std::optional<double> most{};  // times the product; then any smaller scale will do
  const Tensor* peer = nullptr;  // the tolerance is of its scale
};

std::optional<Ports> PortsOf(const Subject& s) {
  const Args args(s.node, s.constraint);
  std::array<int64_t, 2> as;
  if (args.numbers(ArgKey::kAs, as) != size_t{2}) return std::nullopt;
  Ports ports{s.node.tensor(static_cast<int>(as[0])), s.node.tensor(static_cast<int>(as[1]))};
  if (const auto t = args.real(ArgKey::kTolerance)) ports.tolerance = *t;
  ports.most = args.real(ArgKey::kMax);
  if (const auto peer = args.number(ArgKey::kPeer)) {
    ports.peer = s.node.tensor(static_cast<int>(*peer));
    if (ports.peer == nullptr || ports.peer->encoding->scales.empty()) return std::nullopt;
  }
  if (!ports.activation || !ports.weight || ports.activation->encoding->scales.empty() ||
      ports.weight->encoding->scales.empty()) {
    return std::nullopt;
  }
  return ports;
}

double Wanted(const Ports& p, size_t channel) {
  return double{ScaleAt(p.activation->encoding, 0)} * double{ScaleAt(p.weight->encoding, channel)};
}

// The first channel whose bias scale is off.
std::optional<size_t> FirstWrong(const Subject& s, const Ports& p) {
  const Encoding& bias = s.tensor->encoding;
  const size_t n = std::max(bias.scales.size(), p.weight->encoding->scales.size());
  for (size_t i = 0; i < n; ++i) {
    const double want = Wanted(p, i);
    const double have = ScaleAt(bias, i);
    const double of = p.peer != nullptr ? double{ScaleAt(p.peer->encoding, 0)}
                                        : std::max(std::abs(have), std::abs(want));
    const bool fits =
        p.most ? std::abs(have) <= *p.most * std::abs(want)
               : std::abs(have - want) <= p.tolerance * of;
    if (!fits) return i;
  }
  return std::nullopt;
}

// How much a bias that is read with the wanted scale moves its output, at most; nothing where its
// values are unknown.
std::optional<double> LargestChange(const Tensor& bias, const Ports& p) {
  const std::vector<int64_t> none;
  const std::vector<int64_t>& ints = bias.values ? bias.values->ints : none;
  if (ints.empty() && !bias.value_range) return std::nullopt;
  size_t n = std::max(bias.encoding->scales.size(), p.weight->encoding->scales.size());
  n = std::max(n, ints.size());
  double largest = 0;
  for (size_t i = 0; i < n; ++i) {
    const double stored =
        ints.empty() ? std::max(std::abs(bias.value_range->first),
                                std::abs(bias.value_range->second))
                     : std::abs(static_cast<double>(ints[i % ints.size()]));
    const double off = double{ScaleAt(bias.encoding, i)} - Wanted(p, i);
    largest = std::max(largest, stored * std::abs(off));
  }
  return largest;
}

bool RoundsAway(const Subject& s, const Ports& p) {
  const Tensor* out = s.node.tensor(s.node.op().input_count);
  if (p.most || out == nullptr || !IsFixedPoint(out->dtype) ||
      out->encoding->kind != EncodingKind::kPerTensor) {
    return false;
  }
  const std::optional<double> change = LargestChange(*s.tensor, p);
  const double step = ScaleAt(out->encoding, 0);
  return change && *change < (ComputedSteps(out->dtype) + 0.5) * step;
}

bool Holds(const Subject& s) {
  if (!IsFixedPoint(s.tensor->dtype) || s.tensor->encoding->scales.empty()) return true;
  const auto ports = PortsOf(s);
  return !ports || !FirstWrong(s, *ports);
}

void Explain(const Subject& s, Finding& f) {
  const auto ports = PortsOf(s);
  const size_t channel = FirstWrong(s, *ports).value_or(0);
  f.found = fmt::format("scale {}", Number(ScaleAt(s.tensor->encoding, channel)));
  f.allowed =
      fmt::format("scale {}{} = {} × {} (input × weight)",
                  ports->most ? fmt::format("at most {} times ", Number(*ports->most)) : "",
                  Number(Wanted(*ports, channel)), Number(ScaleAt(ports->activation->encoding, 0)),
                  Number(ScaleAt(ports->weight->encoding, channel)));
  const bool rounds_away = f.consequence == Consequence::kWrongValues && RoundsAway(s, *ports);
  f.message = fmt::format("the bias {} of {} {} {}, and has {}", f.port, f.op,
                          rounds_away ? "should have" : "must have", f.allowed, f.found);
  if (s.tensor->encoding->scales.size() > 1 || ports->weight->encoding->scales.size() > 1) {
    f.message += fmt::format(" in channel {}", channel);
  }
  if (rounds_away) {
    f.consequence = Consequence::kUndocumented;
    f.message += "; its values are so small that the output changes by no more than rounding does";
  }
  Fix fix = UnsafeFix(fmt::format("quantize \"{}\" with input scale × weight scale, zero_point 0",
                                  s.tensor->name));
  const Encoding& weight = ports->weight->encoding;
  const std::string encoding = fmt::format("tensors/{}/encoding/", s.tensor->name);
  if (weight.kind == EncodingKind::kPerTensor) {
    fix.edits.push_back(
        {"set", encoding + "perTensor/scale", fmt::format("{:.9g}", Wanted(*ports, 0))});
  } else {
    std::string scales;
    for (size_t i = 0; i < weight.scales.size(); ++i) {
      scales += fmt::format("{}{:.9g}", i > 0 ? ", " : "", Wanted(*ports, i));
    }
    fix.edits.push_back({"set", encoding + "perChannel/axis", "0"});
    fix.edits.push_back({"set", encoding + "perChannel/scales", fmt::format("[{}]", scales)});
  }
  f.fixes.push_back(std::move(fix));
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kBiasScale, {.summary = "the scale of the bias is not input scale times weight scale",
                           .explanation = R"(## What it checks
A 32-bit bias is added to the accumulator, whose step is input scale × weight scale, per
channel.

## Why
Where the library does not requantize the bias, another scale drops it or adds wrong numbers.
Where the values of the bias are known and move the output by no more than two steps (80 of 16
bits), as those of a bias of zeros, it is as good as rounded and only the documentation is against
it.

## Fix
Set the bias scale to the product, zero point 0, and re-quantize the bias values.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                           .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace bias_scale

const RuleEntry kBiasScaleEntry = bias_scale::kEntry;

}  // namespace quantgate::rules
