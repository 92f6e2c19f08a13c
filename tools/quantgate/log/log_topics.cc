#include "tools/quantgate/log/log_topics.h"

#include <fmt/core.h>

#include <cctype>

namespace quantgate::cli {
namespace {

// The first topics of the table are the most particular ones.
constexpr size_t kMostTopics = 3;

// In small letters, between blanks: topics are words of any case.
std::string Lowered(std::string_view line) {
  std::string text = " ";
  for (const char c : line) {
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text + " ";
}

void AddWords(std::string& text, std::string_view join, const std::string& words) {
  if (words.empty() || text.find(words) != std::string::npos) return;
  text += text.empty() ? words : std::string(join) + words;
}

}  // namespace

bool AddTopics(const LogTable& table, std::string_view line, LogFinding& finding) {
  const std::string lowered = Lowered(line);
  std::string about;
  size_t found = 0;
  for (const LogEntry* topic : table.topics()) {
    if (found == kMostTopics) break;
    if (topic->role == LogRole::kHint && found > 0) break;
    for (const LogPattern& pattern : topic->patterns) {
      if (!pattern.Match(lowered)) continue;
      AddWords(about, "; and about ", topic->means);
      AddWords(finding.action, "; ", topic->action);
      ++found;
      break;
    }
  }
  if (found == 0) return false;
  if (finding.means.empty()) finding.means = table.unknown_message();
  finding.by_words = true;
  finding.means += fmt::format("; by its words it is about {}", about);
  return true;
}

}  // namespace quantgate::cli
