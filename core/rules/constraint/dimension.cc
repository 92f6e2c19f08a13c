#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace dimension {

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

// The nearest size that is supported, for one dimension or a product; nothing = there is none.
std::optional<int64_t> NearestSize(int64_t size, const Args& args) {
  if (const auto eq = args.number(ArgKey::kEq)) return *eq;
  std::optional<int64_t> low = args.number(ArgKey::kMin), high = args.number(ArgKey::kMax);
  if (const auto below = args.number(ArgKey::kMaxExclusive)) {
    high = std::min(high.value_or(*below - 1), *below - 1);
  }
  int64_t nearest = std::max(size, low.value_or(size));
  const int64_t multiple = std::max<int64_t>(1, args.number(ArgKey::kMultipleOf).value_or(1));
  nearest = (nearest + multiple - 1) / multiple * multiple;
  if (high && nearest > *high) nearest = *high / multiple * multiple;
  if (!SizeHolds(nearest, args)) return std::nullopt;
  return nearest;
}

std::string SizeText(const Args& args) {
  std::string text;
  const auto add = [&](ArgKey key, std::string_view words) {
    if (const auto n = args.number(key)) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", words, *n);
    }
  };
  add(ArgKey::kEq, "");
  add(ArgKey::kMin, "at least ");
  add(ArgKey::kMax, "at most ");
  add(ArgKey::kMaxExclusive, "below ");
  add(ArgKey::kMultipleOf, "a multiple of ");
  return text;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  if (s.constraint.kind == Kind::kDimProduct) {
    const int64_t product = Product(s, args).value_or(0);
    f.found = fmt::format("{} elements in {}", product, Dims(*s.tensor));
    f.allowed = fmt::format("{} elements", SizeText(args));
    f.message =
        fmt::format("{} of {} has {}; supported: {}", f.port, f.op, f.found, f.allowed);
    if (const auto nearest = NearestSize(product, args)) {
      f.fixes.push_back(
          UnsafeFix(fmt::format("{} \"{}\": {} elements instead of {}",
                                *nearest < product ? "split" : "pad", s.tensor->name, *nearest,
                                product)));
    }
    return;
  }
  const int64_t dim = FirstWrong(s, args).value_or(0);
  const int64_t size = DimOf(*s.tensor, dim).value_or(0);
  f.found = fmt::format("dimension {} of {}", dim, Dims(*s.tensor));
  f.allowed = fmt::format("{} in dimension {}", SizeText(args), dim);
  f.message = fmt::format("{} of {} has {} in dimension {}; supported: {}", f.port, f.op, size,
                          dim, SizeText(args));
  const auto nearest = NearestSize(size, args);
  if (!nearest) return;
  const bool exact = args.has(ArgKey::kEq);
  f.fixes.push_back(UnsafeFix(
      exact             ? fmt::format("make dimension {} of \"{}\" {} instead of {}", dim,
                                      s.tensor->name, *nearest, size)
      : *nearest > size ? fmt::format("pad dimension {} of \"{}\" from {} to {}", dim,
                                      s.tensor->name, size, *nearest)
                        : fmt::format("split dimension {} of \"{}\" into parts of {}", dim,
                                      s.tensor->name, *nearest)));
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
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace dimension

const RuleEntry kDimensionEntry = dimension::kEntry;

}  // namespace quantgate::rules
