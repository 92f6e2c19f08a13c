#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/database/view.h"
#include "core/ir/element_count.h"
#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"
#include "quantgate/text.h"

namespace quantgate::rules {
namespace coarse_weight {

struct Own : Settings {
  double min_sqnr = 20, min_sqnr_of_4_bits = 12;  // dB
  SetMask norms = 0;                              // whose second input is a gain for each channel
  int64_t least_gain = 8;                         // steps of half of the gains of 8 bits
  double most_zeros = 0.7;                        // of weights of 4 bits with one scale
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::min_sqnr>("min_sqnr"),
                                    F::Bind<&Own::min_sqnr_of_4_bits>("min_sqnr_of_4_bits"),
                                    F::Bind<&Own::norms>("norms"), F::Bind<&Own::least_gain>("least_gain"),
                                    F::Bind<&Own::most_zeros>("most_zeros")};

using Axes = absl::InlinedVector<int64_t, 6>;

struct Channel {
  size_t index = 0;
  int64_t peak = 0;     // largest distance from the zero point, in steps
  int64_t squares = 0;  // sum of the squared distances: of at most 4,096 values of 16 bits
};

// The dimensions in the order of the file, in which the values lie.
Axes FileDims(const GraphView& g, TensorId id) {
  const Tensor& t = g.tensor(id);
  const std::span<const int8_t> layout = g.FileLayout(id);
  if (layout.empty()) return {t.dims.begin(), t.dims.end()};
  Axes dims(layout.size() - std::count(layout.begin(), layout.end(), -1));
  for (size_t i = 0; i < layout.size(); ++i) {
    if (layout[i] >= 0) dims[static_cast<size_t>(layout[i])] = t.dims[i];
  }
  return dims;
}

int64_t FileAxis(const GraphView& g, TensorId id, int64_t axis) {
  const std::span<const int8_t> layout = g.FileLayout(id);
  return layout.empty() ? axis : layout[static_cast<size_t>(axis)];
}

// The port's channel axis, of the op's layout; -1 = none.
int64_t ChannelAxis(const GraphView& g, int32_t op) {
  const OpInfo& info = g.info(op);
  const auto port = static_cast<size_t>(info.weight);
  const int8_t axis = g.db().get(info.row->ports)[port].channel_axis;
  const int64_t rank = g.input(op, port)->rank();
  const int64_t normal = NormalAxis(axis, rank);
  return normal < rank ? normal : -1;
}

// One for each output channel; none where the values don't fit the dimensions.
std::vector<Channel> ChannelsOf(const Tensor& weight, const Axes& dims, int64_t axis) {
  const std::vector<int64_t>& values = weight.values->ints;
  const auto dynamic = [](int64_t dim) { return dim < 0; };
  if (axis < 0 || axis >= std::ssize(dims) || values.empty() ||
      std::any_of(dims.begin(), dims.end(), dynamic) ||
      ElementCount(dims.data(), dims.size()) != std::ssize(values)) {
    return {};
  }
  const std::span<const int64_t> inner_dims = std::span(dims).subspan(static_cast<size_t>(axis) + 1);
  const int64_t inner = *ElementCount(inner_dims.data(), inner_dims.size());
  std::vector<Channel> channels(static_cast<size_t>(dims[static_cast<size_t>(axis)]));
  for (size_t c = 0; c < channels.size(); ++c) channels[c].index = c;
  for (auto at = values.begin(); at != values.end();) {
    for (Channel& own : channels) {
      const int64_t zero = ZeroPointAt(weight.encoding, own.index);
      for (const auto end = at + inner; at != end; ++at) {
        const int64_t steps = StepsFrom(zero, *at);
        own.peak = std::max(own.peak, steps);
        own.squares += steps * steps;
      }
    }
  }
  return channels;
}

double MeanSquare(const Channel& channel, double values) {
  return static_cast<double>(channel.squares) / values;
}

// Rounding to steps adds noise of 1/12 of a squared step to each value.
double SqnrOf(double mean_square) { return 10 * std::log10(12 * mean_square); }

// Against values that use all steps alike.
double LostBits(const Tensor& weight, double mean_square) {
  const int bits = EffectiveBits(weight);
  const double used = mean_square > 0 ? 0.5 * std::log2(12 * mean_square) : 0;
  return std::clamp<double>(bits - used, 0, bits);
}

bool SharesScale(const Tensor& weight) { return weight.encoding->kind == EncodingKind::kPerTensor; }

struct Coarse {
  std::vector<Channel> channels;  // the coarsest first
  size_t all = 0;                 // of the weight
  double values = 0;              // of a channel
};

Coarse CoarseOf(const GraphView& g, int32_t op, TensorId id) {
  const Tensor& weight = g.tensor(id);
  const Own& settings = g.settings<Own>();
  const int64_t axis = ChannelAxis(g, op);
  if (axis < 0) return {};
  Coarse coarse;
  coarse.channels = ChannelsOf(weight, FileDims(g, id), FileAxis(g, id, axis));
  coarse.all = coarse.channels.size();
  if (coarse.all == 0) return coarse;
  coarse.values = static_cast<double>(weight.values->ints.size() / coarse.all);
  const bool own_scales = !SharesScale(weight);
  const double least =
      EffectiveBits(weight) <= 4 ? settings.min_sqnr_of_4_bits : settings.min_sqnr;
  std::erase_if(coarse.channels, [&](const Channel& c) {
    // With a scale of its own a channel of zeros was pruned, not lost.
    if (c.peak == 0) return own_scales;
    return SqnrOf(MeanSquare(c, coarse.values)) >= least;
  });
  std::stable_sort(coarse.channels.begin(), coarse.channels.end(),
                   [](const Channel& a, const Channel& b) { return a.squares < b.squares; });
  return coarse;
}

std::string SizeOf(const Channel& channel, double values) {
  if (channel.peak == 0) return fmt::format("channel {} is stored as zeros alone", channel.index);
  return fmt::format("channel {} lies within {} of 0, an SQNR of {:.0f} dB", channel.index,
                     Counted(static_cast<size_t>(channel.peak), "step"), SqnrOf(MeanSquare(channel, values)));
}

bool SharesScaleOfFewBits(const Tensor& weight) { return SharesScale(weight) && EffectiveBits(weight) <= 4; }

// The message is for the caller to say.
Finding& AddSharedScale(const GraphView& g, int32_t op, const Tensor& weight, GraphFindings& findings) {
  Finding& f = findings.AddInput(op, static_cast<size_t>(g.info(op).weight), Consequence::kAdvice);
  f.found = DescribeEncoding(weight);
  f.allowed = "a scale for each channel, or for blocks of them";
  f.fixes.push_back(UnsafeFix("quantize it per-channel or in blocks, or in 8 bits"));
  return f;
}

// Most of the weights are 0, however large the mean of the squares.
void CheckZeros(const GraphView& g, int32_t op, TensorId id, GraphFindings& findings) {
  const Tensor& weight = g.tensor(id);
  if (!SharesScaleOfFewBits(weight)) return;
  const std::vector<int64_t>& values = weight.values->ints;
  const double zeros = static_cast<double>(std::count(values.begin(), values.end(), ZeroPointAt(weight.encoding, 0))) /
                       static_cast<double>(values.size());
  if (zeros < g.settings<Own>().most_zeros) return;
  Finding& f = AddSharedScale(g, op, weight, findings);
  f.message = fmt::format("{:.0f} % of the weights of {} are 0 in {} bits: one scale for all of them goes by the largest",
                          100 * zeros, f.port, EffectiveBits(weight));
}

// Apart from Visit(), which every op goes through.
[[gnu::noinline]] void CheckValues(const GraphView& g, int32_t op, TensorId id,
                                   GraphFindings& findings) {
  const Coarse coarse = CoarseOf(g, op, id);
  if (coarse.channels.empty()) return CheckZeros(g, op, id, findings);
  const Tensor& weight = g.tensor(id);
  const Channel& worst = coarse.channels.front();
  const bool shares_scale = SharesScale(weight);
  Finding& f = findings.AddInput(op, static_cast<size_t>(g.info(op).weight), Consequence::kAdvice);
  f.message = fmt::format("{} of {} of {} {} few of its {} bits: {}", coarse.channels.size(),
                          Counted(coarse.all, "channel"), f.port,
                          coarse.channels.size() == 1 ? "uses" : "use", EffectiveBits(weight),
                          SizeOf(worst, coarse.values));
  f.found = shares_scale ? DescribeEncoding(weight) : "weights that are small beside an outlier";
  f.allowed = shares_scale ? "a scale for each channel" : "weights of one channel of like size";
  f.lost_bits = LostBits(weight, MeanSquare(worst, coarse.values));
  f.fixes.push_back(UnsafeFix(
      shares_scale
          ? fmt::format("quantize \"{}\" per-channel along axis {}", weight.name,
                        FileAxis(g, id, ChannelAxis(g, op)))
          : "take the range without the outlier (by percentile or least squares), quantize in blocks, or use more bits"));
}

// The gains of a norm with one scale, which a few large ones set.
[[gnu::noinline]] void CheckGains(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* gains = g.input(op, 1);
  if (!HasOneScale(gains) || EffectiveBits(*gains) > 8) return;
  const std::optional<double> middle = MedianMagnitude(*gains);
  if (!middle || *middle >= static_cast<double>(g.settings<Own>().least_gain)) return;
  Finding& f = findings.AddInput(op, 1, Consequence::kAdvice);
  f.message = fmt::format(
      "half of the {} weights (gains) of {} lie within {} of 0, since one scale holds the largest of them as well",
      gains->values->ints.size(), f.op, Counted(static_cast<size_t>(*middle), "step"));
  f.found = DescribeEncoding(*gains);
  f.allowed = "gains of like size, or 16 bits";
  f.fixes.push_back(UnsafeFix(
      "give the norm gains of 1 and multiply by them behind it in 16 bits, or fold them into the next weights"));
}

// In whole dB, of weights like a bell curve whose largest, the end of the range, is 4.8 times their spread: 14 in 4 bits.
int BellCurveSqnr(int bits) {
  const double spread = (std::exp2(bits - 1) - 1) / 4.8;
  return static_cast<int>(std::floor(10 * std::log10(12 * spread * spread)));
}

// Weights too large to be read, of so few bits that one scale for all channels, or for each, is known to be coarse.
void CheckUnread(const GraphView& g, int32_t op, const Tensor& weight, GraphFindings& findings) {
  const int64_t axis = ChannelAxis(g, op);
  if (weight.encoding->kind == EncodingKind::kPerChannel && EffectiveBits(weight) <= 4) {
    Finding& f = findings.AddInput(op, static_cast<size_t>(g.info(op).weight), Consequence::kAdvice);
    f.message = fmt::format(
        "{} has {} bits and one scale for a whole channel, which its largest weight sets: an SQNR of about {} dB for a "
        "bell curve, less with outliers",
        f.port, EffectiveBits(weight), BellCurveSqnr(EffectiveBits(weight)));
    f.found = DescribeEncoding(weight);
    f.allowed = "blocks with a scale each (LPBQ), or 8 bits";
    f.fixes.push_back(UnsafeFix("if accuracy is lost, quantize it in blocks (LPBQ), or keep this layer in 8 bits"));
    return;
  }
  if (!SharesScaleOfFewBits(weight) || axis < 0 || weight.dims[static_cast<size_t>(axis)] < 2) return;
  Finding& f = AddSharedScale(g, op, weight, findings);
  f.message = fmt::format(
      "one scale for all {} channels of {} in {} bits: the largest weight of all sets the step of each",
      weight.dims[static_cast<size_t>(axis)], f.port, EffectiveBits(weight));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (g.Is(op, g.settings<Own>().norms)) return CheckGains(g, op, findings);
  const OpInfo& info = g.info(op);
  if (info.weight < 0) return;
  const auto port = static_cast<size_t>(info.weight);
  const Tensor* weight = g.input(op, port);
  if (weight == nullptr || !weight->is_static || !IsFixedPoint(weight->dtype) || BitsOf(weight->dtype) > 16) return;
  if (weight->values == nullptr || weight->values->ints.empty()) return CheckUnread(g, op, *weight, findings);
  if (weight->encoding->kind == EncodingKind::kPerTensor ||
      weight->encoding->kind == EncodingKind::kPerChannel) {
    CheckValues(g, op, g.op(op).inputs[port], findings);
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kCoarseWeight, {.summary = "channels of a weight are stored in a few steps",
                                  .explanation = R"(## What it checks
The stored values of weights, as far as they are read (constants of up to 4,096 values): in each output
channel the signal-to-quantization-noise ratio (SQNR), which is 10 log10(12 m) dB where m is the mean of
the squared values in steps. It speaks up below 20 dB, with 4 bits or less below 12 dB. Of larger weights
that 4 bits or less have scales for blocks, not one for a channel or for all. Half of the gains of a norm must have eight of
256 steps.

## Why
One scale for all channels is made for the largest. A channel whose weights are a hundred times smaller
has two or three steps left, one that is a thousand times smaller becomes zero: depthwise convolutions
behind a folded batch normalization are like that. Within a channel one outlier does the same to all
others.

## Fix
Give each channel its own scale (per-channel), equalize the channels before quantizing (cross-layer
equalization), or take the range without the outlier.

## References
The evidence is listed below; the rest is arithmetic.
)",
                                  .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace coarse_weight

const RuleEntry kCoarseWeightEntry = coarse_weight::kEntry;

}  // namespace quantgate::rules
