#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "core/database/tables.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/args.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace arch_gated_encoding {

using opdb::ArgKey;

bool Holds(const Subject& s) {
  const auto arch = Args(s.node, s.constraint).number(ArgKey::kArch);
  return !arch || s.node.arch_index() >= *arch;
}

// Of the backend that has the op.
std::string_view ArchName(const Subject& s, int64_t index) {
  const auto& db = s.node.db();
  const auto backends = db.backends();
  const auto of_op = std::find_if(backends.begin(), backends.end(), [&](const auto& backend) {
    const auto ops = db.get(backend.ops);
    return std::any_of(ops.begin(), ops.end(),
                       [&](const opdb::OpRow& op) { return &op == &s.node.op(); });
  });
  return db.str(db.get(of_op->archs)[static_cast<size_t>(index)]);
}

void Explain(const Subject& s, Finding& f) {
  const auto arch = ArchName(s, *Args(s.node, s.constraint).number(ArgKey::kArch));
  f.found = fmt::format("{} on {}", s.tensor ? DescribeTensor(*s.tensor) : f.port.str(),
                        ArchName(s, s.node.arch_index()));
  f.allowed = fmt::format("{} or newer", arch);
  f.message = fmt::format("{} of {} needs {} or newer, the target is {}", f.port, f.op, arch,
                          ArchName(s, s.node.arch_index()));
  f.fixes.push_back(UnsafeFix(fmt::format("target {} or newer", arch)));
}

constexpr RuleEntry kEntry = {
    .rule = About(kArchGatedEncoding, {.summary = "this encoding or width needs a newer arch",
                                       .explanation = R"(## What it checks
Some widths and encodings of a row are supported from a certain arch on only.

## Why
The library refuses them on older chips.

## Fix
Target a chip with the arch the message names, or use another encoding.

## References
The constraint's `sources` name the documentation page and the measured library version.
)",
                                       .status = RuleStatus::kStable}),
    .holds = Holds,
    .explain = Explain,
    .reads_form_only = true};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace arch_gated_encoding

const RuleEntry kArchGatedEncodingEntry = arch_gated_encoding::kEntry;

}  // namespace quantgate::rules
