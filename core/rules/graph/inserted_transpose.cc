#include <fmt/core.h>

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace inserted_transpose {

struct Own : Settings {
  SetMask norms = 0, transposes = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::norms>("norms"),
                                    F::Bind<&Own::transposes>("transposes")};

// The Transpose that was inserted in front of an op: it serves the same node of the file. -1 =
// none.
int32_t InsertedBefore(const GraphView& g, SetMask transposes, int32_t op) {
  if (g.input(op, 0) == nullptr) return -1;
  const int32_t before = g.Producer(g.op(op).inputs[0]);
  if (before < 0 || !g.Is(before, transposes) || g.SourceOf(before) != g.SourceOf(op)) return -1;
  return g.input(before, 0) == nullptr ? -1 : before;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const int32_t before =
      g.Is(op, settings.norms) ? InsertedBefore(g, settings.transposes, op) : -1;
  if (before < 0) return;
  const Tensor* in = g.input(before, 0);
  Finding& f = findings.AddInput(op, 0, Consequence::kAltered);
  f.tensor = in->name;
  f.message = fmt::format(
      "{} of \"{}\" is not on the last axis: a Transpose is put before and one after it, "
      "{} a run",
      f.op, g.NameOf(op), Bytes(4 * BytesOf(*in)));
  f.found = fmt::format("{} transposed to {}", Dims(*in), Dims(*g.input(op, 0)));
  f.allowed = "the last axis";
  f.fixes.push_back(UnsafeFix(fmt::format("lay \"{}\" out with this axis last", in->name)));
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kInsertedTranspose,
              {.summary = "a normalisation on another axis than the last gets Transposes around it",
               .explanation = R"(## What it checks
Softmax and its like whose axis is not the last: the backend only knows the last axis, so the tool on
the way puts a Transpose before and one after it.

## Why
Two passes over the tensor for a normalisation; on other routes the op is refused.

## Fix
Lay the tensor out so that the axis is the last one.

## References
The evidence and what the real library or provider said are listed below.
)",
               .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace inserted_transpose

const RuleEntry kInsertedTransposeEntry = inserted_transpose::kEntry;

}  // namespace quantgate::rules
