// Workflow commands of GitHub Actions: `::error file=…,line=…,title=…::message`.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/report/place.h"
#include "core/report/reporters.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// GitHub shows this many annotations of each level for a step; further ones are dropped.
constexpr size_t kShownPerLevel = 10;
constexpr size_t kListedNodes = 8;

// What may not stand in the message of a command, and what may not in its properties.
std::string Escaped(std::string_view text, bool property) {
  std::string safe;
  for (const char c : text) {
    const bool special = c == '%' || c == '\r' || c == '\n' || (property && (c == ':' || c == ','));
    if (special) {
      safe += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string_view Command(Level level) {
  return level == Level::kError ? "error" : level == Level::kWarning ? "warning" : "notice";
}

// Findings that say the same of several nodes.
struct Annotation {
  const Finding* first;
  std::vector<std::string> other_nodes;
};

std::vector<Annotation> Grouped(const Checked& checked) {
  std::vector<Annotation> groups;
  std::unordered_map<std::string, size_t> index;
  for (const Finding& finding : checked.report.findings) {
    if (!checked.Counts(finding)) continue;
    const std::string key = fmt::format(
        "{}\n{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(finding.level), finding.rule->code,
        finding.constraint, finding.op, finding.port, finding.found, finding.allowed);
    const auto [at, added] = index.emplace(key, groups.size());
    if (added) {
      groups.push_back({&finding, {}});
    } else {
      groups[at->second].other_nodes.emplace_back(finding.node);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Annotation& a, const Annotation& b) {
    const auto rank = [](const Annotation& group) {
      return std::pair(-static_cast<int>(group.first->level), -Severity(group.first->consequence));
    };
    return rank(a) < rank(b);
  });
  return groups;
}

class GithubReporter : public Reporter {
 public:
  explicit GithubReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    std::string text;
    for (const Annotation& group : Grouped(checked)) {
      const Finding& finding = *group.first;
      const std::string title = fmt::format("{} {}", finding.rule->code, finding.rule->slug);
      if (++annotated_[static_cast<size_t>(finding.level)] > kShownPerLevel) {
        text += fmt::format("{} {}: {}: {}{}\n", LevelName(finding.level), title,
                            PlaceText(report, finding), Printable(finding.message), Also(group));
        continue;
      }
      const FilePlace place = FindingPlace(checked, finding, options_.root);
      std::string message = Printable(finding.message) + "\n" + PlaceText(report, finding) +
                            Also(group) + "\n" + DetailsText(checked, finding);
      text += fmt::format("::{} file={},line={},title={}::{}\n", Command(finding.level),
                          Escaped(Printable(place.path), true), place.line, Escaped(title, true),
                          Escaped(message, false));
    }
    const auto levels = CountLevels(checked);
    return text + fmt::format("quantgate: {}: {}: {} errors, {} warnings, {} notes in {} ({})\n",
                              Name(report.model), report.failed ? "failed" : "passed", levels[2],
                              levels[1], levels[0], Nodes(report.nodes.size()),
                              TargetText(report, ", "));
  }

  std::string AddUnreadable(std::string_view model, std::string_view place,
                            std::string_view reason) override {
    const FilePlace file = ModelPlace(model, options_.root);
    std::string message = Printable(reason);
    if (!place.empty()) message = Printable(place) + ": " + message;
    return fmt::format("::error file={},line={},title=unreadable model::{}\n",
                       Escaped(Printable(file.path), true), file.line, Escaped(message, false));
  }

  std::string Finish() override { return ""; }

 private:
  static std::string Also(const Annotation& group) {
    if (group.other_nodes.empty()) return "";
    std::vector<std::string> names;
    for (const std::string& node : group.other_nodes) {
      if (names.size() == kListedNodes) break;
      names.push_back(Name(node));
    }
    std::string text =
        fmt::format("; also in {}: {}", Nodes(group.other_nodes.size()), Join(names, ", "));
    if (names.size() < group.other_nodes.size()) text += ", …";
    return text;
  }

  const ReporterOptions options_;
  std::array<size_t, kLevelCount> annotated_{};
};

}  // namespace

std::unique_ptr<Reporter> MakeGithubReporter(const ReporterOptions& options) {
  return std::make_unique<GithubReporter>(options);
}

}  // namespace quantgate
