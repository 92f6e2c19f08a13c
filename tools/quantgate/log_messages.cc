#include "tools/quantgate/log_messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "core/opdefs_yaml/map_reader.h"
#include "core/opdefs_yaml/yaml.h"
#include "core/report/layout.h"
#include "quantgate/dtype.h"
#include "tools/quantgate/log_pattern.h"
#include "tools/quantgate/texts.h"

namespace quantgate::cli {
namespace {

// Longer lines are cut: no message is as long, and the time stays in proportion.
constexpr size_t kMostLineBytes = 4096;
constexpr size_t kShownColumns = 160;
// A cause stands shortly before the verdict it belongs to.
constexpr size_t kCauseLines = 20;

enum class Role { kCause, kVerdict, kNote };

struct Entry {
  LogPattern pattern;
  Role role;
  std::string means;
  std::vector<const Rule*> rules;
  // Smallest and largest number for each hole that has to lie between.
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> when;
};

// The table is part of the program: a mistake in it is found by the first test that runs.
const std::vector<Entry>& Entries() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> list;
    opdefs::Errors errors;
    const auto root = opdefs::ParseYaml(kLogMessages, "log_messages.yaml", errors);
    const opdefs::Node* messages = root ? root->find("messages") : nullptr;
    if (messages == nullptr) return list;
    for (const opdefs::Node& node : messages->children) {
      const auto text = [&](std::string_view key) {
        const opdefs::Node* value = node.find(key);
        return value == nullptr ? std::string() : value->text;
      };
      const std::string role = text("role");
      Entry entry{LogPattern(text("pattern")),
                  role == "cause"     ? Role::kCause
                  : role == "verdict" ? Role::kVerdict
                                      : Role::kNote,
                  text("means"),
                  {},
                  {}};
      if (const opdefs::Node* rules = node.find("rules")) {
        for (const opdefs::Node& rule : rules->children) {
          if (const Rule* known = FindRule(rule.text)) entry.rules.push_back(known);
        }
      }
      if (const opdefs::Node* when = node.find("when")) {
        for (const opdefs::Node& hole : when->children) {
          if (hole.children.size() != 2) continue;
          entry.when.emplace_back(hole.key, std::pair(hole.children[0].integer().value_or(0),
                                                      hole.children[1].integer().value_or(0)));
        }
      }
      list.push_back(std::move(entry));
    }
    return list;
  }();
  return entries;
}

std::optional<int64_t> NumberOf(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

bool Holds(const Entry& entry, const LogPattern::Captures& captures) {
  return std::all_of(entry.when.begin(), entry.when.end(), [&](const auto& condition) {
    const auto at = captures.find(condition.first);
    const auto value = at == captures.end() ? std::nullopt : NumberOf(at->second);
    return value && *value >= condition.second.first && *value <= condition.second.second;
  });
}

// QNN says 4294967295 where no single index is meant.
constexpr std::string_view kNoIndex = "[4294967295]";

std::string Words(const Entry& entry, LogPattern::Captures captures) {
  if (const auto code = captures.find("code"); code != captures.end()) {
    const auto value = NumberOf(code->second);
    const auto dtype =
        value ? DtypeFromQnnValue(static_cast<uint32_t>(*value)) : std::optional<Dtype>();
    captures["dtype"] = dtype ? std::string(DtypeName(*dtype)) : code->second;
  }
  std::string words = Filled(entry.means, captures);
  for (size_t at = words.find(kNoIndex); at != std::string::npos; at = words.find(kNoIndex)) {
    words.erase(at, kNoIndex.size());
  }
  return Printable(words, 300);
}

std::string Caught(const LogPattern::Captures& captures, std::string_view hole) {
  const auto at = captures.find(hole);
  return at == captures.end() ? "" : at->second;
}

class LogReader {
 public:
  std::vector<LogFinding> Read(std::string_view log) && {
    size_t number = 0;
    while (!log.empty()) {
      const size_t end = std::min(log.find('\n'), log.size());
      ++number;
      Line(number, log.substr(0, std::min(end, kMostLineBytes)));
      log.remove_prefix(std::min(end + 1, log.size()));
    }
    Flush();
    return std::move(findings_);
  }

 private:
  void Line(size_t number, std::string_view line) {
    for (const Entry& entry : Entries()) {
      const auto captures = entry.pattern.Match(line);
      if (!captures || !Holds(entry, *captures)) continue;
      if (entry.role == Role::kCause) {
        pending_.push_back({number, Words(entry, *captures), Printable(line, kShownColumns), &entry,
                            Caught(*captures, "node")});
      } else {
        Finding(number, line, entry, *captures);
      }
      return;
    }
  }

  void Finding(size_t number, std::string_view line, const Entry& entry,
               const LogPattern::Captures& captures) {
    LogFinding finding;
    finding.line = number;
    finding.node = Printable(Caught(captures, "node"), kShownColumns);
    finding.op = Printable(Caught(captures, "op"), kShownColumns);
    finding.message = Printable(line, kShownColumns);
    finding.means = Words(entry, captures);
    finding.rules = entry.rules;
    if (entry.role == Role::kVerdict) {
      // What the causes name is likelier than what such a refusal usually means.
      std::vector<const Rule*> named;
      for (const Pending& cause : pending_) {
        if (cause.line + kCauseLines < number) continue;
        if (std::find(finding.causes.begin(), finding.causes.end(), cause.words) ==
            finding.causes.end()) {
          finding.causes.push_back(cause.words);
        }
        for (const Rule* rule : cause.entry->rules) {
          if (std::find(named.begin(), named.end(), rule) == named.end()) named.push_back(rule);
        }
      }
      pending_.clear();
      if (!named.empty()) finding.rules = std::move(named);
      // Two messages about one refusal: the second one adds what it knows.
      if (!findings_.empty() && !finding.node.empty() && findings_.back().node == finding.node) {
        LogFinding& known = findings_.back();
        ++known.count;
        if (known.op.empty()) known.op = finding.op;
        for (std::string& cause : finding.causes) known.causes.push_back(std::move(cause));
        return;
      }
    }
    // The same said again, of a node or of none.
    const std::string key = fmt::format("{}\n{}\n{}", finding.node, finding.op, finding.means);
    const auto [at, added] = known_.emplace(key, findings_.size());
    if (added) {
      findings_.push_back(std::move(finding));
    } else {
      ++findings_[at->second].count;
    }
  }

  // Causes after which nobody named a node.
  void Flush() {
    for (const Pending& cause : pending_) {
      LogFinding finding;
      finding.line = cause.line;
      finding.node = Printable(cause.node, kShownColumns);
      finding.message = cause.message;
      finding.means = cause.words;
      finding.rules = cause.entry->rules;
      findings_.push_back(std::move(finding));
    }
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const LogFinding& a, const LogFinding& b) { return a.line < b.line; });
  }

  struct Pending {
    size_t line;
    std::string words, message;
    const Entry* entry;
    std::string node;
  };
  std::vector<Pending> pending_;
  std::vector<LogFinding> findings_;
  std::map<std::string, size_t> known_;
};

}  // namespace

std::vector<LogFinding> ExplainLog(std::string_view log) { return LogReader().Read(log); }

}  // namespace quantgate::cli
