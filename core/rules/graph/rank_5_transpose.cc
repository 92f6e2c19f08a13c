#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

struct Own : Settings {
  SetMask transposes = 0, reshapes = 0, matrix_products = 0;
  int64_t rank = 5;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::transposes>("transposes"), F::Bind<&Own::reshapes>("reshapes"),
    F::Bind<&Own::matrix_products>("matrix_products"), F::Bind<&Own::rank>("rank")};

// First of two dimensions that are neighbours before and after.
std::optional<size_t> Together(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i + 1 < perm.size(); ++i) {
    if (perm[i + 1] == perm[i] + 1) return i;
  }
  return std::nullopt;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const int64_t rank = settings.rank;
  if ((g.any_sets() & settings.matrix_products) == 0) return;
  if (!g.Is(op, settings.transposes)) return;
  const Tensor* in = g.input(op, 0);
  const Tensor* out = g.output(op);
  if (in == nullptr || out == nullptr || in->rank() != rank) return;
  const int32_t before = g.Producer(g.op(op).inputs[0]);
  const auto readers = g.Readers(g.op(op).outputs[0]);
  if (before < 0 || !g.Is(before, settings.reshapes) || readers.size() != 1 ||
      !g.Is(readers[0], settings.reshapes)) {
    return;
  }
  for (const Param& param : g.op(op).params) {
    const auto perm = IntsOf(param.value);
    if (!perm || static_cast<int64_t>(perm->size()) != rank) continue;
    const auto at = Together(*perm);
    if (!at) continue;
    const int64_t dim = (*perm)[*at];
    Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
    f.message = fmt::format(
        "{} works on rank {} between two Reshapes; dimensions {} and {} move "
        "together: rank {} would do",
        f.op, rank, dim, dim + 1, rank - 1);
    f.found = Dims(*in);
    f.allowed = fmt::format("rank {}", rank - 1);
    f.fixes.push_back(UnsafeFix(fmt::format(
        "merge dimensions {} and {} in the Reshape before, and split them in the one after", dim,
        dim + 1)));
  }
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kRank5Transpose,
              {.summary = "a Transpose of rank 5 stands between Reshapes next to a matrix product",
               .explanation = R"(## What it checks
Reshape, Transpose of rank 5, Reshape in a graph with matrix products, where two dimensions move
together: the Transpose could have rank 4.

## Why
The backend supports rank 5, but its optimizer does not recognise attention around it: reported two to
three times slower.

## Fix
Merge the two dimensions that stay neighbours in the first Reshape, and split them in the last.

## References
The evidence and what the real library or provider said are listed below.
)",
               .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kRank5TransposeEntry = kEntry;

}  // namespace quantgate::rules
