#include <fmt/core.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace written_out_space_to_depth {

struct Own : Settings {
  SetMask joins = 0, slices = 0;
  std::string_view ranges;  // the param of a slice: begin, end and step of each dimension
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::joins>("joins"), F::Bind<&Own::slices>("slices"),
                                    F::Bind<&Own::ranges>("ranges")};

constexpr int kMostSlices = 4;  // behind one another
constexpr int64_t kMostPlaces = 1 << 12;

// What slices behind one another pick of a tensor: every `steps[i]`-th element of dimension i.
struct Pick {
  TensorId of;
  std::vector<int64_t> steps;
};

// Nullopt where they are not known, negative, or more than any block has.
std::optional<std::vector<int64_t>> StepsOf(const GraphView& g, int32_t slice, size_t rank) {
  const Param* param = g.op(slice).FindParam(g.settings<Own>().ranges);
  const auto ranges = param != nullptr ? IntsOf(param->value) : std::nullopt;
  if (!ranges || ranges->size() != 3 * rank) return std::nullopt;
  std::vector<int64_t> steps;
  for (size_t i = 0; i < rank; ++i) {
    steps.push_back((*ranges)[3 * i + 2]);
    if (steps.back() < 1 || steps.back() > kMostPlaces) return std::nullopt;
  }
  return steps;
}

Pick PickOf(const GraphView& g, TensorId tensor) {
  const size_t rank = g.tensor(tensor).dims.size();
  Pick pick{tensor, std::vector<int64_t>(rank, 1)};
  for (int depth = 0; depth < kMostSlices; ++depth) {
    const int32_t slice = g.Producer(pick.of);
    if (slice < 0 || !g.Is(slice, g.settings<Own>().slices) || g.input(slice, 0) == nullptr) break;
    const auto steps = StepsOf(g, slice, rank);
    if (!steps) break;
    for (size_t i = 0; i < rank; ++i) pick.steps[i] *= (*steps)[i];
    pick.of = g.op(slice).inputs[0];
  }
  return pick;
}

// How many picks with these steps make up a tensor; 0 for more than any block has.
int64_t PlacesToBegin(const std::vector<int64_t>& steps) {
  int64_t places = 1;
  for (const int64_t step : steps) {
    if (step > kMostPlaces / places) return 0;
    places *= step;
  }
  return places;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  if (!g.Is(op, g.settings<Own>().joins)) return;
  const auto& parts = g.op(op).inputs;
  if (parts.size() < 2 || parts[0] == kNoTensor) return;
  const Pick first = PickOf(g, parts[0]);
  if (PlacesToBegin(first.steps) != std::ssize(parts)) return;
  for (const TensorId part : parts) {
    if (part == kNoTensor) return;
    const Pick pick = PickOf(g, part);
    if (pick.of != first.of || pick.steps != first.steps) return;
  }
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} joins {} strided slices of \"{}\": together they are one SpaceToDepth, and slices with a "
      "step are slow",
      f.op, parts.size(), g.EndName(first.of).view());
  f.found = fmt::format("{} slices with a step in front of {}", parts.size(), f.op);
  f.allowed = "one SpaceToDepth";
  f.fixes.push_back(UnsafeFix(
      "write the slices and their join as one operator (SpaceToDepth, pixel_unshuffle), and put the "
      "channels of what reads it in its order"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kWrittenOutSpaceToDepth,
                  {.summary = "strided slices and their join are one SpaceToDepth",
                   .explanation = R"(## What it checks
A Concat of slices of one tensor that each pick every n-th element of some dimensions, as many as
there are places to begin at: the first layer of YOLOv5, the merging of patches in a Swin
transformer.

## Why
A slice with a step reads the whole tensor for a part of it, and is slow on the HTP; together the
slices read it as often as there are parts. SpaceToDepth moves the same values in one pass.

## Fix
Write SpaceToDepth in ONNX or pixel_unshuffle in PyTorch before the export. The order of the
channels may differ: permute the weight that reads them.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace written_out_space_to_depth

const RuleEntry kWrittenOutSpaceToDepthEntry = written_out_space_to_depth::kEntry;

}  // namespace quantgate::rules
