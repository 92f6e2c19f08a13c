#include "quantgate/policy.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "core/policy/glob.h"
#include "core/report/fingerprint.h"

namespace quantgate {
namespace {

constexpr std::array<std::string_view, 4> kRuleLevels = {"off", "note", "warning", "error"};

Level LevelOf(RuleLevel level) {
  return level == RuleLevel::kError     ? Level::kError
         : level == RuleLevel::kWarning ? Level::kWarning
                                        : Level::kNote;
}

bool AnyFits(const std::vector<std::string>& patterns, std::string_view text) {
  return patterns.empty() ||
         std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return GlobMatches(pattern, text); });
}

// Nodes that fail the mode although no finding gives the reason: they are unchecked.
bool FailsUnchecked(const ValidatorOptions& options, const Report& report) {
  if (options.mode != Mode::kStrict || options.fail_on != Consequence::kUnchecked) return false;
  std::vector<bool> reported(report.nodes.size());
  for (const Finding& finding : report.findings) {
    const auto node = static_cast<size_t>(finding.node_index);
    if (finding.node_index >= 0 && node < reported.size()) reported[node] = true;
  }
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    if (report.nodes[i].verdict == Consequence::kUnchecked && !reported[i]) return true;
  }
  return false;
}

}  // namespace

std::string_view RuleLevelName(RuleLevel level) { return kRuleLevels[static_cast<size_t>(level)]; }

std::optional<RuleLevel> RuleLevelFromName(std::string_view name) {
  const auto at = std::find(kRuleLevels.begin(), kRuleLevels.end(), name);
  if (at == kRuleLevels.end()) return std::nullopt;
  return static_cast<RuleLevel>(at - kRuleLevels.begin());
}

bool IsDay(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const auto number = [&](size_t begin, size_t count) {
    int value = 0;
    for (const char c : text.substr(begin, count)) {
      if (c < '0' || c > '9') return -1;
      value = 10 * value + (c - '0');
    }
    return value;
  };
  const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
  if (year < 1 || month < 1 || month > 12 || day < 1) return false;
  constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return day <= kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm day = {};
  ::localtime_r(&now, &day);
  return fmt::format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

Policy::Policy(PolicySettings settings)
    : settings_(std::move(settings)), used_(settings_.suppressions.size()) {}

bool Policy::empty() const {
  return settings_.levels.empty() && settings_.select.empty() && settings_.ignore.empty() &&
         settings_.suppressions.empty() && !settings_.baseline;
}

const SuppressionRule* Policy::Find(const Report& report, const Finding& finding) {
  const SuppressionRule* found = nullptr;
  for (size_t i = 0; i < settings_.suppressions.size(); ++i) {
    const SuppressionRule& rule = settings_.suppressions[i];
    if (!rule.expires.empty() && rule.expires < settings_.today) continue;
    const bool fits = (rule.rules.empty() || std::find(rule.rules.begin(), rule.rules.end(),
                                                       finding.rule) != rule.rules.end()) &&
                      AnyFits(rule.nodes, finding.node) && AnyFits(rule.tensors, finding.tensor) &&
                      AnyFits(rule.models, report.model);
    if (!fits) continue;
    // All that fit are in use; the first one speaks.
    used_[i] = true;
    if (found == nullptr) found = &rule;
  }
  return found;
}

void Policy::Apply(const ValidatorOptions& options, std::string_view model, Checked& checked) {
  if (empty()) return;
  Report& report = checked.report;
  const bool fails_unchecked = FailsUnchecked(options, report);
  const std::set<std::string>* known = nullptr;
  if (settings_.baseline) {
    if (const auto at = settings_.baseline->models.find(model);
        at != settings_.baseline->models.end()) {
      known = &at->second;
    }
  }
  size_t still_there = 0;
  Fingerprints fingerprints;
  bool failing = false;
  const auto keep = [&](Finding& finding) {
    // Asked for all of them: a hidden finding still counts those that are alike.
    const std::string fingerprint = fingerprints.Next(finding);
    const bool in_baseline = known != nullptr && known->contains(fingerprint);
    if (in_baseline) ++still_there;
    if ((!settings_.select.empty() && !settings_.select.contains(finding.rule)) ||
        settings_.ignore.contains(finding.rule)) {
      return false;
    }
    if (const auto level = settings_.levels.find(finding.rule);
        level != settings_.levels.end() && finding.waived.empty()) {
      if (level->second == RuleLevel::kOff) return false;
      finding.level = LevelOf(level->second);
    }
    Suppression suppression;
    if (const SuppressionRule* rule = Find(report, finding)) {
      suppression = {Suppression::By::kConfigured, rule->reason};
    } else if (in_baseline) {
      suppression.by = Suppression::By::kBaseline;
    }
    if (suppression.by != Suppression::By::kNone) finding.level = Level::kNote;
    checked.suppressions.push_back(std::move(suppression));
    failing = failing || finding.level == Level::kError;
    return true;
  };
  size_t kept = 0;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    if (!keep(report.findings[i])) {
      ++checked.hidden;
      continue;
    }
    if (kept != i) report.findings[kept] = std::move(report.findings[i]);
    ++kept;
  }
  report.findings.resize(kept);
  report.failed = failing || fails_unchecked;
  if (known != nullptr) baseline_gone_ += known->size() - std::min(known->size(), still_there);
}

std::vector<std::string> Policy::Notes() const {
  std::vector<std::string> notes;
  for (size_t i = 0; i < settings_.suppressions.size(); ++i) {
    const SuppressionRule& rule = settings_.suppressions[i];
    if (!rule.expires.empty() && rule.expires < settings_.today) {
      notes.push_back(fmt::format("{}: this suppression expired on {} ({})", rule.place,
                                  rule.expires, rule.reason));
    } else if (!used_[i]) {
      notes.push_back(
          fmt::format("{}: this suppression fits no finding ({})", rule.place, rule.reason));
    }
  }
  if (baseline_gone_ > 0) {
    notes.push_back(fmt::format("{} finding{} of the baseline {} gone; write it again to drop {}",
                                baseline_gone_, baseline_gone_ == 1 ? "" : "s",
                                baseline_gone_ == 1 ? "is" : "are",
                                baseline_gone_ == 1 ? "it" : "them"));
  }
  return notes;
}

}  // namespace quantgate
