#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace rank_5_transpose {

struct Own : Settings {
  SetMask transposes = 0, reshapes = 0, splits = 0;
  int64_t rank = 5;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {
    F::Bind<&Own::transposes>("transposes"), F::Bind<&Own::reshapes>("reshapes"),
    F::Bind<&Own::splits>("splits"), F::Bind<&Own::rank>("rank")};

// The rank that a permutation of `dims` needs: dimensions of size 1 count for nothing, and those that
// are neighbours before and after for one.
int64_t NeededRank(const std::vector<int64_t>& perm, const Tensor& in) {
  std::vector<int64_t> left;
  for (const int64_t dim : perm) {
    if (dim < 0 || dim >= in.rank()) return in.rank();
    if (in.dims[static_cast<size_t>(dim)] != 1) left.push_back(dim);
  }
  int64_t needed = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const auto next = [&](int64_t dim) {
      do ++dim;
      while (dim < in.rank() && in.dims[static_cast<size_t>(dim)] == 1);
      return dim;
    };
    if (i == 0 || left[i] != next(left[i - 1])) ++needed;
  }
  return needed;
}

void Visit(const GraphView& g, int32_t op, GraphFindings& findings) {
  const Own& settings = g.settings<Own>();
  const int64_t rank = settings.rank;
  if (!g.Is(op, settings.transposes)) return;
  const Tensor* in = g.input(op, 0);
  const Tensor* out = g.output(op);
  if (in == nullptr || out == nullptr || in->rank() != rank) return;
  const int32_t before = g.Producer(g.op(op).inputs[0]);
  const auto readers = g.Readers(g.op(op).outputs[0]);
  if (before < 0 || !g.Is(before, settings.reshapes) || readers.size() != 1 ||
      !g.Is(readers[0], settings.reshapes | settings.splits)) {
    return;
  }
  for (const Param& param : g.op(op).params) {
    const auto perm = IntsOf(param.value);
    if (!perm || static_cast<int64_t>(perm->size()) != rank) continue;
    const int64_t needed = NeededRank(*perm, *in);
    if (needed >= rank) continue;
    Finding& f = findings.AddInput(op, 0, Consequence::kAdvice);
    f.message = fmt::format(
        "{} works on five dimensions (a rank of {}) behind a Reshape, which was reported to be slow: "
        "{} would do, without those of size 1 and with neighbors that stay together merged",
        f.op, rank, needed);
    f.found = Dims(*in);
    f.allowed = fmt::format("rank {}", std::max<int64_t>(needed, 1));
    f.fixes.push_back(UnsafeFix(
        "merge dimensions that move together in the Reshape before, and split them in the one after"));
  }
}

constexpr RuleEntry kEntry = {
    .rule =
        About(kRank5Transpose,
              {.summary = "a Transpose of rank 5 behind a Reshape could have fewer dimensions",
               .explanation = R"(## What it checks
Reshape, Transpose of rank 5, then Reshape or Split, where fewer dimensions would do: some have size
1, or stay neighbors.

## Why
The backend supports rank 5, but its optimizer does not recognise attention around it: reported two to
three times slower.

## Fix
Leave out dimensions of size 1, merge those that stay neighbors in the first Reshape, and split them
in the last.

## References
The evidence and what the real library or provider said are listed below.
)",
               .status = RuleStatus::kStable}),
    .visit = Visit,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace rank_5_transpose

const RuleEntry kRank5TransposeEntry = rank_5_transpose::kEntry;

}  // namespace quantgate::rules
