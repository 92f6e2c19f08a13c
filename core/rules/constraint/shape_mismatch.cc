#include <fmt/core.h>

#include <array>
#include <span>
#include <string>
#include <utility>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace shape_mismatch {

using opdb::ArgKey;
using opdb::Kind;

const Tensor* Other(const Subject& s) {
  const auto port = Args(s.node, s.constraint).number(ArgKey::kAs);
  return port ? s.node.tensor(static_cast<int>(*port)) : nullptr;
}

bool SameSize(const Tensor& a, const Tensor& b, int64_t dim, bool broadcast) {
  const auto x = DimOf(a, dim);
  const auto y = DimOf(b, dim);
  return !x || !y || *x == *y || (broadcast && (*x == 1 || *y == 1));
}

bool Holds(const Subject& s) {
  const Tensor* other = Other(s);
  if (other == nullptr || other->unknown_rank || s.tensor->unknown_rank) return true;
  const Args args(s.node, s.constraint);
  if (s.constraint.kind == Kind::kSameDims) {
    std::array<int64_t, 16> dims;
    const auto count = args.numbers(ArgKey::kDims, dims);
    const bool broadcast = args.flag(ArgKey::kBroadcast, false);
    for (const int64_t dim : std::span(dims).first(count.value_or(0))) {
      if (!SameSize(*s.tensor, *other, dim, broadcast)) return false;
    }
    return true;
  }
  if (s.tensor->dims.size() != other->dims.size()) return false;
  if (s.constraint.kind == Kind::kSameRank) return true;
  for (size_t i = 0; i < other->dims.size(); ++i) {
    if (!SameSize(*s.tensor, *other, static_cast<int64_t>(i), false)) return false;
  }
  return true;
}

// The first dimension that `same_dims` lists and that differs.
int64_t FirstOther(const Subject& s, const Tensor& other) {
  const Args args(s.node, s.constraint);
  std::array<int64_t, 16> dims;
  const auto count = args.numbers(ArgKey::kDims, dims);
  const bool broadcast = args.flag(ArgKey::kBroadcast, false);
  for (const int64_t dim : std::span(dims).first(count.value_or(0))) {
    if (!SameSize(*s.tensor, other, dim, broadcast)) return dim;
  }
  return 0;
}

void Explain(const Subject& s, Finding& f) {
  const Tensor* other = Other(s);
  const auto port = *Args(s.node, s.constraint).number(ArgKey::kAs);
  const std::string name = PortName(s.node, static_cast<int>(port));
  f.related.push_back(name);
  f.found = fmt::format("{} {}, {} {}", f.port, Dims(*s.tensor), name, Dims(*other));
  std::string fix;
  if (s.constraint.kind == Kind::kSameRank) {
    f.allowed = fmt::format("the rank of {}", name);
    fix = fmt::format("reshape \"{}\" to rank {}", s.tensor->name, other->rank());
  } else if (s.constraint.kind == Kind::kSameShape) {
    f.allowed = fmt::format("the shape of {}", name);
    fix = fmt::format("make \"{}\" {}", s.tensor->name, Dims(*other));
  } else {
    const int64_t dim = FirstOther(s, *other);
    f.allowed = fmt::format("dimension {} as in {}", dim, name);
    fix = fmt::format("make dimension {} of \"{}\" {}", dim, s.tensor->name,
                      DimOf(*other, dim).value_or(0));
  }
  f.message = fmt::format("{} of {} must have {}: {} against {}", f.port, f.op, f.allowed,
                          Dims(*s.tensor), Dims(*other));
  f.fixes.push_back(UnsafeFix(std::move(fix)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kShapeMismatch, {.summary = "the shapes of two ports do not go together",
                                   .explanation = R"(## What it checks
Some ports must have the rank, the shape or some dimensions of another port.

## Why
The library refuses the node, or the op has no meaning.

## Fix
Check the shapes the message prints; a Reshape in front usually fixes it.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                   .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace shape_mismatch

const RuleEntry kShapeMismatchEntry = shape_mismatch::kEntry;

}  // namespace quantgate::rules
