#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace rank {

using opdb::ArgKey;

int64_t EffectiveRank(const Subject& s, const Args& args) {
  int64_t rank = s.tensor->rank();
  if (const auto squeezed = args.number(ArgKey::kSqueezableTo)) {
    for (const int64_t dim : s.tensor->dims) {
      if (rank > *squeezed && dim == 1) --rank;
    }
  }
  return rank;
}

// Whether the tensor is dense where it must be sparse, or the reverse.
bool WrongStorage(const Subject& s, const Args& args) {
  const auto sparse = args.number(ArgKey::kSparse);
  return sparse && (*sparse != 0) != (s.tensor->sparse >= 0);
}

bool Holds(const Subject& s) {
  const Args args(s.node, s.constraint);
  if (WrongStorage(s, args)) return false;
  if (s.tensor->unknown_rank) return true;
  const int64_t rank = EffectiveRank(s, args);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto eq = args.number(ArgKey::kEq);
  const auto squeezed = args.number(ArgKey::kSqueezableTo);
  return (!min || rank >= *min) && (!max || rank <= *max) && (!eq || rank == *eq) &&
         (!squeezed || rank <= *squeezed);
}

void ExplainStorage(const Subject& s, Finding& f) {
  const bool dense = s.tensor->sparse < 0;
  f.found = dense ? "a dense tensor" : "a sparse tensor";
  f.allowed = dense ? "a sparse tensor" : "a dense tensor";
  f.message = fmt::format("{} of {} must be {}", f.port, f.op, f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("store \"{}\" as {}", s.tensor->name, f.allowed)));
}

// The highest rank; nullopt also where it follows from another port that is too small itself.
std::optional<int64_t> HighestRank(const Args& args) {
  const auto max = args.number(ArgKey::kMax);
  const auto min = args.number(ArgKey::kMin);
  return max && min && *max < *min ? std::nullopt : max;
}

// "rank 2 to 4".
std::string RankText(const Args& args) {
  const auto min = args.number(ArgKey::kMin);
  const auto max = HighestRank(args);
  if (const auto eq = args.number(ArgKey::kEq)) return fmt::format("rank {}", *eq);
  if (max && *max <= 0) return "a scalar";
  if (min && max && *min == *max) return fmt::format("rank {}", *min);
  if (min && max) return fmt::format("rank {} to {}", *min, *max);
  if (max) return fmt::format("rank up to {}", *max);
  if (min) return fmt::format("rank {} and more", *min);
  return fmt::format("rank {} after dropping dimensions of 1",
                     args.number(ArgKey::kSqueezableTo).value_or(0));
}

// The dimensions in the nearest rank: dimensions of 1 are dropped or put first. Empty where others
// would have to be merged.
std::string ReshapedText(const Tensor& tensor, int64_t rank) {
  std::vector<int64_t> dims(tensor.dims.begin(), tensor.dims.end());
  while (std::ssize(dims) < rank) dims.insert(dims.begin(), 1);
  while (std::ssize(dims) > rank) {
    const auto one = std::find(dims.begin(), dims.end(), 1);
    if (one == dims.end()) return "";
    dims.erase(one);
  }
  if (std::find(dims.begin(), dims.end(), kDynamicDim) != dims.end()) return "";
  return fmt::format("[{}]", NumberList(dims, ", "));
}

Fix FixOf(const Subject& s, const Args& args) {
  const int64_t rank = s.tensor->rank();
  const int64_t low = args.number(ArgKey::kMin).value_or(0);
  const int64_t high = HighestRank(args).value_or(std::max(rank, low));
  int64_t want = args.number(ArgKey::kEq).value_or(std::clamp(rank, low, high));
  if (const auto squeezed = args.number(ArgKey::kSqueezableTo)) want = *squeezed;
  const std::string_view where = s.node.is_input(s.constraint.port) ? "before" : "after";
  if (want <= 0) return UnsafeFix(fmt::format("make \"{}\" a scalar", s.tensor->name));
  const std::string shape = ReshapedText(*s.tensor, want);
  if (!shape.empty()) {
    return UnsafeFix(fmt::format("reshape \"{}\" to {} (rank {}) {} the op",
                                 s.tensor->name, shape, want, where));
  }
  return UnsafeFix(fmt::format("merge dimensions of \"{}\" to rank {} with a reshape {} the op",
                               s.tensor->name, want, where));
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  if (WrongStorage(s, args)) return ExplainStorage(s, f);
  f.found = fmt::format("rank {} {}", s.tensor->rank(), Dims(*s.tensor));
  f.allowed = RankText(args);
  f.message =
      fmt::format("{} of {} has rank {}; supported: {}", f.port, f.op, s.tensor->rank(), f.allowed);
  f.fixes.push_back(FixOf(s, args));
}

constexpr RuleEntry kEntry = {.rule = About(kRank, {.summary = "the rank of a tensor is not supported",
                                                    .explanation = R"(## What it checks
Each port supports some ranks only. A sparse tensor is supported by few ops, and a dense one not
at the ports that are made for sparse ones.

## Why
HTP kernels work on up to four dimensions, some on five; higher ranks are refused, fail in
preparation, or are computed wrong.

## Fix
Fold dimensions with a Reshape before the op and unfold them after it.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                                    .status = RuleStatus::kStable}),
                              .holds = Holds,
                              .explain = Explain,
                              .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace rank

const RuleEntry kRankEntry = rank::kEntry;

}  // namespace quantgate::rules
