// Rules named by code, by name or by the beginning of a code.
#include <string>

#include "absl/strings/ascii.h"
#include "quantgate/policy.h"
#include "quantgate/text.h"

namespace quantgate {

absl::StatusOr<std::vector<const Rule*>> RulesNamed(std::string_view selector) {
  if (const Rule* rule = FindRule(selector)) return std::vector{rule};
  const std::string upper =
      absl::AsciiStrToUpper(absl::string_view(selector.data(), selector.size()));
  std::vector<const Rule*> rules;
  if (upper == "ALL" || upper.starts_with("QG")) {
    for (const Rule* rule : AllRules()) {
      if (upper == "ALL" || rule->code.starts_with(upper)) rules.push_back(rule);
    }
  }
  if (!rules.empty()) return rules;
  std::vector<std::string_view> names;
  for (const Rule* rule : AllRules()) {
    names.push_back(rule->code);
    names.push_back(rule->slug);
  }
  return absl::InvalidArgumentError("unknown rule '" + Printable(selector, 80) + "'" +
                                    DidYouMean(selector, names));
}

}  // namespace quantgate
