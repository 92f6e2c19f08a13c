#include "tools/quantgate/log/unknown_lines.h"

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "tools/quantgate/log/log_line.h"
#include "tools/quantgate/log/log_topics.h"

namespace quantgate::cli {
namespace {

constexpr size_t kMostShown = 10;
constexpr size_t kMostKinds = 500;
constexpr size_t kMostStages = 200;
constexpr size_t kMostLookedAt = 5000;  // they take the longest

}  // namespace

void UnknownLines::Take(const Line& line) {
  if (line.sign) Count(line);
  const std::string_view words = WithoutTime(line.text);
  const auto before = looked_at_.find(absl::string_view(words.data(), words.size()));
  if (before != looked_at_.end()) {
    if (before->second < stages_.size()) ++stages_[before->second].count;
  } else if (looked_at_.size() < kMostLookedAt) {
    looked_at_.emplace(words, LookAt(line).value_or(kMostStages));
  }
}

// Lines that differ in numbers only are one.
void UnknownLines::Count(const Line& line) {
  ++count_;
  std::string kind;
  for (const char c : line.text) {
    if (c < '0' || c > '9') kind += c;
  }
  const auto known = kinds_.find(kind);
  if (known != kinds_.end()) {
    if (known->second < shown_.size()) ++shown_[known->second].count;
    return;
  }
  if (kinds_.size() == kMostKinds) return;
  kinds_.emplace(std::move(kind), kinds_.size());
  if (shown_.size() < kMostShown) shown_.push_back({line.number, 1, Shown(line.text)});
}

// Where in stages_ it is what is known of the line.
std::optional<size_t> UnknownLines::LookAt(const Line& line) {
  LogFinding finding = WhoSpeaks(line);
  finding.message = Shown(line.text);
  const bool known = !finding.means.empty();
  if (!line.sign && !line.few) return known ? AddStage(std::move(finding)) : std::nullopt;
  const bool topics = AddTopics(table_, line.text, finding);
  AddFacts(table_.NumberFacts(line.text), finding);
  return known || topics ? AddStage(std::move(finding)) : AddNames(std::move(finding));
}

LogFinding UnknownLines::WhoSpeaks(const Line& line) const {
  for (const LogEntry* stage : table_.stages()) {
    for (const LogPattern& pattern : stage->patterns) {
      if (const auto captures = pattern.Match(line.text)) {
        return DescribeLine(table_, line.text, line.number, *stage, *captures);
      }
    }
  }
  return DescribeLine(table_, line.text, line.number, LogEntry(), {});
}

// The message is unknown; what it names is not.
std::optional<size_t> UnknownLines::AddNames(LogFinding finding) {
  if (stages_.size() == kMostStages || table_.unknown_line().empty()) return std::nullopt;
  if (finding.node.empty() && finding.names.empty()) return std::nullopt;
  finding.means = table_.unknown_line();
  finding.action = table_.unknown_line_action();
  return AddStage(std::move(finding));
}

std::optional<size_t> UnknownLines::AddStage(LogFinding finding) {
  for (size_t i = 0; i < stages_.size(); ++i) {
    LogFinding& known = stages_[i];
    if (known.means != finding.means || known.node != finding.node) continue;
    ++known.count;
    for (const std::string& name : finding.names) AddOnce(known.names, name);
    return i;
  }
  if (stages_.size() == kMostStages) return std::nullopt;
  stages_.push_back(std::move(finding));
  return stages_.size() - 1;
}

// Who speaks is worth saying only where nothing near is known, or where a node is named; what a
// line is about also of few lines, each of which is meant.
void UnknownLines::AddTo(LogAnswer& answer, bool few) && {
  const auto known = static_cast<ptrdiff_t>(answer.findings.size());
  for (LogFinding& stage : stages_) {
    const auto near = [&](const LogFinding& finding) {
      const size_t apart =
          finding.line > stage.line ? finding.line - stage.line : stage.line - finding.line;
      return apart <= kNearLines && (stage.node.empty() || !finding.node.empty());
    };
    const bool meant = few && stage.by_words;
    const auto begin = answer.findings.begin();
    if (!meant && std::any_of(begin, begin + known, near)) continue;
    answer.findings.push_back(std::move(stage));
  }
  answer.unknown = std::move(shown_);
  answer.unknown_lines = count_;
}

}  // namespace quantgate::cli
