#include <fmt/format.h>

#include <cstdint>

#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

void Walk(const GraphView& g, GraphFindings& findings) {
  const SetMask norms = g.sets().Bits(g.settings()["norms"]);
  const SetMask transposes = g.sets().Bits(g.settings()["transposes"]);
  for (int32_t op = 0; op < g.op_count(); ++op) {
    if (!g.Is(op, norms) || g.op(op).inputs.empty() || g.op(op).inputs[0] == kNoTensor) continue;
    const int32_t before = g.Producer(g.op(op).inputs[0]);
    // Inserted: it serves the same node of the file.
    if (before < 0 || !g.Is(before, transposes) || g.SourceOf(before) != g.SourceOf(op)) continue;
    const Tensor* in = g.input(before, 0);
    if (in == nullptr) continue;
    Finding& f = findings.AddInput(op, 0, Consequence::kAltered);
    f.tensor = in->name;
    f.message = fmt::format(
        "{} of \"{}\" is not on the last axis: a Transpose before and one behind, "
        "{} a run",
        f.op, g.NameOf(op), Bytes(4 * BytesOf(*in)));
    f.found = fmt::format("{} transposed to {}", Dims(*in), Dims(*g.input(op, 0)));
    f.allowed = "the last axis";
    f.fixes.push_back(UnsafeFix("lay the tensor out with this axis last"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = {.code = "QG616",
             .slug = "inserted-transpose",
             .summary = "a normalisation on another axis than the last gets Transposes around it",
             .explanation = R"(## What it checks
Softmax and its like whose axis is not the last: the backend only knows the last axis, so the tool on
the way puts a Transpose before and one behind.

## Why
Two passes over the tensor for a normalisation; on other routes the op is refused.

## Fix
Lay the tensor out so that the axis is the last one.

## References
The evidence and what the real library or provider said are listed below.
)",
             .status = RuleStatus::kStable},
    .walk = Walk};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry inserted_transpose;
const RuleEntry inserted_transpose = kEntry;

}  // namespace quantgate::rules
