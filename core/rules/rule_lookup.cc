#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "core/base/absl_view.h"
#include "core/database/kinds.h"
#include "core/rules/rule_entry.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace rules {

const RuleEntry* EntryOf(opdb::Kind kind) {
  const std::optional<RuleId> rule = opdb::RowOf(kind).rule;
  return rule ? AllEntries()[static_cast<size_t>(*rule)] : nullptr;
}

}  // namespace rules

std::string_view RuleStatusName(RuleStatus status) {
  switch (status) {
    case RuleStatus::kPreview:
      return "preview";
    case RuleStatus::kStable:
      return "stable";
    case RuleStatus::kDeprecated:
      return "deprecated";
  }
  return "";
}

std::span<const Rule* const> AllRules() {
  static const std::vector<const Rule*> rules = [] {
    std::vector<const Rule*> list;
    for (const rules::RuleEntry* entry : rules::AllEntries()) list.push_back(&entry->rule);
    return list;
  }();
  return rules;
}

const Rule* FindRule(std::string_view code_or_slug) {
  for (const rules::RuleEntry* entry : rules::AllEntries()) {
    if (absl::EqualsIgnoreCase(Absl(entry->rule.code), Absl(code_or_slug)) ||
        entry->rule.slug == code_or_slug) {
      return &entry->rule;
    }
  }
  return nullptr;
}

}  // namespace quantgate
