#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/ir/encoding_math.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace concat_lost_bits {

// How far back of a sum a join is looked for, and the bits of sums of which that matters.
constexpr int kMostSteps = 8, kFewBits = 8;

struct Own : Settings {
  SetMask joins = 0, moves = 0;
  SetMask sums = 0;  // of two inputs
  SetMask products = 0;
  SetMask softmaxes = 0;  // a sum in front of one is the mask's: mask-range
  double min_lost_bits = 2;
  double min_lost_bits_in_sums = 4;
  double least_steps = 4;  // of an 8-bit sum that an activation should move it by
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::joins>("joins"), F::Bind<&Own::sums>("sums"), F::Bind<&Own::moves>("moves"),
    F::Bind<&Own::products>("products"), F::Bind<&Own::softmaxes>("softmaxes"),
    F::Bind<&Own::min_lost_bits>("min_lost_bits"),
    F::Bind<&Own::min_lost_bits_in_sums>("min_lost_bits_in_sums"),
    F::Bind<&Own::least_steps>("least_steps")};

// Bits of `in` that the steps of `out` don't tell; both have a step.
double Lost(const Tensor& in, const Tensor& out) { return std::log2(*StepOf(&out) / *StepOf(&in)); }

bool TooMany(double lost, double min) { return lost >= min && std::isfinite(lost); }

// Bits of the op's input that its output doesn't tell, where they are many; else 0.
double LostIn(const GraphView& g, int32_t op, size_t port, const Tensor& out, double min) {
  const Tensor* in = g.input(op, port);
  if (!StepOf(in)) return 0;
  const double lost = Lost(*in, out);
  return TooMany(lost, min) ? std::min<double>(lost, EffectiveBits(*in)) : 0;
}

// The most bits of a part of what is joined that a sum further on doesn't tell, where they are many; else 0.
double LostOfParts(const GraphView& g, int32_t join, const Tensor& sum, double min) {
  double most = 0;
  for (size_t part = 0; part < g.op(join).inputs.size(); ++part) {
    most = std::max(most, LostIn(g, join, part, sum, min));
  }
  return most;
}

// The op that joins what an input of a sum is made of by moves and constant factors alone; -1 if none does. Of two
// inputs that are joined and moved alone the second counts: from its join the sum is met as well.
int32_t JoinBehind(const GraphView& g, int32_t sum, size_t port, const Own& settings) {
  bool counts = port == 1;
  int32_t op = sum;
  for (int steps = 0; steps < kMostSteps && g.input(op, port) != nullptr; ++steps) {
    const int32_t maker = g.Producer(g.op(op).inputs[port]);
    if (maker < 0) return -1;
    if (g.Is(maker, settings.joins)) return counts ? maker : -1;
    port = 0;
    if (g.Is(maker, settings.products) && g.op(maker).inputs.size() == 2) {
      const Tensor *first = g.input(maker, 0), *second = g.input(maker, 1);
      if (first == nullptr || second == nullptr || first->is_static == second->is_static) return -1;
      port = first->is_static ? 1 : 0;
      counts = true;
    } else if (!g.Is(maker, settings.moves)) {
      return -1;
    }
    op = maker;
  }
  return -1;
}

void AddSum(const GraphView& g, int32_t join, double joined, int32_t sum, size_t port, double lost,
            GraphFindings& findings) {
  const Tensor* out = g.output(sum);
  Finding& f = findings.AddInput(sum, port, Consequence::kAdvice);
  f.message = fmt::format(
      "{}{} loses {:.1f} bits, and a part of what {} joins before it {:.1f}: where they meet, results "
      "take few steps, and rounding them otherwise changes them much",
      LostIn(g, sum, port, *out, 0) < lost ? "a part of " : "", f.port, lost, g.NameOf(join), joined);
  f.found = DescribeEncoding(*out);
  f.allowed = fmt::format("near {}", DescribeEncoding(*g.input(sum, port)));
  f.related = {"out[0]"};
  f.lost_bits = lost;
  f.fixes.push_back(UnsafeFix("join tensors of similar range, or use 16 bits here"));
}

// Sums that read what was joined, whose other operand has few steps as well.
void VisitSumsOfJoined(const GraphView& g, int32_t join, const Own& settings, GraphFindings& findings) {
  std::vector<TensorId> todo = {g.op(join).outputs[0]};
  absl::flat_hash_set<TensorId> met(todo.begin(), todo.end());  // models made by hand may have cycles
  while (!todo.empty()) {
    const TensorId tensor = todo.back();
    todo.pop_back();
    for (const int32_t op : g.Readers(tensor)) {
      if (g.Is(op, settings.moves) && g.output(op) != nullptr && met.insert(g.op(op).outputs[0]).second) {
        todo.push_back(g.op(op).outputs[0]);
      }
      const Tensor* out = g.Is(op, settings.sums) ? g.output(op) : nullptr;
      if (!StepOf(out) || g.op(op).inputs.size() != 2) continue;
      const double min = settings.min_lost_bits_in_sums;
      const double joined = LostOfParts(g, join, *out, min);
      const size_t other =
          g.input(op, 0) != nullptr && g.Shown(g.op(op).inputs[0]) == g.Shown(tensor) ? 1 : 0;
      double lost = LostIn(g, op, other, *out, min);
      if (joined > 0 && lost == 0 && EffectiveBits(*out) <= kFewBits) {
        const int32_t behind = JoinBehind(g, op, other, settings);
        if (behind >= 0 && behind != join) lost = LostOfParts(g, behind, *out, min);
      }
      if (joined > 0 && lost > 0) AddSum(g, join, joined, op, other, lost, findings);
    }
  }
}

// Largest real number, whatever its sign, that a tensor with a step may hold.
double Reach(const Tensor& t) {
  if (const auto magnitude = MagnitudeOf(t)) return *magnitude;
  const Interval held = *HeldRange(&t);
  return std::max(std::abs(held.low), std::abs(held.high));
}

bool IsOneNumber(const Tensor& t) {
  return std::all_of(t.dims.begin(), t.dims.end(), [](int64_t dim) { return dim == 1; });
}

// Steps of a sum that an addend has to reach to count: half a one changes a stored value; an activation in 8 bits is
// there for more than that.
double LeastReach(const Tensor& addend, const Tensor& sum, const Own& settings) {
  return addend.is_static || EffectiveBits(sum) > kFewBits ? 0.5 : settings.least_steps;
}

// An addend that changes no stored value of the sum, or by a few steps at most.
void VisitAddends(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Tensor* out = g.output(op);
  const std::optional<double> step = StepOf(out);
  if (!step || g.op(op).inputs.size() != 2) return;
  const auto is_softmax = [&](int32_t reader) { return g.Is(reader, g.settings<Own>().softmaxes); };
  for (size_t port = 0; port < 2; ++port) {
    const Tensor* in = g.input(op, port);
    if (!StepOf(in)) continue;
    // One number is the epsilon of a norm that is written out: what 16 bits lose of it shows near 0 only.
    if (in->is_static && IsOneNumber(*in) && EffectiveBits(*out) > 8) continue;
    const double reach = Reach(*in);
    const double steps = reach / *step, least = LeastReach(*in, *out, g.settings<Own>());
    if (!(reach > 0) || steps >= least) continue;
    const auto readers = g.Readers(g.op(op).outputs[0]);
    if (std::any_of(readers.begin(), readers.end(), is_softmax)) return;
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    const double most = std::ceil(steps);
    f.message = fmt::format("{} reaches {} and a step of the sum is {}: {}", f.port, Number(reach), Number(*step),
                            steps < 0.5 ? fmt::format("nothing of it is left in the output of {}", f.op)
                                        : fmt::format("it moves the output of {} by {} at most", f.op,
                                                      most == 1 ? "one step" : Number(most) + " steps"));
    f.found = DescribeEncoding(*out);
    f.allowed = fmt::format("a step of at most {}", Number(reach / least));
    f.related = {"out[0]"};
    f.lost_bits = steps < 0.5 ? EffectiveBits(*in) : std::min<double>(Lost(*in, *out), EffectiveBits(*in));
    f.fixes.push_back(
        UnsafeFix("keep the sum in 16 bits, scale the addends alike, or leave it in float"));
  }
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (g.Is(op, settings.sums)) VisitAddends(g, op, findings);
  if (!g.Is(op, settings.joins)) return;
  const Tensor* out = g.output(op);
  if (!StepOf(out)) return;
  VisitSumsOfJoined(g, op, settings, findings);
  for (size_t port = 0; port < g.op(op).inputs.size(); ++port) {
    const Tensor* in = g.input(op, port);
    if (!StepOf(in)) continue;
    const double lost = Lost(*in, *out);
    if (!TooMany(lost, settings.min_lost_bits)) continue;
    Finding& f = findings.AddInput(op, port, Consequence::kAdvice);
    const int bits = EffectiveBits(*in);
    const std::string rest =
        lost < bits ? fmt::format("{:.1f} of its {} bits are lost", lost, bits)
                    : fmt::format("all of its {} bits are lost, its values become 0 or a single step", bits);
    f.message = fmt::format("the output of {} comes in steps {} times as coarse as those of {}: {}", f.op,
                            Number(*StepOf(out) / *StepOf(in)), f.port, rest);
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
relative. An addition that comes next is named too when its other operand, or a part that it joins, has few steps as
well.
An addend of a sum must not lie below half a step of the sum as a whole; with more than 8 bits a single
number may, the epsilon of a norm. An activation that is added in 8 bits must reach four steps of the sum.

## Why
A tensor of small values next to one of large values keeps a handful of steps: 8 bits become 4. The
model runs, and its accuracy is gone for that branch. So it is with the class token of a vision
transformer, which stands next to the patches: what is computed of it afterwards depends on how each
of its few steps is rounded, and HTP rounds otherwise than a CPU.

## Fix
Join tensors of similar range, scale the small one up before and down again in the next weight, or
use 16 bits for the joined tensor.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace concat_lost_bits

const RuleEntry kConcatLostBitsEntry = concat_lost_bits::kEntry;

}  // namespace quantgate::rules
