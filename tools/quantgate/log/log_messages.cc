#include "tools/quantgate/log/log_messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "quantgate/text.h"
#include "tools/quantgate/log/log_topics.h"

namespace quantgate::cli {
namespace {

constexpr size_t kMostLineBytes = 4096;
constexpr size_t kShownColumns = 160;
constexpr size_t kMostWords = 800;
// A cause stands shortly before the verdict it belongs to, and what follows from it shortly after.
constexpr size_t kNearLines = 20;
// Lines that name a node or a cause and the line that belongs to it, where nothing is between.
constexpr size_t kNextLines = 3;
constexpr size_t kMostFindings = 2000;
constexpr size_t kMostOfAMessage = 1000;  // of them, so that one that repeats hides no other
constexpr size_t kMostParts = 8;
constexpr size_t kMostUnknown = 10;
constexpr size_t kMostUnknownKinds = 500;
constexpr size_t kMostStages = 200;
constexpr size_t kMostDescribed = 4096;
constexpr size_t kFewLines = 3;  // what somebody pastes: each line is meant
constexpr size_t kMostLookedAt = 5000;  // unknown lines, which take the longest

// QNN says 4294967295 where no single index is meant.
constexpr std::string_view kNoIndex = "[4294967295]";

std::string Caught(const LogPattern::Captures& captures, std::string_view hole) {
  const auto at = captures.find(hole);
  return at == captures.end() ? "" : Printable(at->second, kShownColumns);
}

void AddOnce(std::vector<std::string>& list, const std::string& text) {
  if (text.empty() || list.size() >= kMostParts) return;
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

// A line that only names a node says nothing itself.
bool Says(const LogEntry& entry) {
  return !entry.means.empty() || entry.role != LogRole::kSubject;
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

std::string_view WithoutTime(std::string_view line) {
  for (;;) {
    const size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const size_t end = std::min(line.find(' ', begin), line.size());
    if (!IsTime(line.substr(begin, end - begin))) return line;
    line.remove_prefix(end);
  }
}

}  // namespace

void LogReader::KeepIfFew(std::string_view lines) {
  while (few_ && !lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    if (few_->size() == kFewLines) return few_.reset();
    few_->emplace_back(lines.substr(0, std::min(end, kMostLineBytes)));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

// In few lines where nothing is known, who speaks and what about is said of each, whether it looks
// like a failure or not.
void LogReader::LookAtFew() {
  if (!few_ || !answer_.findings.empty() || !stages_.empty()) return;
  for (size_t i = 0; i < few_->size(); ++i) {
    line_ = i + 1;
    Unknown((*few_)[i], false, true);
  }
}

void LogReader::Read(std::string_view lines) {
  KeepIfFew(lines);
  const LiteralIndex& index = table_.index();
  size_t counted = 0;  // line feeds before it are in line_
  const auto feeds_before = [&](size_t end) {
    return static_cast<size_t>(std::count(lines.begin() + static_cast<ptrdiff_t>(counted),
                                          lines.begin() + static_cast<ptrdiff_t>(end), '\n'));
  };
  for (size_t at = index.First(lines, 0); at != std::string_view::npos;
       at = index.First(lines, counted)) {
    const size_t feed = lines.rfind('\n', at);
    const size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    const size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = lines.substr(begin, std::min(end - begin, kMostLineBytes));
    line_ += feeds_before(begin) + 1;
    counted = std::min(end + 1, lines.size());
    if (DescribedBefore(line)) continue;
    candidates_.clear();
    index.FindAll(line, candidates_);
    bool sign = false, traceback = false;
    std::erase_if(candidates_, [&](uint32_t text) {
      sign = sign || table_.IsSign(text);
      traceback = traceback || table_.IsTraceback(text);
      return table_.IsSign(text) || table_.IsTraceback(text);
    });
    if (!Line(line)) Unknown(line, sign, traceback);
  }
  line_ += feeds_before(lines.size());
}

bool LogReader::DescribedBefore(std::string_view line) {
  const std::string_view words = WithoutTime(line);
  const auto known = described_.find(absl::string_view(words.data(), words.size()));
  if (known == described_.end()) return false;
  SettleBefore(line_);
  LogFinding finding = known->second.finding;
  finding.line = line_;
  Take(std::move(finding), *known->second.entry, line);
  return true;
}

// The first entry of the table that fits counts.
bool LogReader::Line(std::string_view line) {
  std::sort(candidates_.begin(), candidates_.end());
  uint32_t last = UINT32_MAX;
  for (const uint32_t candidate : candidates_) {
    if (candidate == last) continue;
    last = candidate;
    const LogEntry& entry = table_.EntryOf(candidate);
    const auto captures = table_.Match(candidate, line);
    if (!captures) continue;
    SettleBefore(line_);
    if (HasEnoughOf(entry)) {
      LeaveOut(entry);
      return true;
    }
    LogFinding finding;
    if (entry.role != LogRole::kQuiet) finding = Describe(line, entry, *captures);
    if (described_.size() == kMostDescribed) described_.clear();
    described_.emplace(std::string(WithoutTime(line)), Described{&entry, finding});
    Take(std::move(finding), entry, line);
    return true;
  }
  return false;
}

bool LogReader::HasEnoughOf(const LogEntry& entry) const {
  const auto findings = findings_of_.find(&entry);
  return findings != findings_of_.end() &&
         (findings->second == kMostOfAMessage || answer_.findings.size() == kMostFindings);
}

// With what was said before it, which belongs to it.
void LogReader::LeaveOut(const LogEntry& entry) {
  ++answer_.left_out;
  subject_.reset();
  if (entry.role != LogRole::kVerdict) return;
  std::erase_if(pending_,
                [&](const Pending& pending) { return pending.entry->about == entry.about; });
}

void LogReader::Take(LogFinding finding, const LogEntry& entry, std::string_view text) {
  if (entry.role == LogRole::kQuiet) return;
  switch (entry.role) {
    case LogRole::kSubject:
      return TakeSubject(std::move(finding), entry, text);
    case LogRole::kVerdict:
      return TakeVerdict(std::move(finding), entry, text);
    case LogRole::kEffect:
      return TakeEffect(std::move(finding), entry, text);
    case LogRole::kEcho:
      if (Near(entry.about, kNearLines) != nullptr) return;
      [[fallthrough]];
    case LogRole::kCause:
      if (subject_ && subject_->line + kNextLines >= line_ && finding.node.empty()) {
        finding.node = subject_->finding.node;
        finding.op = subject_->finding.op;
        subject_->used = true;
      }
      pending_.push_back({line_, &entry, std::move(finding), std::string(text)});
      return;
    default:
      GiveSubject(finding);
      DropEchoes(entry.about);
      Add(std::move(finding), entry, line_, text);
  }
}

LogFinding LogReader::Describe(std::string_view line, const LogEntry& entry,
                               const LogPattern::Captures& captures) const {
  LogFinding finding;
  finding.line = line_;
  finding.node = Caught(captures, "node");
  finding.op = Caught(captures, "op");
  std::string words = table_.Fill(entry.means, captures);
  for (size_t at = words.find(kNoIndex); at != std::string::npos; at = words.find(kNoIndex)) {
    words.erase(at, kNoIndex.size());
  }
  finding.means = Printable(words, kMostWords);
  finding.action = Printable(table_.Fill(entry.action, captures), kMostWords);
  finding.alone = entry.alone;
  finding.rule = entry.rule;
  if (finding.node.empty() || finding.op.empty()) {
    const NamedNode named = FindNode(table_.names(), line);
    if (finding.node.empty()) finding.node = Printable(named.node, kShownColumns);
    if (finding.op.empty()) finding.op = Printable(named.op, kShownColumns);
  }
  if (Says(entry)) AddFacts(line, finding);
  return finding;
}

// What the explanation says already is no news.
void LogReader::AddFacts(std::string_view line, LogFinding& finding) const {
  for (const LogFact& fact : table_.Facts(line)) {
    if (finding.means.find(fact.key) == std::string::npos) {
      AddOnce(finding.names, Printable(fact.words, kMostWords));
    }
  }
}

// A second line about it may add the op.
void LogReader::TakeSubject(LogFinding finding, const LogEntry& entry, std::string_view text) {
  if (subject_ && subject_->line + kNextLines >= line_ && finding.node.empty()) {
    if (subject_->finding.op.empty()) subject_->finding.op = finding.op;
    return;
  }
  if (subject_) Settle(*subject_);
  subject_ = Pending{line_, &entry, std::move(finding), std::string(text)};
}

// The lines just before may have named the node.
void LogReader::GiveSubject(LogFinding& finding) {
  if (!subject_) return;
  const Pending subject = *std::move(subject_);
  subject_.reset();
  if (subject.line + kNextLines < line_) return Settle(subject);
  if (finding.node.empty()) {
    finding.node = subject.finding.node;
    finding.op = subject.finding.op;
  }
}

void LogReader::TakeVerdict(LogFinding finding, const LogEntry& entry, std::string_view text) {
  GiveSubject(finding);
  DropEchoes(entry.about);
  bool first = true;
  for (auto at = pending_.begin(); at != pending_.end();) {
    if (at->entry->about != entry.about) {
      ++at;
      continue;
    }
    // What the causes name is likelier than what such a refusal usually means.
    AddOnce(finding.causes, at->finding.means);
    for (const std::string& name : at->finding.names) AddOnce(finding.names, name);
    if (first || finding.rule == nullptr) finding.rule = at->finding.rule;
    if (first) finding.action = at->finding.action;
    first = false;
    at = pending_.erase(at);
  }
  // Two messages about one refusal: the second one adds what it knows.
  Last* last = Near(entry.about, kNearLines);
  if (last != nullptr && last->role == LogRole::kVerdict && !finding.node.empty() &&
      answer_.findings[last->finding].node == finding.node) {
    LogFinding& known = answer_.findings[last->finding];
    ++known.count;
    last->line = line_;
    if (known.op.empty()) known.op = finding.op;
    if (known.causes.empty() && !finding.causes.empty()) {
      known.rule = finding.rule;
      known.action = finding.action;
    }
    for (const std::string& cause : finding.causes) AddOnce(known.causes, cause);
    for (const std::string& name : finding.names) AddOnce(known.names, name);
    return;
  }
  Add(std::move(finding), entry, line_, text);
}

// What follows from a failure belongs to it; alone it is one itself.
void LogReader::TakeEffect(LogFinding finding, const LogEntry& entry, std::string_view text) {
  for (auto at = pending_.begin(); at != pending_.end();) {
    if (at->entry->about != entry.about || at->entry->role != LogRole::kCause) {
      ++at;
      continue;
    }
    Add(std::move(at->finding), *at->entry, at->line, at->text);
    at = pending_.erase(at);
  }
  DropEchoes(entry.about);
  if (Last* last = Near(entry.about, kNearLines)) {
    LogFinding& known = answer_.findings[last->finding];
    AddOnce(known.effects, finding.means);
    for (const std::string& name : finding.names) AddOnce(known.names, name);
    if (known.node.empty()) known.node = finding.node;
    if (known.op.empty()) known.op = finding.op;
    ++known.count;
    last->line = line_;
    return;
  }
  GiveSubject(finding);
  Add(std::move(finding), entry, line_, text);
}

void LogReader::Add(LogFinding finding, const LogEntry& entry, size_t line,
                    std::string_view text) {
  if (finding.means.empty() || Replace(finding, entry, text)) return;
  // The same said again, of a node or of none.
  std::string key = finding.node + '\n' + finding.op + '\n' + finding.means;
  const auto known = known_.find(key);
  size_t at = answer_.findings.size();
  if (known != known_.end()) {
    at = known->second;
    ++answer_.findings[at].count;
  } else if (at == kMostFindings) {
    ++answer_.left_out;
    return;
  } else {
    known_.emplace(std::move(key), at);
    ++findings_of_[&entry];
    finding.message = Printable(text, kShownColumns);
    answer_.findings.push_back(std::move(finding));
  }
  last_[entry.about] = {at, line, entry.role};
}

// A reason that comes just behind what follows from it takes its place.
bool LogReader::Replace(LogFinding& finding, const LogEntry& entry, std::string_view text) {
  Last* last = entry.role == LogRole::kNote ? Near(entry.about, kNextLines) : nullptr;
  if (last == nullptr || last->role != LogRole::kEffect) return false;
  LogFinding& known = answer_.findings[last->finding];
  if (known.count > kNextLines || known.rule != nullptr) return false;
  std::vector<std::string> effects = {known.means};
  for (const std::string& effect : known.effects) AddOnce(effects, effect);
  finding.effects = std::move(effects);
  for (const std::string& name : known.names) AddOnce(finding.names, name);
  finding.line = known.line;
  finding.count += known.count;
  if (finding.node.empty()) {
    finding.node = known.node;
    finding.op = known.op;
  }
  finding.message = Printable(text, kShownColumns);
  known = std::move(finding);
  *last = {last->finding, line_, entry.role};
  return true;
}

LogReader::Last* LogReader::Near(std::string_view about, size_t lines) {
  const auto at = last_.find(absl::string_view(about.data(), about.size()));
  return at == last_.end() || at->second.line + lines < line_ ? nullptr : &at->second;
}

void LogReader::DropEchoes(std::string_view about) {
  std::erase_if(pending_, [&](const Pending& pending) {
    return pending.entry->role == LogRole::kEcho && pending.entry->about == about;
  });
}

// Nothing came that it belongs to.
void LogReader::Settle(const Pending& pending) {
  if (pending.used) return;
  const auto last = last_.find(pending.entry->about);
  if (pending.entry->role == LogRole::kCause && last != last_.end() &&
      last->second.role == LogRole::kVerdict && last->second.line + kNextLines >= pending.line) {
    LogFinding& verdict = answer_.findings[last->second.finding];
    if (verdict.causes.empty()) {
      verdict.causes.push_back(pending.finding.means);
      verdict.rule = pending.finding.rule;
      verdict.action = pending.finding.action;
      return;
    }
  }
  // A finding about the same thing is near: an echo says nothing new.
  if (pending.entry->role == LogRole::kEcho && last != last_.end() &&
      last->second.line + kNearLines >= pending.line) {
    return;
  }
  Add(pending.finding, *pending.entry, pending.line, pending.text);
}

void LogReader::SettleBefore(size_t line) {
  while (!pending_.empty() && pending_.front().line + kNearLines < line) {
    const Pending pending = std::move(pending_.front());
    pending_.pop_front();
    Settle(pending);
  }
}

void LogReader::AddUnknown(std::string_view line) {
  ++answer_.unknown_lines;
  // Lines that differ in numbers only are one.
  std::string kind;
  for (const char c : line) {
    if (c < '0' || c > '9') kind += c;
  }
  const auto known = known_unknown_.find(kind);
  if (known != known_unknown_.end()) {
    if (known->second < answer_.unknown.size()) ++answer_.unknown[known->second].count;
    return;
  }
  if (known_unknown_.size() == kMostUnknownKinds) return;
  known_unknown_.emplace(std::move(kind), known_unknown_.size());
  if (answer_.unknown.size() < kMostUnknown) {
    answer_.unknown.push_back({line_, 1, Printable(line, kShownColumns)});
  }
}

// Lines that tell of a failure, and places in tracebacks: maybe it is known who speaks.
void LogReader::Unknown(std::string_view line, bool sign, bool traceback) {
  if (sign) AddUnknown(line);
  if (!sign && !traceback) return;
  const std::string_view words = WithoutTime(line);
  const auto before = looked_at_.find(absl::string_view(words.data(), words.size()));
  if (before != looked_at_.end()) {
    if (before->second < stages_.size()) ++stages_[before->second].count;
    return;
  }
  if (looked_at_.size() < kMostLookedAt) {
    looked_at_.emplace(words, LookAt(line, sign).value_or(kMostStages));
  }
}

// Where in stages_ it is what is known of the line.
std::optional<size_t> LogReader::LookAt(std::string_view line, bool sign) {
  LogFinding finding = WhoSpeaks(line);
  const bool known = !finding.means.empty();
  const bool few = few_ && !sign;
  if (!sign && !known && !few) return std::nullopt;
  const bool topics = (sign || few) && AddTopics(table_, line, finding);
  if (sign || few) AddCodes(line, finding);
  if (known || topics) return AddStage(std::move(finding));
  return sign || few ? AddUnknownNames(std::move(finding)) : std::nullopt;
}

LogFinding LogReader::WhoSpeaks(std::string_view line) const {
  for (const LogEntry* stage : table_.stages()) {
    for (const LogPattern& pattern : stage->patterns) {
      const auto captures = pattern.Match(line);
      if (!captures) continue;
      LogFinding finding = Describe(line, *stage, *captures);
      finding.message = Printable(line, kShownColumns);
      return finding;
    }
  }
  LogFinding finding = Describe(line, LogEntry(), {});
  finding.message = Printable(line, kShownColumns);
  return finding;
}

void LogReader::AddCodes(std::string_view line, LogFinding& finding) const {
  for (const LogFact& fact : table_.NumberFacts(line)) {
    AddOnce(finding.names, Printable(fact.words, kMostWords));
  }
}

// The message is unknown; what it names is not.
std::optional<size_t> LogReader::AddUnknownNames(LogFinding finding) {
  if (stages_.size() >= kMostStages || table_.unknown_line().empty()) return std::nullopt;
  if (finding.node.empty() && finding.names.empty()) return std::nullopt;
  finding.means = table_.unknown_line();
  finding.action = table_.unknown_line_action();
  return AddStage(std::move(finding));
}

std::optional<size_t> LogReader::AddStage(LogFinding finding) {
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
void LogReader::SettleStages() {
  const size_t known = answer_.findings.size();
  for (LogFinding& stage : stages_) {
    const auto near = [&](const LogFinding& finding) {
      const size_t apart =
          finding.line > stage.line ? finding.line - stage.line : stage.line - finding.line;
      return apart <= kNearLines && (stage.node.empty() || !finding.node.empty());
    };
    const auto end = answer_.findings.begin() + static_cast<ptrdiff_t>(known);
    const bool meant = few_ && stage.by_words;
    if (!meant && std::any_of(answer_.findings.begin(), end, near)) continue;
    answer_.findings.push_back(std::move(stage));
  }
}

LogAnswer LogReader::Finish() && {
  SettleBefore(SIZE_MAX);
  if (subject_) Settle(*subject_);
  LookAtFew();
  SettleStages();
  for (LogFinding& finding : answer_.findings) {
    if (finding.causes.empty() && !finding.alone.empty()) finding.means += "; " + finding.alone;
  }
  std::stable_sort(answer_.findings.begin(), answer_.findings.end(),
                   [](const LogFinding& a, const LogFinding& b) { return a.line < b.line; });
  return std::move(answer_);
}

LogAnswer ExplainLog(std::string_view log) {
  LogReader reader;
  reader.Read(log);
  return std::move(reader).Finish();
}

}  // namespace quantgate::cli
