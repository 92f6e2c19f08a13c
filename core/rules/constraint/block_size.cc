#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/expr.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace block_size {

using opdb::ArgKey;

// Blocks run along the input channels: the axis before the channel axis (HWIO, [.., K, N]), or
// after it where the channels come first ([out, in]).
std::optional<int64_t> InputChannels(const Tensor& tensor) {
  const int64_t rank = tensor.rank();
  const int64_t channel = NormalAxis(tensor.encoding->axis, rank);
  return DimOf(tensor, channel == rank - 1 ? rank - 2 : rank - 1);
}

// Input channels of one block; 0 = the blocks don't divide them, nothing = not known.
std::optional<int64_t> BlockSizeOf(const Subject& s) {
  const Encoding& e = s.tensor->encoding;
  if (e.kind != EncodingKind::kLpbq || s.tensor->unknown_rank || e.num_blocks <= 0)
    return std::nullopt;
  const auto channels = InputChannels(*s.tensor);
  if (!channels) return std::nullopt;
  return *channels % e.num_blocks == 0 ? *channels / e.num_blocks : 0;
}

bool SizeHolds(const Subject& s, int64_t size) {
  const Args args(s.node, s.constraint);
  std::array<int64_t, 16> sizes;
  if (const auto count = args.numbers(ArgKey::kAllowed, sizes);
      count && std::find(sizes.begin(), sizes.begin() + *count, size) == sizes.begin() + *count) {
    return false;
  }
  if (const auto count = args.numbers(ArgKey::kDenied, sizes);
      count && std::find(sizes.begin(), sizes.begin() + *count, size) != sizes.begin() + *count) {
    return false;
  }
  if (const auto min = args.number(ArgKey::kMin); min && size < *min) return false;
  if (const auto max = args.number(ArgKey::kMax); max && size > *max) return false;
  const auto multiple = args.number(ArgKey::kMultipleOf);
  return !multiple || *multiple == 0 || size % *multiple == 0;
}

bool Holds(const Subject& s) {
  const auto size = BlockSizeOf(s);
  return !size || (*size != 0 && SizeHolds(s, *size));
}

// The size nearest to the one given that divides the input channels and is supported; 0 = none.
int64_t NearestSize(const Subject& s, int64_t channels, int64_t have) {
  int64_t best = 0;
  for (int64_t size = 1; size <= channels; ++size) {
    if (channels % size != 0 || !SizeHolds(s, size)) continue;
    if (best == 0 || std::abs(size - have) < std::abs(best - have)) best = size;
  }
  return best;
}

void Explain(const Subject& s, Finding& f) {
  const Args args(s.node, s.constraint);
  const int64_t channels = InputChannels(*s.tensor).value_or(0);
  const int64_t size = BlockSizeOf(s).value_or(0);
  std::array<int64_t, 16> sizes;
  f.found = size == 0 ? fmt::format("{} blocks, which do not divide the input channels of {}",
                                    s.tensor->encoding->num_blocks, Dims(*s.tensor))
                      : fmt::format("blocks of {} input channels", size);
  const auto add = [&](std::string text) {
    f.allowed += f.allowed.empty() ? "blocks of " + text : ", " + text;
  };
  if (const auto count = args.numbers(ArgKey::kAllowed, sizes)) {
    add(NumberList(std::span(sizes.data(), *count)));
  }
  if (const auto count = args.numbers(ArgKey::kDenied, sizes)) {
    add(fmt::format("any size but {}", NumberList(std::span(sizes.data(), *count))));
  }
  if (const auto min = args.number(ArgKey::kMin)) add(fmt::format("at least {}", *min));
  if (const auto max = args.number(ArgKey::kMax)) add(fmt::format("at most {}", *max));
  if (const auto multiple = args.number(ArgKey::kMultipleOf)) {
    add(fmt::format("a multiple of {}", *multiple));
  }
  f.allowed += f.allowed.empty() ? "blocks that divide the input channels" : " input channels";
  f.message = fmt::format("{} of {} has {}; supported: {}", f.port, f.op, f.found, f.allowed);
  if (const int64_t nearest = NearestSize(s, channels, size)) {
    f.fixes.push_back(UnsafeFix(fmt::format("quantize \"{}\" in blocks of {} (num_blocks {})",
                                            s.tensor->name, nearest, channels / nearest)));
  } else {
    f.fixes.push_back(UnsafeFix(fmt::format(
        "quantize \"{}\" per-channel: no such block divides its {} input channels", s.tensor->name,
        channels)));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kBlockSize, {.summary = "the block size of the encoding is not computed right",
                               .explanation = R"(## What it checks
LPBQ divides the input channels into blocks; the blocks must divide the channels and have a size
the kernels know.

## Why
The library accepts any number of blocks and computes small or uneven ones wrong.

## Fix
Use groups of 64, 32, 16 or 8 input channels that divide them evenly.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                               .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace block_size

const RuleEntry kBlockSizeEntry = block_size::kEntry;

}  // namespace quantgate::rules
