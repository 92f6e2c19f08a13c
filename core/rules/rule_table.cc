#include <array>

#include "core/rules/raise.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

constexpr std::array kTable = {
#define RULE(name, code, slug) &name##Entry,
#include "core/base/rules.def"
#include "quantgate/report.h"
#undef RULE
};

}  // namespace

std::span<const RuleEntry* const> AllEntries() { return kTable; }

const Rule& RuleOf(RuleId id) { return kTable[static_cast<size_t>(id)]->rule; }

Finding Raise(RuleId rule, Consequence consequence, SharedString message) {
  Finding finding;
  finding.rule = &RuleOf(rule);
  finding.consequence = consequence;
  finding.message = std::move(message);
  return finding;
}

}  // namespace quantgate::rules
