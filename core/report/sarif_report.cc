// SARIF 2.1.0 (OASIS), as GitHub's code scanning takes it: a physical location always, since an
// upload with a result that has only logical ones is refused as a whole.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/report/fingerprint.h"
#include "core/report/place.h"
#include "core/report/reporters.h"
#include "core/report/words.h"
#include "quantgate/text.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

// GitHub refuses an upload with more results in a run, or with more than 10 MB after gzip
// (docs.github.com, "SARIF support for code scanning"). Results compress at least 4 to 1: most
// of one is its keys and words that stand in each.
constexpr size_t kMostResults = 25'000;
constexpr size_t kMostBytes = size_t{40} << 20;

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "{" and "}" would be placeholders, "](" a link (SARIF 2.1.0, 3.11.5 and 3.11.6).
std::string MessageText(std::string_view text) {
  std::string safe;
  for (size_t i = 0; i < text.size(); ++i) {
    safe += text[i];
    if (text[i] == '{' || text[i] == '}') safe += text[i];
    if (text[i] == ']' && i + 1 < text.size() && text[i + 1] == '(') safe += ' ';
  }
  return safe;
}

// The paragraph under the explanation's first heading.
std::string FullDescription(const Rule& rule) {
  std::string_view text = rule.explanation;
  if (text.starts_with("## ")) text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
  text = text.substr(0, text.find("\n## "));
  std::string paragraph;
  for (const char c : text.substr(0, text.find("\n\n"))) paragraph += c == '\n' ? ' ' : c;
  while (paragraph.ends_with(' ')) paragraph.pop_back();
  return paragraph.empty() ? std::string(rule.summary) : paragraph;
}

Json RuleJson(const Rule& rule) {
  return {{"id", rule.code},
          {"name", rule.slug},
          {"shortDescription", {{"text", MessageText(rule.summary)}}},
          {"fullDescription", {{"text", MessageText(FullDescription(rule))}}},
          {"help",
           {{"text", MessageText(rule.explanation)}, {"markdown", MessageText(rule.explanation)}}},
          {"properties", {{"tags", {"quantization", "npu"}}}}};
}

Json PhysicalLocation(const FilePlace& place) {
  return {{"artifactLocation", {{"uri", UriOf(place.path)}}},
          {"region", {{"startLine", place.line}}}};
}

class SarifReporter : public Reporter {
 public:
  explicit SarifReporter(const ReporterOptions& options) : options_(options) {
    for (size_t i = 0; i < options_.rules.size(); ++i) index_.emplace(options_.rules[i], i);
  }

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    if (category_.empty()) category_ = Category(report);
    Fingerprints fingerprints;
    for (const Finding& finding : report.findings) {
      const std::string fingerprint = fingerprints.Next(finding);
      Keep(finding.level, ResultJson(checked, finding, fingerprint));
    }
    return "";
  }

  std::string AddUnreadable(std::string_view model, std::string_view place,
                            std::string_view reason) override {
    successful_ = false;
    std::string text(reason);
    if (!place.empty()) text = std::string(place) + ": " + text;
    notifications_.push_back(
        {{"level", "error"},
         {"message", {{"text", MessageText(Printable(text))}}},
         {"locations",
          {{{"physicalLocation", PhysicalLocation(ModelPlace(model, options_.root))}}}}});
    return "";
  }

  std::string Finish() override {
    Prune();
    if (dropped_ > 0) {
      notes_.push_back(fmt::format(
          "SARIF holds the worst {} of {} findings: GitHub takes no more than {} or 10 MB",
          results_.size(), results_.size() + dropped_, kMostResults));
      notifications_.push_back(
          {{"level", "warning"}, {"message", {{"text", MessageText(notes_.back())}}}});
    }
    Json rules = Json::array();
    for (const Rule* rule : options_.rules) rules.push_back(RuleJson(*rule));
    const Json driver = {{"name", "quantgate"},
                         {"version", QUANTGATE_VERSION},
                         {"semanticVersion", QUANTGATE_VERSION},
                         {"rules", std::move(rules)}};
    Json invocation = {{"executionSuccessful", successful_}};
    if (!notifications_.empty()) invocation["toolExecutionNotifications"] = notifications_;

    std::string text =
        "{\n"
        "\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\",\n"
        "\"version\": \"2.1.0\",\n"
        "\"runs\": [{\n\"tool\": " +
        Dump({{"driver", driver}}) +
        ",\n\"automationDetails\": " + Dump({{"id", category_ + "/"}}) +
        ",\n\"invocations\": " + Dump(Json::array({std::move(invocation)})) +
        ",\n\"columnKind\": \"utf16CodeUnits\",\n\"results\": [";
    for (size_t i = 0; i < results_.size(); ++i) {
      text += i == 0 ? "\n" : ",\n";
      text += results_[i].json;
    }
    return text + (results_.empty() ? "" : "\n") + "]\n}]\n}\n";
  }

 private:
  struct Result {
    Level level;
    size_t order;
    std::string json;
  };

  // Tells apart the checks of one commit for several targets.
  static std::string Category(const Report& report) {
    std::string text = "quantgate/" + report.backend + "/" + report.sdk;
    if (!report.arch.empty()) text += "/" + report.arch;
    if (!report.soc.empty()) text += "/" + report.soc;
    return Printable(text);
  }

  std::string ResultJson(const Checked& checked, const Finding& finding,
                         const std::string& fingerprint) const {
    const Report& report = checked.report;
    Json location = {
        {"physicalLocation", PhysicalLocation(FindingPlace(checked, finding, options_.root))}};
    if (!finding.node.empty()) {
      const std::string node = Name(finding.node);
      Json logical = {{{"name", node}, {"fullyQualifiedName", node}, {"kind", "node"}}};
      if (!finding.port.empty()) {
        const std::string port = Name(finding.port);
        logical.push_back(
            {{"name", port}, {"fullyQualifiedName", node + "/" + port}, {"kind", "port"}});
      }
      location["logicalLocations"] = std::move(logical);
    }
    Json json = {{"ruleId", finding.rule->code}};
    if (const auto at = index_.find(finding.rule); at != index_.end()) {
      json["ruleIndex"] = at->second;
    }
    json["level"] = LevelName(finding.level);
    json["message"] = {
        {"text", MessageText(Printable(finding.message) + "\n" + PlaceText(report, finding) + "\n" +
                             DetailsText(checked, finding))}};
    json["locations"] = Json::array({std::move(location)});
    json["partialFingerprints"] = {{"quantgate/v1", fingerprint}};
    if (const std::string reason = SuppressionText(checked, finding); !reason.empty()) {
      json["suppressions"] =
          Json::array({{{"kind", "external"}, {"status", "accepted"}, {"justification", reason}}});
    }
    json["properties"] = {{"consequence", ConsequenceName(finding.consequence)},
                          {"constraint", Name(finding.constraint)},
                          {"op", Name(finding.op)},
                          {"tensor", Name(finding.tensor)},
                          {"model", Name(report.model)}};
    return Dump(json);
  }

  // Room for twice as many before the least severe are dropped, so that dropping is rare.
  void Keep(Level level, std::string json) {
    bytes_ += json.size();
    results_.push_back({level, next_++, std::move(json)});
    if (results_.size() >= 2 * kMostResults || bytes_ >= 2 * kMostBytes) Prune();
  }

  void Prune() {
    if (results_.size() <= kMostResults && bytes_ <= kMostBytes) return;
    std::sort(results_.begin(), results_.end(), [](const Result& a, const Result& b) {
      return std::pair(-static_cast<int>(a.level), a.order) <
             std::pair(-static_cast<int>(b.level), b.order);
    });
    size_t kept = 0;
    bytes_ = 0;
    while (kept < std::min(results_.size(), kMostResults) &&
           bytes_ + results_[kept].json.size() <= kMostBytes) {
      bytes_ += results_[kept++].json.size();
    }
    dropped_ += results_.size() - kept;
    results_.resize(kept);
    std::sort(results_.begin(), results_.end(),
              [](const Result& a, const Result& b) { return a.order < b.order; });
  }

  const ReporterOptions options_;
  std::unordered_map<const Rule*, size_t> index_;
  std::vector<Result> results_;
  Json notifications_ = Json::array();
  std::string category_;
  size_t next_ = 0, dropped_ = 0, bytes_ = 0;
  bool successful_ = true;
};

}  // namespace

std::unique_ptr<Reporter> MakeSarifReporter(const ReporterOptions& options) {
  return std::make_unique<SarifReporter>(options);
}

}  // namespace quantgate
