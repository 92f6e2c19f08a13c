#include "tools/quantgate/log/log_line.h"

#include <algorithm>

#include "quantgate/text.h"

namespace quantgate::cli {
namespace {

constexpr size_t kShownColumns = 160;
constexpr size_t kMostWords = 800;
constexpr size_t kMostParts = 8;

// QNN says 4294967295 where no single index is meant.
constexpr std::string_view kNoIndex = "[4294967295]";

std::string_view Caught(const LogPattern::Captures& captures, std::string_view hole) {
  const auto at = captures.find(hole);
  return at == captures.end() ? std::string_view() : at->second;
}

// "2026-11-28", "[11/28", "10:00:00.123]", "12.3ms": no code, and no version.
bool IsTime(std::string_view word) {
  constexpr std::string_view kDigits = "0123456789";
  const bool of_ms = word.ends_with("ms");
  if (of_ms) word.remove_suffix(2);
  const size_t digit = word.find_first_of(kDigits);
  return word.find_first_not_of("0123456789-/:.,+TZ[]") == std::string_view::npos &&
         digit != std::string_view::npos &&
         (of_ms || word.find_first_of("-/:", digit) != std::string_view::npos);
}

}  // namespace

std::string_view WithoutTime(std::string_view line) {
  for (;;) {
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', begin), line.size());
    if (!IsTime(line.substr(begin, end - begin))) return line;
    line.remove_prefix(end);
  }
}

std::string Shown(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return Printable(line, kShownColumns);
}

void AddOnce(std::vector<std::string>& list, const std::string& text) {
  if (text.empty() || list.size() >= kMostParts) return;
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

void AddFacts(const std::vector<LogFact>& facts, LogFinding& finding) {
  for (const LogFact& fact : facts) AddOnce(finding.names, Printable(fact.words, kMostWords));
}

LogFinding DescribeLine(const LogTable& table, std::string_view line, size_t number,
                        const LogEntry& entry, const LogPattern::Captures& captures) {
  LogFinding finding;
  finding.line = number;
  finding.node = Shown(Caught(captures, "node"));
  finding.op = Shown(Caught(captures, "op"));
  std::string words = table.Fill(entry.means, captures);
  for (size_t at = words.find(kNoIndex); at != std::string::npos; at = words.find(kNoIndex)) {
    words.erase(at, kNoIndex.size());
  }
  finding.means = Printable(words, kMostWords);
  finding.action = Printable(table.Fill(entry.action, captures), kMostWords);
  finding.alone = entry.alone;
  finding.rule = entry.rule;
  if (finding.node.empty() || finding.op.empty()) {
    const NamedNode named = FindNode(table.names(), line);
    if (finding.node.empty()) finding.node = Shown(named.node);
    if (finding.op.empty()) finding.op = Shown(named.op);
  }
  // A line that only names a node says nothing itself.
  if (entry.means.empty() && entry.role == LogRole::kSubject) return finding;
  std::vector<LogFact> facts = table.Facts(line);
  // What the explanation says already is no news.
  std::erase_if(facts, [&](const LogFact& fact) {
    return finding.means.find(fact.key) != std::string::npos;
  });
  AddFacts(facts, finding);
  return finding;
}

}  // namespace quantgate::cli
