// What a user wants to hear of a report, and what shall fail: levels of rules, selected rules,
// suppressions and a baseline. It changes levels and the exit status, never a verdict.
#ifndef QUANTGATE_CORE_POLICY_POLICY_H_
#define QUANTGATE_CORE_POLICY_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/checked.h"
#include "quantgate/report.h"
#include "quantgate/rule.h"
#include "quantgate/validator.h"

namespace quantgate {

enum class RuleLevel : uint8_t { kOff, kNote, kWarning, kError };
std::string_view RuleLevelName(RuleLevel level);
std::optional<RuleLevel> RuleLevelFromName(std::string_view name);

// A day as YYYY-MM-DD; such texts compare as days do.
bool IsDay(std::string_view text);
std::string Today();

// Findings that are known and accepted. Each list that isn't empty must have an entry that fits.
struct SuppressionRule {
  std::vector<std::string> nodes, tensors, models;  // patterns
  std::vector<const Rule*> rules;
  std::string reason;
  std::string expires;  // the last day on which it holds; empty = for ever
  std::string place;    // "quantgate.yaml:12:5"
};

// Findings of an earlier run: fingerprints by model.
struct Baseline {
  std::map<std::string, std::set<std::string>, std::less<>> models;
};

struct PolicySettings {
  std::map<const Rule*, RuleLevel> levels;
  std::set<const Rule*> select;  // empty = all
  std::set<const Rule*> ignore;
  std::vector<SuppressionRule> suppressions;
  std::optional<Baseline> baseline;
  std::string today;  // suppressions are held against this day
};

class Policy {
 public:
  Policy() = default;
  explicit Policy(PolicySettings settings);

  // Nothing to apply: reports stay as they are.
  bool empty() const;
  // `model` is the model of the report as the baseline calls it.
  void Apply(const ValidatorOptions& options, std::string_view model, Checked& checked);
  // Sentences about suppressions that expired or fit nothing, and about findings of the baseline
  // that are gone; of all reports so far.
  std::vector<std::string> Notes() const;

 private:
  const SuppressionRule* Find(const Report& report, const Finding& finding);

  PolicySettings settings_;
  std::vector<bool> used_;  // per suppression
  size_t baseline_gone_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_POLICY_POLICY_H_
