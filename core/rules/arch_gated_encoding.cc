#include <fmt/format.h>

#include <string_view>

#include "core/rules/args.h"
#include "core/rules/format.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  const auto arch = Args(s.node, s.constraint).number(ArgKey::kArch);
  return !arch || s.node.arch_index() >= *arch;
}

std::string_view ArchName(const Subject& s, int64_t index) {
  const auto& db = s.node.db();
  for (const auto& backend : db.backends()) {
    const auto archs = db.get(backend.archs);
    const auto ops = db.get(backend.ops);
    if (&s.node.op() >= ops.data() && &s.node.op() < ops.data() + ops.size() &&
        index < static_cast<int64_t>(archs.size())) {
      return db.str(archs[static_cast<size_t>(index)]);
    }
  }
  return "a newer arch";
}

void Explain(const Subject& s, Finding& f) {
  const auto arch = ArchName(s, *Args(s.node, s.constraint).number(ArgKey::kArch));
  f.found = fmt::format("{} on {}", s.tensor ? DescribeTensor(*s.tensor) : f.port,
                        ArchName(s, s.node.arch_index()));
  f.allowed = fmt::format("{} or newer", arch);
  f.message = fmt::format("{} of {} needs {} or newer", f.port, f.op, arch);
  f.fixes.push_back(UnsafeFix(fmt::format("target {} or newer, or use another encoding", arch)));
}

constexpr RuleEntry kEntry = {.rule = {.code = "QG316",
                                       .slug = "arch-gated-encoding",
                                       .summary = "this encoding or width needs a newer arch",
                                       .explanation = R"(## What it checks
Some widths and encodings of a row are taken from a certain arch on only.

## Why
The library refuses them on older chips.

## Fix
Target a chip with the arch the message names, or use another encoding.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable},
                              .kinds = {opdb::Kind::kMinArch},
                              .kind_count = 1,
                              .holds = Holds,
                              .explain = Explain,
                              .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry arch_gated_encoding;
const RuleEntry arch_gated_encoding = kEntry;

}  // namespace quantgate::rules
