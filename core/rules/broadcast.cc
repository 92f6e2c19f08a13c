#include <fmt/format.h>

#include "core/rules/args.h"
#include "core/rules/format.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

// Whether the input is stretched to the shape of the output.
bool Stretched(const Tensor& in, const Tensor& out) {
  if (in.unknown_rank || out.unknown_rank) return false;
  if (in.dims.size() != out.dims.size()) return true;
  for (size_t i = 0; i < in.dims.size(); ++i) {
    if (in.dims[i] == 1 && out.dims[i] > 1) return true;
  }
  return false;
}

bool Holds(const Subject& s) {
  const Tensor* out = s.node.tensor(s.node.op().input_count);
  const Tensor* a = s.node.tensor(0);
  const Tensor* b = s.node.tensor(1);
  if (out == nullptr || a == nullptr || b == nullptr) return true;
  const Args args(s.node, s.constraint);
  const bool first = Stretched(*a, *out);
  const bool second = Stretched(*b, *out);
  if (!args.flag(ArgKey::kAllowed, true) && (first || second)) return false;
  return args.flag(ArgKey::kMixed, true) || !(first && second);
}

void Explain(const Subject& s, Finding& f) {
  f.found = fmt::format("in[0] {}, in[1] {}", Dims(*s.node.tensor(0)), Dims(*s.node.tensor(1)));
  f.allowed = Args(s.node, s.constraint).flag(ArgKey::kAllowed, true)
                  ? "one stretched input at most"
                  : "inputs of equal shape";
  f.message = fmt::format("the inputs of {} can't be broadcast: {}", f.op, f.found);
  f.fixes.push_back(UnsafeFix("expand the smaller input before the op"));
}

constexpr RuleEntry kEntry = {.rule = {.code = "QG404",
                                       .slug = "broadcast",
                                       .summary = "the inputs may not be broadcast like this",
                                       .explanation = R"(## What it checks
Some ops stretch one input over the other, some both ways, some not at all.

## Why
The library refuses shapes it cannot stretch.

## Fix
Expand the smaller input before, or reshape it.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable},
                              .kinds = {opdb::Kind::kBroadcast},
                              .kind_count = 1,
                              .holds = Holds,
                              .explain = Explain};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry broadcast;
const RuleEntry broadcast = kEntry;

}  // namespace quantgate::rules
