#include <fmt/core.h>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

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
  f.fixes.push_back(UnsafeFix(dense ? "give it a sparse tensor, or use an op for dense ones"
                                    : "give it a dense tensor, or use an op for sparse ones"));
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  if (WrongStorage(s, args)) return ExplainStorage(s, f);
  const auto min = args.number(ArgKey::kMin);
  const auto max = args.number(ArgKey::kMax);
  const auto eq = args.number(ArgKey::kEq);
  f.found = fmt::format("rank {} {}", s.tensor->rank(), Dims(*s.tensor));
  if (eq) {
    f.allowed = fmt::format("rank {}", *eq);
  } else if (min && max && *min == *max) {
    f.allowed = fmt::format("rank {}", *min);
  } else if (min && max) {
    f.allowed = fmt::format("rank {} to {}", *min, *max);
  } else if (max) {
    f.allowed = fmt::format("rank up to {}", *max);
  } else if (min) {
    f.allowed = fmt::format("rank {} and more", *min);
  } else {
    f.allowed = fmt::format("rank {} after dropping dimensions of 1",
                            args.number(ArgKey::kSqueezableTo).value_or(0));
  }
  f.message =
      fmt::format("{} of {} has rank {}; supported: {}", f.port, f.op, s.tensor->rank(), f.allowed);
  f.fixes.push_back(UnsafeFix(fmt::format("reshape it to {} around the op", f.allowed)));
}

constexpr RuleEntry kEntry = {.rule = About(kRank, {.summary = "the rank of a tensor is not supported",
                                                    .explanation = R"(## What it checks
Each port takes tensors of some ranks only. A sparse tensor is taken by few ops, and a dense one not
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
                              .kinds = {opdb::Kind::kRank},
                              .kind_count = 1,
                              .holds = Holds,
                              .explain = Explain,
                              .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kRankEntry = kEntry;

}  // namespace quantgate::rules
