// The rules by name: what a finding is raised by (core/rules/raise.h) and compared with.
#ifndef QUANTGATE_CORE_BASE_RULE_ID_H_
#define QUANTGATE_CORE_BASE_RULE_ID_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quantgate {

enum class RuleId : uint8_t {
#define RULE(name, code, slug) name,
#include "core/base/rules.def"
#undef RULE
};

namespace rules {

using enum RuleId;  // rules::kOffsetSign

struct RuleName {
  std::string_view code;  // "QG708"
  std::string_view slug;  // "offset-sign"
};
inline constexpr std::array kRuleNames = {
#define RULE(name, code, slug) RuleName{code, slug},
#include "core/base/rules.def"
#undef RULE
};
constexpr const RuleName& NameOf(RuleId id) { return kRuleNames[static_cast<size_t>(id)]; }

}  // namespace rules
}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_RULE_ID_H_
