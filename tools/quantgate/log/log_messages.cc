#include "tools/quantgate/log/log_messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "absl/strings/string_view.h"
#include "tools/quantgate/log/log_line.h"

namespace quantgate::cli {
namespace {

constexpr size_t kMostLineBytes = 4096;
// Lines that name a node or a cause and the line that belongs to it, where nothing is between.
constexpr size_t kNextLines = 3;
constexpr size_t kMostFindings = 2000;
constexpr size_t kMostOfAMessage = 1000;  // of them, so that one that repeats hides no other
constexpr size_t kMostDescribed = 4096;
constexpr size_t kFewLines = 3;  // what somebody pastes: each line is meant

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
  if (!few_ || !answer_.findings.empty() || !unknown_.empty()) return;
  for (size_t i = 0; i < few_->size(); ++i) {
    unknown_.Take({.text = (*few_)[i], .number = i + 1, .sign = false, .few = true});
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
    if (!Line(line, sign) && (sign || traceback)) unknown_.Take({line, line_, sign, few_.has_value()});
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
bool LogReader::Line(std::string_view line, bool failure) {
  std::sort(candidates_.begin(), candidates_.end());
  uint32_t last = UINT32_MAX;
  for (const uint32_t candidate : candidates_) {
    if (candidate == last) continue;
    last = candidate;
    const LogEntry& entry = table_.EntryOf(candidate);
    const auto captures = table_.Match(candidate, line, failure);
    if (!captures) continue;
    SettleBefore(line_);
    if (HasEnoughOf(entry)) {
      LeaveOut(entry);
      return true;
    }
    LogFinding finding;
    if (entry.role != LogRole::kQuiet) {
      finding = DescribeLine(table_, line, line_, entry, *captures);
    }
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
    finding.message = Shown(text);
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
  finding.message = Shown(text);
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

LogAnswer LogReader::Finish() && {
  SettleBefore(SIZE_MAX);
  if (subject_) Settle(*subject_);
  LookAtFew();
  std::move(unknown_).AddTo(answer_, few_.has_value());
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
