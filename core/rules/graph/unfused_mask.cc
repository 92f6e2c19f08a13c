#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace unfused_mask {

// Fused with so many bits, rows of `remainder` more elements than a multiple of `block` get a wrong
// sum; from `below` elements on it is right again.
struct WrongSums {
  int64_t bits = 0, block = 1, remainder = 0, below = 0;
};

struct Own : Settings {
  SetMask softmaxes = 0, adds = 0, selects = 0, minima = 0;
  SetMask reshapes = 0;  // looked through
  double max_mask_addend = 0;
  std::vector<std::string_view> mask_names;
  WrongSums wrong_row_sums;
};

using W = Fields<WrongSums>;
constexpr SettingField kWrongSums[] = {
    W::Bind<&WrongSums::bits>("bits"), W::Bind<&WrongSums::block>("block"),
    W::Bind<&WrongSums::remainder>("remainder"), W::Bind<&WrongSums::below>("below")};
using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::softmaxes>("softmaxes"),
                                    F::Bind<&Own::adds>("adds"),
                                    F::Bind<&Own::selects>("selects"),
                                    F::Bind<&Own::minima>("minima"),
                                    F::Bind<&Own::reshapes>("reshapes"),
                                    F::Bind<&Own::max_mask_addend>("max_mask_addend"),
                                    F::Bind<&Own::mask_names>("mask_names"),
                                    F::Entry<&Own::wrong_row_sums>("wrong_row_sums", kWrongSums)};

// The mask is looked for among the graph's inputs this many ops up.
constexpr int kMostSteps = 8;

bool IsNamedMask(const Own& settings, std::string_view name) {
  return std::any_of(settings.mask_names.begin(), settings.mask_names.end(),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

// By itself: its values or its name.
bool IsMaskTensor(const Own& settings, const Tensor* t) {
  if (t == nullptr) return false;
  if (t->is_static) {
    // 0 where a score stays, something negative where it goes.
    const auto range = RealRange(*t);
    if (range && range->second == 0 && range->first < 0) return true;
  }
  return IsNamedMask(settings, t->name);
}

class Masks {
 public:
  Masks(const GraphView& g, GraphFindings& findings)
      : g_(g), findings_(findings), s_(g.settings<Own>()) {}

  void Look(int32_t softmax) {
    const Tensor* in = g_.input(softmax, 0);
    if (in == nullptr || !IsFixedPoint(in->dtype)) return;
    const int32_t maker = g_.Producer(g_.op(softmax).inputs[0]);
    if (maker < 0) return;
    if (g_.Is(maker, s_.selects)) {
      LookAtSelect(maker, softmax);
    } else if (g_.Is(maker, s_.adds) && (IsMask(maker, 0) || IsMask(maker, 1))) {
      if (first_sum_ < 0) first_sum_ = maker;
      ++sums_;
    }
  }

  // One finding for all masks that are added: they have one reason.
  void TellSums() {
    if (sums_ == 0) return;
    Finding& f = findings_.AddOutput(first_sum_, 0, Consequence::kAdvice);
    f.message = fmt::format(
        "the mask is added to the scores{}: the backend fuses a mask into the Softmax only where "
        "it "
        "selects",
        sums_ == 1 ? "" : fmt::format(", here and {} more time{}", sums_ - 1, sums_ == 2 ? "" : "s"));
    f.found = "scores + mask";
    f.allowed = Wanted();
    f.fixes.push_back(WriteTheForm());
  }

 private:
  // Through what keeps every element where it is.
  TensorId Behind(TensorId id) const {
    const int32_t maker = g_.Producer(id);
    if (maker < 0 || !g_.Is(maker, s_.reshapes) || g_.input(maker, 0) == nullptr) return id;
    return g_.op(maker).inputs[0];
  }
  int32_t MakerOf(TensorId id) const { return g_.Producer(Behind(id)); }

  bool IsMask(int32_t add, size_t port) const {
    if (IsMaskTensor(s_, g_.input(add, port))) return true;
    if (g_.input(add, port) == nullptr) return false;
    TensorId id = g_.op(add).inputs[port];
    for (int step = 0; step < kMostSteps; ++step) {
      const int32_t maker = g_.Producer(id);
      if (maker < 0 || g_.input(maker, 0) == nullptr) break;
      id = g_.op(maker).inputs[0];
    }
    return g_.IsGraphInput(id) && IsNamedMask(s_, g_.tensor(id).name);
  }

  bool IsOverLastAxis(int32_t minimum) const {
    const Tensor* in = g_.input(minimum, 0);
    const Tensor* out = g_.output(minimum);
    if (in == nullptr || out == nullptr || in->dims.empty() || in->dims.size() != out->dims.size())
      return false;
    for (size_t i = 0; i + 1 < in->dims.size(); ++i) {
      if (in->dims[i] != out->dims[i]) return false;
    }
    return out->dims.back() == 1;
  }

  // Why ReduceMin(scores) + constant is not what `low` is; empty = it is.
  std::string AgainstLow(TensorId low, TensorId scores) const {
    const int32_t add = MakerOf(low);
    if (g_.tensor(low).is_static) return "masked positions get a constant";
    if (add < 0 || !g_.Is(add, s_.adds) || g_.op(add).inputs.size() < 2) {
      return fmt::format("masked positions get {}",
                         add < 0 ? std::string("an input") : "what " + g_.op(add).op + " gives");
    }
    const Tensor* addend = g_.input(add, 1);
    const Tensor* first = g_.input(add, 0);
    if (first == nullptr || addend == nullptr) return "the addition lacks an operand";
    if (first->is_static && !addend->is_static) {
      return fmt::format("the constant is the first operand of \"{}\"", g_.NameOf(add));
    }
    if (!addend->is_static)
      return fmt::format("the addend of \"{}\" is no constant", g_.NameOf(add));
    for (const int64_t dim : addend->dims) {
      if (dim != 1) return fmt::format("the addend has dimensions {}", Dims(*addend));
    }
    const auto range = RealRange(*addend);
    // Rounding to the addend's own steps is no other number.
    if (range && range->second > s_.max_mask_addend * (1 - 1e-6)) {
      return fmt::format("the addend is {}", Number(range->second));
    }
    const int32_t minimum = MakerOf(g_.op(add).inputs[0]);
    if (minimum < 0 || !g_.Is(minimum, s_.minima) || g_.op(minimum).inputs.empty()) {
      return "the addition is not to the minimum of the scores";
    }
    const TensorId of = g_.op(minimum).inputs[0];
    if (of == kNoTensor || Behind(of) != Behind(scores)) {
      return fmt::format("\"{}\" is the minimum of another tensor", g_.NameOf(minimum));
    }
    if (!IsOverLastAxis(minimum)) {
      return fmt::format("\"{}\" is not along the last axis alone", g_.NameOf(minimum));
    }
    return "";
  }

  void LookAtSelect(int32_t select, int32_t softmax) {
    const auto& inputs = g_.op(select).inputs;
    if (inputs.size() < 3 || inputs[1] == kNoTensor || inputs[2] == kNoTensor) return;
    std::string against = AgainstLow(inputs[2], inputs[1]);
    if (!against.empty() && AgainstLow(inputs[1], inputs[2]).empty()) {
      against = "the branches are the other way round";
    }
    if (against.empty()) {
      LookAtRowSum(softmax);
      return;
    }
    Finding& f = findings_.AddOutput(select, 0, Consequence::kAdvice);
    f.message = fmt::format("the mask in front of \"{}\" is not fused into it: {}",
                            g_.NameOf(softmax), against);
    f.found = against;
    f.allowed = Wanted();
    f.fixes.push_back(WriteTheForm());
  }

  // Fused: rows of some lengths are summed wrong.
  void LookAtRowSum(int32_t softmax) {
    const WrongSums& wrong = s_.wrong_row_sums;
    const Tensor& in = *g_.input(softmax, 0);
    const int64_t width = in.dims.empty() ? 0 : in.dims.back();
    if (BitsOf(in.dtype) != wrong.bits || width <= wrong.block ||
        width % wrong.block != wrong.remainder || width >= wrong.below) {
      return;
    }
    Finding& f = findings_.AddInput(softmax, 0, Consequence::kAdvice);
    f.message = fmt::format(
        "the fused Softmax sums a row of {} elements wrong: off by several of 256 steps where the "
        "scores are near each other",
        width);
    f.found = fmt::format("{} elements a row", width);
    f.allowed = fmt::format("not {} more than a multiple of {}", wrong.remainder, wrong.block);
    f.fixes.push_back(
        UnsafeFix(fmt::format("pad the row to {} elements, masked",
                              (width + wrong.block - 1) / wrong.block * wrong.block)));
  }

  Fix WriteTheForm() const {
    return UnsafeFix(
        fmt::format("write softmax(where(mask == 0, scores, min(scores, last axis) + {}))",
                    Number(s_.max_mask_addend)));
  }

  std::string Wanted() const {
    return fmt::format(
        "Select(condition, scores, ReduceMin(scores, last axis) + one constant of at most {})",
        Number(s_.max_mask_addend));
  }

  const GraphView& g_;
  GraphFindings& findings_;
  const Own& s_;
  int32_t first_sum_ = -1;
  int sums_ = 0;
};

void Walk(const GraphView& g, GraphFindings& findings) {
  const SetMask softmaxes = g.settings<Own>().softmaxes;
  Masks masks(g, findings);
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (g.Is(op, softmaxes) && !g.op(op).inputs.empty()) masks.Look(op);
  }
  masks.TellSums();
}

constexpr RuleEntry kEntry = {
    .rule = About(kUnfusedMask,
                  {.summary = "an attention mask is not in the form that is fused into the Softmax",
                   .explanation = R"(## What it checks
Quantized scores that are masked in front of a Softmax. The backend makes one MaskedSoftmax of
softmax(where(condition, scores, min(scores) + c)): the scores are the second input of the Select,
the minimum is that of the same scores along the last axis, and c, the second operand of the
addition, is one constant of at most -20. Any condition will do. A mask that is added, and what is
near the form but not it, gets this advice with what stands against it. Fused rows of 32 k + 1
elements with 8 bits are reported too: their sum is wrong.

## Why
Fused, masked positions get exactly 0 whatever the encodings between say. Not fused, the sum of
scores and mask is stored: its range is mostly the mask's, and the scores lose their steps (see
mask-range). ExecuTorch reports a faster first token too.

## Fix
Write the form, or leave it: unfused masks run right where the sum's encoding is.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace unfused_mask

const RuleEntry kUnfusedMaskEntry = unfused_mask::kEntry;

}  // namespace quantgate::rules
