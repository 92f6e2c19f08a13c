// How often each rule was broken, in place of the findings.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/words.h"
#include "quantgate/text.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

struct Count {
  size_t findings = 0, nodes = 0, models = 0, suppressed = 0;
  Level worst = Level::kNote;
};

class StatisticsReporter : public Reporter {
 public:
  StatisticsReporter(const ReporterOptions& options, bool json) : options_(options), json_(json) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    ++models_;
    if (report.failed) ++failed_;
    hidden_ += static_cast<size_t>(checked.hidden);
    std::map<const Rule*, int32_t> last_node;
    for (const Finding& finding : report.findings) {
      Count& count = counts_[finding.rule];
      const auto [at, first] = last_node.emplace(finding.rule, finding.node_index);
      // Findings of a node stand together.
      if (first || at->second != finding.node_index) ++count.nodes;
      at->second = finding.node_index;
      if (first) ++count.models;
      ++count.findings;
      if (!checked.Counts(finding)) ++count.suppressed;
      count.worst = std::max(count.worst, finding.level);
    }
    return "";
  }

  // Reported on standard error already.
  std::string AddUnreadable(std::string_view, std::string_view, std::string_view) override {
    ++unreadable_;
    return "";
  }

  std::string Finish() override {
    std::vector<std::pair<const Rule*, Count>> rows(counts_.begin(), counts_.end());
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
      return std::pair(b.second.findings, a.first->code) <
             std::pair(a.second.findings, b.first->code);
    });
    return json_ ? InJson(rows) : InText(rows);
  }

 private:
  using Rows = std::vector<std::pair<const Rule*, Count>>;

  std::string InJson(const Rows& rows) const {
    Json rules = Json::array();
    for (const auto& [rule, count] : rows) {
      rules.push_back({{"code", rule->code},
                       {"rule", rule->slug},
                       {"level", LevelName(count.worst)},
                       {"findings", count.findings},
                       {"nodes", count.nodes},
                       {"models", count.models},
                       {"suppressed", count.suppressed}});
    }
    return Json({{"schemaVersion", kJsonSchemaVersion},
                 {"models", models_},
                 {"failed", failed_},
                 {"unreadable", unreadable_},
                 {"hidden", hidden_},
                 {"statistics", std::move(rules)}})
               .dump(2) +
           "\n";
  }

  std::string InText(const Rows& rows) const {
    const Painter paint(options_.text.color);
    std::string text;
    size_t columns = 4;
    for (const auto& [rule, count] : rows) columns = std::max(columns, rule->slug.size());
    if (!rows.empty()) {
      text += paint(Style::kGrey, fmt::format("{:>8}  {:>6}  {:6}  {:<{}}  {}", "findings", "nodes",
                                              "code", "rule", columns, "level")) +
              "\n";
    }
    for (const auto& [rule, count] : rows) {
      const Style style = count.worst == Level::kError     ? Style::kRed
                          : count.worst == Level::kWarning ? Style::kYellow
                                                           : Style::kCyan;
      text += fmt::format("{:>8}  {:>6}  {}  {:<{}}  {}", count.findings, count.nodes,
                          paint(style, fmt::format("{:6}", rule->code), true), rule->slug, columns,
                          LevelName(count.worst));
      if (count.suppressed > 0) text += fmt::format(", {} suppressed", count.suppressed);
      text += "\n";
    }
    if (!rows.empty()) text += "\n";
    text += fmt::format("{}: {} failed, {} passed", Counted(models_, "model"), failed_, models_ - failed_);
    if (unreadable_ > 0) text += fmt::format(", {} unreadable", unreadable_);
    if (hidden_ > 0) text += fmt::format("; {} findings of other rules hidden", hidden_);
    return text + "\n";
  }

  const ReporterOptions options_;
  const bool json_;
  std::map<const Rule*, Count> counts_;
  size_t models_ = 0, failed_ = 0, unreadable_ = 0, hidden_ = 0;
};

}  // namespace

std::unique_ptr<Reporter> MakeStatisticsReporter(const ReporterOptions& options, bool json) {
  return std::make_unique<StatisticsReporter>(options, json);
}

}  // namespace quantgate
