// The report for people.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/report/groups.h"
#include "core/report/reporters.h"
#include "core/report/text_page.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Names in a list of nodes before "and N more".
constexpr size_t kListedNames = 3;
// Lines of a report that is not verbose, and of its findings however long the rest is.
constexpr size_t kMostLines = 30;
constexpr size_t kLeastBody = 14;
// Columns of the name of a node in a line or two.
constexpr size_t kBriefName = 48;
// Findings about numbers in their list, and from how many on there is one.
constexpr size_t kListedNumbers = 5, kFewestNumbers = 2;
// Columns of "  found    ".
constexpr size_t kLabelColumns = 11;

Style StyleOf(Consequence consequence) {
  switch (consequence) {
    case Consequence::kRejected:
    case Consequence::kPrepareFails:
      return Style::kRed;
    case Consequence::kWrongValues:
      return Style::kMagenta;
    case Consequence::kAltered:
      return Style::kYellow;
    case Consequence::kUndocumented:
      return Style::kBlue;
    case Consequence::kAdvice:
      return Style::kCyan;
    case Consequence::kAccepted:
      return Style::kGreen;
    case Consequence::kUnchecked:
      return Style::kGrey;
  }
  return Style::kPlain;
}

Style StyleOf(Level level) {
  return level == Level::kError     ? Style::kRed
         : level == Level::kWarning ? Style::kYellow
                                    : Style::kCyan;
}

// One part of the report: a kind of finding, or nodes that nothing is known of.
struct Entry {
  std::string full;      // a block that ends in an empty line
  std::string brief;     // a line or two
  size_t findings = 0;   // that it stands for
  std::string_view code;  // of their rule; empty for nodes
};

size_t LinesOf(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class TextReport : TextPage {
 public:
  // `checked` may be null: all findings count.
  TextReport(const Report& report, const Checked* checked, const TextOptions& options)
      : TextPage(options, kLabelColumns), report_(report), checked_(checked), options_(options) {}

  std::string Print() && {
    const std::string head = Captured([&] { Head(); });
    const std::string end = Captured([&] {
      if (options_.verbose) NodeTable();
      Numbers();
      Summary();
      Silenced();
      Closing();
    });
    std::vector<Entry> entries;
    for (const Group& group : GroupsOf(report_, checked_, options_.verbose)) {
      Entry& entry = entries.emplace_back();
      entry.full = Captured([&] { Block(group); });
      if (!options_.verbose) entry.brief = Captured([&] { Brief(group); });
      entry.findings = group.findings();
      entry.code = group.first().rule->code;
    }
    Unchecked(entries);
    return head + Body(entries, LinesOf(head) + LinesOf(end)) + end;
  }

 private:
  void Head() {
    const std::string model = Name(report_.model);
    const std::string where = TargetText(report_);
    if (Columns(model) + 2 + Columns(where) <= width_) {
      Line(paint_(Style::kBold, model) + "  " + where);
    } else {
      Line(paint_(Style::kBold, model));
      Wrapped(where);
    }
    Wrapped("basis: " + BasisText(report_), Style::kGrey);
    for (const std::string& note : report_.notes) {
      Note(Printable(note));
    }
    Line("");
  }

  // What `print` adds to the page, taken off it.
  template <typename Print>
  std::string Captured(Print print) {
    std::string before = std::exchange(text_, {});
    print();
    return std::exchange(text_, std::move(before));
  }

  // The parts in full as far as there is room, beginning with the worst; the others in a line or
  // two; the rest by their number.
  std::string Body(const std::vector<Entry>& entries, size_t used) {
    const size_t room = used + kLeastBody < kMostLines ? kMostLines - used : kLeastBody;
    size_t lines = 0;
    for (const Entry& entry : entries) lines += LinesOf(entry.full);
    if (options_.verbose || lines + 2 <= room) {
      std::string text;
      for (const Entry& entry : entries) text += entry.full;
      if (options_.verbose || entries.empty()) return text;
      return text + Hint(entries.front(), /*shortened=*/false);
    }
    // A line for what is left out, and the hint with the empty lines around it.
    size_t left = room - std::min<size_t>(room, 4);
    size_t briefs = 0, brief_lines = 0;
    left -= std::min(left, LinesOf(entries.front().full));
    for (size_t i = 1; i < entries.size(); ++i, ++briefs) {
      if (brief_lines + LinesOf(entries[i].brief) > left) break;
      brief_lines += LinesOf(entries[i].brief);
    }
    size_t full = 1;
    for (; full < entries.size() && full <= briefs; ++full) {
      const size_t more = LinesOf(entries[full].full) - LinesOf(entries[full].brief);
      if (briefs + 1 < entries.size() || brief_lines + more > left) break;
      brief_lines += more;
    }
    std::string text;
    for (size_t i = 0; i < full; ++i) text += entries[i].full;
    for (size_t i = full; i <= briefs; ++i) text += entries[i].brief;
    size_t findings = 0;
    for (size_t i = briefs + 1; i < entries.size(); ++i) findings += entries[i].findings;
    if (const size_t more = entries.size() - briefs - 1; more > 0) {
      text += fmt::format("… and {} more kind{} of findings ({} in all)\n", more,
                          more == 1 ? "" : "s", findings);
    }
    return text + (briefs + 1 > full ? "\n" : "") + Hint(entries.front(), /*shortened=*/true);
  }

  // Where more can be read.
  std::string Hint(const Entry& worst, bool shortened) const {
    std::string text = worst.code.empty() ? "" : fmt::format("quantgate explain {}", worst.code);
    if (shortened) text += std::string(text.empty() ? "" : ", ") + "--verbose for every finding";
    return text.empty() ? "" : paint_(Style::kGrey, "  more: " + text) + "\n\n";
  }

  void Block(const Group& group) {
    const Finding& finding = group.first();
    Title(finding, fmt::format("{}: {}", finding.rule->slug, Printable(finding.message)));
    Labelled("at", PlaceText(report_, finding));
    Labelled("found", Printable(finding.found));
    Labelled("allowed", Printable(finding.allowed));
    Labelled("effect",
             fmt::format("{}: {}", ConsequenceName(finding.consequence),
                         Meaning(report_, finding)));
    Labelled("because", ReasonText(finding));
    if (!finding.waived.empty()) Labelled("waived", Printable(finding.waived));
    if (checked_ != nullptr) Labelled("silent", SuppressionText(*checked_, finding));
    if (options_.verbose && !finding.related.empty()) {
      Labelled("related", Printable(Join(finding.related, ", ")));
    }
    for (const Fix& fix : finding.fixes) {
      Labelled("fix", Printable(fix.summary) + (fix.safe ? " (safe)" : ""),
               Style::kGreen);
      if (!options_.verbose) continue;
      for (const Edit& edit : fix.edits) {
        Labelled("", fmt::format("{} {}{}{}", edit.op, Printable(edit.path),
                                 edit.value.empty() ? "" : " = ", Printable(edit.value)));
      }
    }
    if (options_.verbose) {
      Labelled("more", fmt::format("quantgate explain {}", finding.rule->code), Style::kGrey);
    }
    Others(group);
    Line("");
  }

  // "error[QG301] text", wrapped as one, then painted.
  void Title(const Finding& finding, const std::string& text) {
    const std::string level = fmt::format("{}[{}]", LevelName(finding.level), finding.rule->code);
    bool first = true;
    for (const std::string& line : Wrap(level + " " + text, width_ - 2)) {
      if (first && line.starts_with(level)) {
        Line(paint_(StyleOf(finding.level), level, true) +
             paint_(Style::kBold, line.substr(level.size())));
      } else {
        Line("  " + paint_(Style::kBold, line));
      }
      first = false;
    }
  }

  // A kind of finding in a line or two.
  void Brief(const Group& group) {
    const Finding& finding = group.first();
    std::string text = std::string(finding.rule->slug);
    if (!finding.node.empty()) text += fmt::format(" at \"{}\"", Printable(finding.node, kBriefName));
    if (const size_t more = group.cases.size() - 1; more > 0) {
      text += fmt::format(" and {} more node{}", more, more == 1 ? "" : "s");
    }
    const size_t used = Columns(text) + 20;
    const size_t columns = 2 * width_ > 2 * used ? 2 * width_ - used : used;
    Title(finding, fmt::format("{}: {}", text, Shortened(Printable(finding.message), columns)));
  }

  // Cut at a word.
  static std::string Shortened(const std::string& text, size_t columns) {
    if (Columns(text) <= columns) return text;
    return Wrap(text, columns - 2).front() + " …";
  }

  // What the block stands for besides its first finding.
  void Others(const Group& group) {
    const Finding& first = group.first();
    std::vector<std::string> ports, nodes;
    for (const Finding* finding : group.cases.front().other_ports) {
      ports.push_back(Name(finding->port.empty() ? finding->tensor : finding->port));
      if (finding->found != first.found) {
        ports.back() += fmt::format(" ({})", Printable(finding->found));
      }
    }
    bool differs = false;
    for (const Case& reported : std::span(group.cases).subspan(1)) {
      nodes.emplace_back(reported.first->node);
      differs = differs || reported.first->found != first.found ||
                reported.first->allowed != first.allowed;
    }
    if (!ports.empty()) Labelled("also", "its " + Listed(ports));
    if (nodes.empty()) return;
    Labelled("also in", fmt::format("{}{}: {}", Nodes(nodes.size()),
                                    differs ? ", with other values" : "", Listed(nodes)));
  }

  static std::string Listed(const std::vector<std::string>& names) {
    const size_t shown = names.size() <= kListedNames + 1 ? names.size() : kListedNames;
    std::vector<std::string> safe;
    for (size_t i = 0; i < shown; ++i) safe.push_back(Name(names[i]));
    std::string text = Join(safe, ", ");
    if (shown < names.size()) text += fmt::format(", … and {} more", names.size() - shown);
    return text;
  }

  // Nodes of which no finding tells why they are unchecked.
  void Unchecked(std::vector<Entry>& entries) {
    std::vector<std::pair<std::string_view, std::vector<std::string>>> reasons;
    std::unordered_map<std::string_view, size_t> index;
    std::vector<bool> reported(report_.nodes.size());
    for (const Finding& finding : report_.findings) {
      const auto node = static_cast<size_t>(finding.node_index);
      if (finding.consequence == Consequence::kUnchecked && finding.node_index >= 0 &&
          node < reported.size()) {
        reported[node] = true;
      }
    }
    for (const NodeReport& node : report_.nodes) {
      const auto position = static_cast<size_t>(&node - report_.nodes.data());
      if (node.verdict != Consequence::kUnchecked || reported[position]) continue;
      const auto [at, added] = index.emplace(node.reason, reasons.size());
      if (added) reasons.emplace_back(node.reason, std::vector<std::string>());
      reasons[at->second].second.emplace_back(node.name);
    }
    for (const auto& group : reasons) {
      const auto& reason = group.first;
      const std::vector<std::string>& names = group.second;
      const std::string start = fmt::format("unchecked: {}: ", Nodes(names.size()));
      const std::string why = reason.empty() ? "nothing is known" : Printable(reason);
      Entry& entry = entries.emplace_back();
      entry.findings = names.size();
      entry.brief = Captured([&] {
        bool first = true;
        for (const std::string& line : Wrap(start + why, width_ - 2)) {
          if (first && line.starts_with("unchecked")) {
            Line(paint_(Style::kGrey, "unchecked", true) + line.substr(9));
          } else {
            Line("  " + line);
          }
          first = false;
        }
      });
      entry.full = entry.brief + Captured([&] {
        std::vector<std::string> safe;
        for (const std::string& name : names) safe.push_back(Name(name));
        Labelled("nodes", options_.verbose ? Join(safe, ", ") : Listed(names));
        Line("");
      });
    }
  }

  void NodeTable() {
    size_t columns = 0;
    for (const NodeReport& node : report_.nodes) {
      columns = std::max(columns, Columns(Name(node.name)));
    }
    columns = std::min(columns, width_ / 2);
    Line(paint_(Style::kBold, "nodes"));
    for (const NodeReport& node : report_.nodes) {
      std::string op = Name(node.op);
      std::vector<std::string> resolved;
      for (const SharedString& name : node.resolved) resolved.push_back(Name(name));
      if (!resolved.empty() && (resolved.size() > 1 || node.resolved[0] != node.op)) {
        op += " → " + Join(resolved, ", ");
      }
      if (!node.into.empty()) op += ", part of " + Name(node.into);
      Line("  " + PadRight(paint_(StyleOf(node.verdict), ConsequenceName(node.verdict)), 15) +
           PadRight(Name(node.name), columns) + "  " + paint_(Style::kGrey, op));
    }
    Line("");
  }

  // What findings about numbers cost, worst first: their blocks stand in the order of the nodes.
  void Numbers() {
    std::vector<const Finding*> worst;
    for (const Finding& finding : report_.findings) {
      const bool counts = checked_ == nullptr || checked_->Counts(finding);
      if (finding.lost_bits > 0 && counts) worst.push_back(&finding);
    }
    if (worst.size() < kFewestNumbers) return;
    std::stable_sort(worst.begin(), worst.end(), [](const Finding* a, const Finding* b) {
      return a->lost_bits > b->lost_bits;
    });
    Line(paint_(Style::kGrey, "  bits lost      numbers, worst first"));
    for (size_t i = 0; i < std::min(worst.size(), kListedNumbers); ++i) {
      const Finding& f = *worst[i];
      Line(fmt::format("  {:>9.1f}      {} of {}  {}", f.lost_bits, f.port.str(), Name(f.node),
                       paint_(Style::kGrey, fmt::format("{} {}", f.rule->code, f.rule->slug))));
    }
    if (worst.size() > kListedNumbers) {
      Line(fmt::format("                 and {} more", worst.size() - kListedNumbers));
    }
    Line("");
  }

  void Summary() {
    if (options_.verbose) return SummaryTable();
    std::string counts;
    for (const Consequence verdict : kWorstFirst) {
      if (const int64_t count = CountOf(verdict)) {
        counts += fmt::format("{}{} {}", counts.empty() ? "" : " · ", count,
                              paint_(StyleOf(verdict), ConsequenceName(verdict)));
      }
    }
    if (!counts.empty()) Wrapped(fmt::format("{}: {}", Nodes(report_.nodes.size()), counts));
  }

  void SummaryTable() {
    const size_t total_columns = std::max<size_t>(5, std::to_string(report_.nodes.size()).size());
    Line(paint_(Style::kGrey, "  verdict        " + PadLeft("nodes", total_columns)));
    for (const Consequence verdict : kWorstFirst) {
      const int64_t count = CountOf(verdict);
      if (count == 0) continue;
      std::string line = "  " +
                         PadRight(paint_(StyleOf(verdict), ConsequenceName(verdict), true), 15) +
                         PadLeft(std::to_string(count), total_columns);
      const std::string_view meaning = Meaning(report_, verdict);
      if (Columns(line) + 2 + Columns(meaning) <= width_) {
        line += "  " + paint_(Style::kGrey, meaning);
      }
      Line(line);
    }
    Line("  " + PadRight("total", 15) +
         PadLeft(std::to_string(report_.nodes.size()), total_columns));
    Line("");
  }

  // Findings that were found and don't count.
  void Silenced() {
    if (checked_ == nullptr) return;
    size_t configured = 0, baseline = 0;
    for (const Suppression& suppression : checked_->suppressions) {
      if (suppression.by == Suppression::By::kConfigured) ++configured;
      if (suppression.by == Suppression::By::kBaseline) ++baseline;
    }
    std::vector<std::string> parts;
    if (configured > 0) parts.push_back(fmt::format("{} by the configuration", configured));
    if (baseline > 0) parts.push_back(fmt::format("{} by the baseline", baseline));
    if (checked_->hidden > 0)
      parts.push_back(fmt::format("{} of rules not selected", checked_->hidden));
    if (parts.empty()) return;
    Line(paint_(Style::kGrey, "findings silenced: " + Join(parts, ", ")));
  }

  int64_t CountOf(Consequence verdict) const {
    return report_.counts[static_cast<size_t>(verdict)];
  }

  // "3 of 66 nodes would be rejected, 1 runs altered" for the verdicts `wanted`.
  template <typename Wanted>
  std::string Counts(Wanted wanted) const {
    std::string text;
    for (const Consequence verdict : kWorstFirst) {
      const int64_t count = CountOf(verdict);
      if (count == 0 || !wanted(verdict)) continue;
      text += text.empty() ? fmt::format("{} of {}", count, Nodes(report_.nodes.size()))
                           : fmt::format(", {}", count);
      text += fmt::format(" {}", Phrase(verdict, count == 1));
    }
    return text;
  }

  void Closing() {
    const auto severe = [](Consequence verdict) {
      return Severity(verdict) >= Severity(Consequence::kWrongValues);
    };
    const auto noteworthy = [](Consequence verdict) { return verdict != Consequence::kAccepted; };
    if (report_.failed) {
      std::string counts =
          Counts([&](Consequence verdict) { return severe(verdict) || HasError(verdict); });
      if (counts.empty() && NothingChecked()) counts = "no node could be checked";
      if (counts.empty()) counts = Counts(noteworthy);
      if (counts.empty()) counts = "the model as a whole has errors";
      Closing(Style::kRed, "failed", counts);
      return;
    }
    if (report_.nodes.empty()) {
      Closing(Style::kYellow, "nothing to check", "the model has no nodes");
      return;
    }
    if (!Counts(severe).empty()) {
      Closing(Style::kYellow, report_.mode == Mode::kWarn ? "passed (mode warn)" : "passed",
              Counts(noteworthy));
      return;
    }
    const std::string rest = Counts(noteworthy);
    if (NothingChecked()) {
      Closing(Style::kYellow, "unknown", "no node could be checked");
    } else if (CountOf(Consequence::kUnchecked) > 0) {
      Closing(Style::kYellow, "partly checked", rest);
    } else {
      Closing(Style::kGreen, "fits",
              rest.empty() ? fmt::format("{} accepted", report_.nodes.size() == 1
                                                            ? std::string("the node is")
                                                            : "all " + Nodes(report_.nodes.size()))
                           : rest);
    }
  }

  void Closing(Style style, std::string_view word, std::string_view rest) {
    std::string start = paint_(style, word, true) + ": ";
    const size_t columns = width_ - Columns(start);
    for (const std::string& line : Wrap(rest, columns)) {
      Line(start + line);
      start = "  ";
    }
  }

  bool NothingChecked() const {
    return !report_.nodes.empty() &&
           CountOf(Consequence::kUnchecked) == static_cast<int64_t>(report_.nodes.size());
  }

  bool HasError(Consequence consequence) const {
    return std::any_of(
        report_.findings.begin(), report_.findings.end(), [&](const Finding& finding) {
          return finding.level == Level::kError && finding.consequence == consequence;
        });
  }

  const Report& report_;
  const Checked* checked_;
  const TextOptions& options_;
};

class TextReporter : public Reporter {
 public:
  explicit TextReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    ++(checked.report.failed ? failed_ : passed_);
    return (std::exchange(first_, false) ? "" : "\n") + Text(checked);
  }

  std::string Text(const Checked& checked) const {
    return checked.report.as_run ? AsRunText(checked.report, options_.text)
                                 : ReportText(checked, options_.text);
  }

  // Reported on standard error already.
  std::string AddUnreadable(std::string_view, std::string_view, std::string_view) override {
    ++unreadable_;
    return "";
  }

  std::string Finish() override {
    const size_t count = failed_ + passed_ + unreadable_;
    if (count < 2) return "";
    std::string line = fmt::format("\n{} models: {} failed, {} passed", count, failed_, passed_);
    if (unreadable_ > 0) line += fmt::format(", {} unreadable", unreadable_);
    return line + "\n";
  }

 private:
  const ReporterOptions options_;
  bool first_ = true;
  size_t failed_ = 0, passed_ = 0, unreadable_ = 0;
};

}  // namespace

std::string ReportText(const Report& report, const TextOptions& options) {
  return TextReport(report, nullptr, options).Print();
}

std::string ReportText(const Checked& checked, const TextOptions& options) {
  return TextReport(checked.report, &checked, options).Print();
}

std::unique_ptr<Reporter> MakeTextReporter(const ReporterOptions& options) {
  return std::make_unique<TextReporter>(options);
}

}  // namespace quantgate
