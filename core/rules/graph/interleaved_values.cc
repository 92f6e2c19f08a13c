#include <fmt/core.h>

#include <cstddef>
#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace interleaved_values {

struct Own : Settings {
  SetMask joins = 0;
  double min_elements = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::joins>("joins"), F::Bind<&Own::min_elements>("min_elements")};

// Whether each value of the op's inputs lands beside one of another input.
bool Interleaves(const GraphView& g, int32_t op) {
  const Tensor* out = g.output(op);
  const size_t inputs = g.op(op).inputs.size();
  if (out == nullptr || out->dims.empty() || inputs < 2 || out->dims.back() != static_cast<int64_t>(inputs)) return false;
  const Param* axis = g.op(op).FindParam("axis");
  const auto rank = static_cast<int64_t>(out->dims.size());
  return axis != nullptr && NormalAxis(IntOf(axis->value).value_or(0), rank) == rank - 1;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  if (!g.Is(op, own.joins) || g.Refused(op) || !Interleaves(g, op)) return;
  if (LeastElements(*g.output(op)) < own.min_elements) return;
  Finding& f = findings.AddOutput(op, 0, Consequence::kAdvice);
  f.message = fmt::format(
      "{} interleaves {} tensors value by value along the innermost axis ({}), which is slow: each value is moved by itself",
      f.op, g.op(op).inputs.size(), Dims(*g.output(op)));
  f.found = Dims(*g.output(op));
  f.allowed = "parts that stay whole along the innermost axis";
  f.fixes.push_back(
      UnsafeFix("keep the parts apart (a rotary embedding can rotate halves, or two products be added), or join along an "
                "outer axis"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kInterleavedValues,
                  {.summary = "a join puts single values of several tensors side by side",
                   .explanation = R"(## What it checks
Concat and Pack along the innermost axis of inputs that have one value each there, of 65,536 values or more.

## Why
Memory is moved in rows of the innermost axis. Where the parts are single values, no row can be copied, and the
op took a third of the time of whole models: rotary embeddings that take neighbours as pairs are written so.

## Fix
Rotate halves instead of neighbours (with the weights of queries and keys permuted once), or leave both parts
apart: the product of two interleaved tensors is the sum of the products of their parts.

## References
The evidence is listed below: speed can't be measured in the simulator.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace interleaved_values

const RuleEntry kInterleavedValuesEntry = interleaved_values::kEntry;

}  // namespace quantgate::rules
