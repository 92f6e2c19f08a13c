#include <fmt/core.h>

#include <cstdint>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace repeated_heads {

struct Own : Settings {
  SetMask matrix_products = 0, products = 0, moves = 0, joins = 0, views = 0;
  double min_elements = 0;  // of what is repeated
  int64_t most_rows = 0;    // of what it is multiplied with
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::matrix_products>("matrix_products"), F::Bind<&Own::products>("products"),
    F::Bind<&Own::moves>("moves"), F::Bind<&Own::joins>("joins"), F::Bind<&Own::views>("views"),
    F::Bind<&Own::min_elements>("min_elements"), F::Bind<&Own::most_rows>("most_rows")};

// How often an op repeats what it reads: one that moves values, or a product with a larger constant; 1 = it doesn't.
int64_t Repeats(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  const Tensor *in = g.input(op, 0), *other = g.input(op, 1), *out = g.output(op);
  if (in == nullptr || out == nullptr || in->is_static || LeastElements(*in) < own.min_elements) return 1;
  const bool expands = g.Is(op, own.products) && other != nullptr && other->is_static;
  if (!expands && (!g.Is(op, own.moves) || g.Is(op, own.joins))) return 1;
  return static_cast<int64_t>(LeastElements(*out) / LeastElements(*in));
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& own = g.settings<Own>();
  const Tensor *rows = g.input(op, 0), *repeated = g.input(op, 1);
  if (!g.Is(op, own.matrix_products) || rows == nullptr || repeated == nullptr || g.Refused(op)) return;
  const size_t rank = rows->dims.size();
  if (rank < 3 || rows->dims[rank - 2] < 1 || rows->dims[rank - 2] > own.most_rows) return;
  const int32_t source = g.Producer(g.Behind(g.op(op).inputs[1], own.views));
  const int64_t times = source < 0 ? 1 : Repeats(g, source);
  if (times < 2) return;
  Finding& f = findings.AddInput(op, 1, Consequence::kAdvice);
  f.message = fmt::format(
      "\"{}\" writes {} copies of {} values for {} to read beside {} of the other side: the copies take longer than the "
      "product",
      g.NameOf(source), times, Number(LeastElements(*g.input(source, 0))), f.op,
      rows->dims[rank - 2] == 1 ? "one row" : fmt::format("{} rows", rows->dims[rank - 2]));
  f.found = fmt::format("repeated {} times", times);
  f.allowed = "no copies";
  f.fixes.push_back(UnsafeFix(fmt::format(
      "give the {} heads of queries that share a head of keys to one product as its rows, and repeat nothing", times)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kRepeatedHeads,
                  {.summary = "keys or values are repeated for the heads of queries that share them",
                   .explanation = R"(## What it checks
A matrix product of a few rows with a tensor that was repeated just before: the keys and values of attention
with grouped heads (GQA), when one token is computed.

## Why
Eight heads of keys serve sixteen heads of queries. Most exporters write the keys twice and multiply head by
head. For one token the product itself is small, and the copies of the whole cache take most of the time: a
model was reported to go from 6.8 to 44.7 tokens a second without them.

## Fix
Reshape the queries instead: two heads of one row that share a head of keys are one head of two rows. The
product reads the keys as they are.

## References
The evidence is listed below.
)",
                   .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace repeated_heads

const RuleEntry kRepeatedHeadsEntry = repeated_heads::kEntry;

}  // namespace quantgate::rules
