// Rules: the kinds of checks, each with a code that never changes its meaning.
#ifndef QUANTGATE_RULE_H_
#define QUANTGATE_RULE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "quantgate/consequence.h"
#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

enum class RuleStatus : uint8_t { kPreview, kStable, kDeprecated };
std::string_view RuleStatusName(RuleStatus status);

struct Rule {
  std::string_view code;         // "QG301"
  std::string_view slug;         // "asymmetric-encoding"
  std::string_view summary;      // one line, no full stop
  std::string_view explanation;  // Markdown: What it checks / Why / Example / Fix / References
  RuleStatus status = RuleStatus::kStable;
};

// All rules in order of their codes.
std::span<const Rule* const> AllRules();
// By code ("QG301", any case) or slug; null when unknown.
const Rule* FindRule(std::string_view code_or_slug);

}  // namespace quantgate

#endif  // QUANTGATE_RULE_H_
