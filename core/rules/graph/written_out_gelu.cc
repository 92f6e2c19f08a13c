#include <fmt/core.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace written_out_gelu {

struct Own : Settings {
  SetMask tangents = 0, products = 0, powers = 0, adds = 0;
  double min_ratio = 0;  // of the steps of the sum to those of the input
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::tangents>("tangents"), F::Bind<&Own::products>("products"),
                                    F::Bind<&Own::powers>("powers"), F::Bind<&Own::adds>("adds"), F::Bind<&Own::min_ratio>("min_ratio")};

struct Gelu {
  TensorId x = kNoTensor, sum = kNoTensor;  // of x and its cube
};

class Finder {
 public:
  explicit Finder(const GraphView& g) : g_(g), own_(g.settings<Own>()) {}

  // Whether an op is the Tanh in tanh(c (x + k x³)), with or without c and k.
  std::optional<Gelu> Find(int32_t tangent) const {
    const TensorId sum = Unscaled(InputOf(tangent, 0));
    const int32_t add = MakerOf(sum, own_.adds);
    if (add < 0) return std::nullopt;
    for (const size_t port : {size_t{0}, size_t{1}}) {
      const TensorId x = InputOf(add, port);
      if (x != kNoTensor && IsCubeOf(Unscaled(InputOf(add, 1 - port)), x)) return Gelu{x, sum};
    }
    return std::nullopt;
  }

 private:
  TensorId InputOf(int32_t op, size_t port) const {
    return g_.input(op, port) == nullptr ? kNoTensor : g_.op(op).inputs[port];
  }
  int32_t MakerOf(TensorId id, SetMask sets) const {
    const int32_t op = id == kNoTensor ? -1 : g_.Producer(id);
    return op >= 0 && g_.Is(op, sets) ? op : -1;
  }
  bool IsConstant(TensorId id) const { return id != kNoTensor && g_.tensor(id).is_static; }

  // What a product with a constant scales.
  TensorId Unscaled(TensorId id) const {
    const int32_t product = MakerOf(id, own_.products);
    if (product < 0) return id;
    const TensorId a = InputOf(product, 0), b = InputOf(product, 1);
    if (IsConstant(b)) return a;
    return IsConstant(a) ? b : id;
  }

  bool IsPowerOf(TensorId id, TensorId x, double exponent) const {
    const int32_t power = MakerOf(id, own_.powers);
    if (power < 0 || InputOf(power, 0) != x || !IsConstant(InputOf(power, 1))) return false;
    const auto range = RealRange(*g_.input(power, 1));
    // A quantized exponent is near its number.
    constexpr double kNear = 0.01;
    return range && std::abs(range->first - exponent) < kNear && std::abs(range->second - exponent) < kNear;
  }
  bool IsProductOf(TensorId id, TensorId x, TensorId y) const {
    const int32_t product = MakerOf(id, own_.products);
    const TensorId a = product < 0 ? kNoTensor : InputOf(product, 0);
    const TensorId b = product < 0 ? kNoTensor : InputOf(product, 1);
    return a != kNoTensor && ((a == x && b == y) || (a == y && b == x));
  }
  bool IsCubeOf(TensorId id, TensorId x) const {
    if (IsPowerOf(id, x, 3)) return true;
    const int32_t product = MakerOf(id, own_.products);
    if (product < 0) return false;
    for (const size_t port : {size_t{0}, size_t{1}}) {
      const TensorId square = InputOf(product, port);
      if (square != kNoTensor && InputOf(product, 1 - port) == x &&
          (IsProductOf(square, x, x) || IsPowerOf(square, x, 2))) {
        return true;
      }
    }
    return false;
  }

  const GraphView& g_;
  const Own& own_;
};

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (!g.Is(op, g.settings<Own>().tangents) || !HasOneScale(g.input(op, 0)) || g.Refused(op)) return;
  const std::optional<Gelu> gelu = Finder(g).Find(op);
  if (!gelu) return;
  const Tensor& sum = g.tensor(gelu->sum);
  const auto from = StepOf(&g.tensor(gelu->x)), to = StepOf(&sum);
  if (!from || !to || *to < g.settings<Own>().min_ratio * *from) return;
  Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "a GELU is written out: with the cube of \"{}\" the sum that {} reads comes in steps of {}, {} times as coarse",
      g.EndName(gelu->x), f.op, Number(*to), Number(std::round(*to / *from)));
  f.found = DescribeEncoding(sum);
  f.allowed = fmt::format("steps of {}", Number(*from));
  f.lost_bits = std::log2(*to / *from);
  f.fixes.push_back(UnsafeFix("write it as one operator before quantization (Gelu with approximate=tanh)"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kWrittenOutGelu,
                  {.summary = "a quantized GELU is written out with a cube and a Tanh",
                   .explanation = R"(## What it checks
A Tanh of the sum of a tensor and its cube (times constants) whose steps are 8 times the tensor's or more.

## Why
The cube has three times the range in bits: for inputs up to 64 it reaches 262,144, and 16 bits have a step
of 8 there. The sum of the input and this takes over the coarse step, just where the curve of the Tanh is
steep. With 8 bits nothing is left of the activation (QG410).

## Fix
Export or fuse the activation as one operator before the encodings are made: QNN has Gelu, and so has ONNX
from operator set 20 on.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .reads_numbers = true,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace written_out_gelu

const RuleEntry kWrittenOutGeluEntry = written_out_gelu::kEntry;

}  // namespace quantgate::rules
