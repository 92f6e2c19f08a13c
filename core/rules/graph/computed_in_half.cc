#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/dtype.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace computed_in_half {

struct Own : Settings {
  SetMask moves = 0, conversions = 0;
  std::vector<std::string_view> half_routes;  // that set the option of the graph
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::moves>("moves"),
                                    F::Bind<&Own::conversions>("conversions"),
                                    F::Bind<&Own::half_routes>("half_routes")};

// Whether an op reads an input of the model in FLOAT_32, or makes such an output.
bool HasFloatEnd(const GraphView& g, int32_t op) {
  const auto is_float = [&](TensorId id) {
    return id != kNoTensor && g.tensor(id).dtype == Dtype::kFloat32 &&
           (g.IsGraphInput(id) || g.IsGraphOutput(id));
  };
  const Node& node = g.op(op);
  return std::any_of(node.inputs.begin(), node.inputs.end(), is_float) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), is_float);
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  if (!g.IsOnOneOf(settings.half_routes)) return;
  int64_t floats = 0;
  bool at_ends = false;  // what a tool computes in float between integers is not the model's
  for (int32_t op = 0; op < g.op_count(); ++op) {
    const Tensor* const out = g.output(op);
    if (out == nullptr || g.Refused(op)) continue;
    at_ends = at_ends || HasFloatEnd(g, op);
    if (g.Is(op, settings.moves)) continue;
    // A model that is quantized in part has findings where it is not (QG601, QG606).
    if (IsFixedPoint(out->dtype) || g.Is(op, settings.conversions)) return;
    floats += out->dtype == Dtype::kFloat32;
  }
  if (floats == 0 || !at_ends) return;
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.message = fmt::format(
      "{} computed in half precision, though the model has FLOAT_32: about three digits, and "
      "nothing beyond 65504",
      floats == 1 ? "one op is" : fmt::format("{} ops are", floats));
  f.found = "FLOAT_32";
  f.fixes.push_back(
      UnsafeFix("compare the outputs with the CPU's; leave what needs more to the CPU, or quantize "
                "the model"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kComputedInHalf, {.summary = "a float model is computed in half precision",
                                    .explanation = R"(## What it checks
Models without anything quantized, whose tensors are FLOAT_32, on routes that ask the backend for half
precision. One finding for the model. Numbers that are out of its range have their own (QG623).

## Why
The HTP has no units for single precision. ONNX Runtime's provider and ExecuTorch set the option of the graph
that computes FLOAT_32 as FLOAT_16: results differ from the CPU's in the third or fourth digit, and a long
chain of sums by more. People look for a fault in their model then.

## Fix
None where the accuracy is enough. Otherwise leave the part that needs more to the CPU, or quantize the model
and calibrate it.

## References
The evidence and what the real library or provider said are listed below.
)",
                                    .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace computed_in_half

const RuleEntry kComputedInHalfEntry = computed_in_half::kEntry;

}  // namespace quantgate::rules
