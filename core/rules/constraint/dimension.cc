#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;
using opdb::Kind;

bool SizeHolds(int64_t size, const Args& args) {
  const auto holds = [&](const opdb::ArgRow& row) {
    const auto keeps = [&](auto relation) {
      const auto n = args.number(row);
      return !n || relation(*n);
    };
    switch (row.key) {
      case ArgKey::kEq:
        return keeps([&](int64_t n) { return size == n; });
      case ArgKey::kMin:
        return keeps([&](int64_t n) { return size >= n; });
      case ArgKey::kMax:
        return keeps([&](int64_t n) { return size <= n; });
      case ArgKey::kMaxExclusive:
        return keeps([&](int64_t n) { return size < n; });
      case ArgKey::kMultipleOf:
        return keeps([&](int64_t n) { return n == 0 || size % n == 0; });
      default:
        return true;
    }
  };
  return std::all_of(args.rows().begin(), args.rows().end(), holds);
}

// The dimensions meant; all of them where none is named, none where they can't be determined.
size_t DimsMeant(const Subject& s, const Args& args, std::array<int64_t, 16>& dims) {
  if (const auto count = args.numbers(ArgKey::kDim, dims)) return *count;
  if (args.has(ArgKey::kDim)) return 0;
  const size_t rank = std::min<size_t>(s.tensor->dims.size(), dims.size());
  std::iota(dims.begin(), dims.begin() + rank, 0);
  return rank;
}

std::optional<int64_t> FirstWrong(const Subject& s, const Args& args) {
  std::array<int64_t, 16> dims;
  const size_t count = DimsMeant(s, args, dims);
  for (size_t i = 0; i < count; ++i) {
    const auto size = DimOf(*s.tensor, dims[i]);
    if (size && !SizeHolds(*size, args)) return dims[i];
  }
  return std::nullopt;
}

std::optional<int64_t> Product(const Subject& s, const Args& args) {
  std::array<int64_t, 16> dims;
  const size_t count = DimsMeant(s, args, dims);
  if (count == 0 && args.has(ArgKey::kDim)) return std::nullopt;
  int64_t product = 1;
  for (size_t i = 0; i < count; ++i) {
    const auto size = DimOf(*s.tensor, dims[i]);
    if (!size || __builtin_mul_overflow(product, *size, &product)) return std::nullopt;
  }
  return product;
}

bool Holds(const Subject& s) {
  if (s.tensor->unknown_rank) return true;
  const Args args(s.node, s.constraint);
  if (s.constraint.kind == Kind::kDimProduct) {
    const auto product = Product(s, args);
    return !product || SizeHolds(*product, args);
  }
  return !FirstWrong(s, args);
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const auto add = [&](ArgKey key, std::string_view words) {
    if (const auto n = args.number(key)) {
      f.allowed += fmt::format("{}{} {}", f.allowed.empty() ? "" : ", ", words, *n);
    }
  };
  add(ArgKey::kEq, "exactly");
  add(ArgKey::kMin, "at least");
  add(ArgKey::kMax, "at most");
  add(ArgKey::kMaxExclusive, "below");
  add(ArgKey::kMultipleOf, "a multiple of");
  if (s.constraint.kind == Kind::kDimProduct) {
    f.found = fmt::format("{} elements in {}", Product(s, args).value_or(0), Dims(*s.tensor));
  } else {
    const int64_t dim = FirstWrong(s, args).value_or(0);
    f.found = fmt::format("dimension {} of {}", dim, Dims(*s.tensor));
  }
  f.message = fmt::format("{} of {}: {} must be {}", f.port, f.op, f.found, f.allowed);
  f.fixes.push_back(UnsafeFix("change the shape, by padding or splitting"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kDimension, {.summary = "a dimension has a size that is not supported",
                               .explanation = R"(## What it checks
Some dimensions have limits: minimum, maximum, a multiple, or a size tied to another tensor.

## Why
Kernels are written for those sizes; the library refuses others or computes them wrong.

## Fix
Change the size the message names, by padding or splitting.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                               .status = RuleStatus::kStable}),
    .kinds = {opdb::Kind::kDim, opdb::Kind::kDimProduct},
    .kind_count = 2,
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

const RuleEntry kDimensionEntry = kEntry;

}  // namespace quantgate::rules
