// Which findings of a report are shown and which fail a run: levels of rules, selected rules,
// suppressions and a baseline. It changes levels and the exit status, never a verdict.
//
//   quantgate::PolicySettings settings;
//   settings.levels[quantgate::FindRule("QG301")] = quantgate::RuleLevel::kWarning;
//   quantgate::Policy policy(std::move(settings));
//   quantgate::Checked checked{validator.Check(model)};
//   policy.Apply(validator.options(), checked.report.model, checked);
#ifndef QUANTGATE_POLICY_H_
#define QUANTGATE_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/checked.h"
#include "quantgate/export.h"
#include "quantgate/report.h"
#include "quantgate/rule.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

enum class RuleLevel : uint8_t { kOff, kNote, kWarning, kError };
std::string_view RuleLevelName(RuleLevel level);  // "warning"
std::optional<RuleLevel> RuleLevelFromName(std::string_view name);

// "QG301", "asymmetric-encoding", "QG3" (all 3xx) or "ALL". InvalidArgument with did-you-mean.
absl::StatusOr<std::vector<const Rule*>> RulesNamed(std::string_view selector);

// A day as YYYY-MM-DD; such texts compare as days do.
bool IsDay(std::string_view text);
std::string Today();  // in the local time zone

// Findings that are known and accepted. Each list that isn't empty must have an entry that fits.
struct SuppressionRule {
  std::vector<std::string> nodes, tensors, models;  // patterns: * any text, ? one character
  std::vector<const Rule*> rules;
  std::string reason;
  std::string expires;  // the last day on which it holds; empty = for ever
  std::string place;    // "quantgate.yaml:12:5"
};

// Findings of an earlier run, which fail nothing. A file of them is made by BaselineWriter.
struct Baseline {
  // By model, as BaselineModel() calls it: fingerprints, which survive a new export of the model.
  std::map<std::string, std::set<std::string>, std::less<>> models;
};

// Errors are InvalidArgument with "FILE:LINE:COLUMN: reason" or "FILE: reason".
absl::StatusOr<Baseline> ReadBaseline(const std::string& path);

// A model as the baseline file at `path` calls it: relative to the file's folder, so that both can
// be moved together; "stdin" for "-".
std::string BaselineModel(const std::string& path, const std::string& model);

// Collects findings for a baseline file. The text is sorted and has a finding a line: made to be
// reviewed and merged.
class BaselineWriter {
 public:
  // `path` of the file that it will be; empty = the working directory.
  explicit BaselineWriter(std::string path) : path_(std::move(path)) {}

  // All findings but those that a configuration suppresses.
  void Add(const Checked& checked);
  size_t count() const { return count_; }
  // The file.
  std::string Text() const;

 private:
  std::string path_;
  std::map<std::string, std::map<std::string, std::string>> models_;  // model, fingerprint, line
  size_t count_ = 0;
};

struct PolicySettings {
  std::map<const Rule*, RuleLevel> levels;
  std::set<const Rule*> select;  // empty = all
  std::set<const Rule*> ignore;
  std::vector<SuppressionRule> suppressions;
  std::optional<Baseline> baseline;
  std::string today;  // suppressions are held against this day; empty = none has expired
};

// Not for use by several threads at once.
class Policy {
 public:
  Policy() = default;
  explicit Policy(PolicySettings settings);

  // Nothing to apply: reports stay as they are.
  bool empty() const;
  // Changes levels, Report::failed and suppressions, and removes findings of rules that are off or
  // not selected. `options` are those of the validator; `model` is the model of the report as the
  // baseline calls it.
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

#endif  // QUANTGATE_POLICY_H_
