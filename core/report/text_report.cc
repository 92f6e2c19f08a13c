// The report for people.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/text_page.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Names in a list of nodes before "and N more".
constexpr size_t kListedNames = 8;
// Findings of one constraint with different values: up to this many get a block each, more
// become one block and a list.
constexpr size_t kBlocksPerConstraint = 3;
constexpr size_t kListedValues = 4;
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

// What one rule says about one node: where several ports break it alike, the first one stands
// for all.
struct Case {
  const Finding* first;
  std::vector<const Finding*> other_ports;
};

// Cases that are reported together, in the order of the report; the first one in full.
struct Group {
  std::vector<Case> cases;
};

class TextReport : TextPage {
 public:
  // `checked` may be null: all findings count.
  TextReport(const Report& report, const Checked* checked, const TextOptions& options)
      : TextPage(options, kLabelColumns), report_(report), checked_(checked), options_(options) {}

  std::string Print() && {
    Head();
    for (const Group& group : Groups()) Block(group);
    Unchecked();
    if (options_.verbose) NodeTable();
    Summary();
    Silenced();
    Closing();
    return std::move(text_);
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

  std::vector<Group> Groups() const {
    std::vector<Group> groups;
    if (options_.verbose) {
      for (const Finding& finding : report_.findings) groups.push_back({{{&finding, {}}}});
    } else {
      groups = Grouped();
    }
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
      const auto rank = [](const Group& group) {
        const Finding& first = *group.cases.front().first;
        return static_cast<int>(first.level) * kConsequenceCount + Severity(first.consequence);
      };
      return rank(a) > rank(b);
    });
    return groups;
  }

  // The findings of a node stand together, so a short look back finds the case.
  std::vector<Case> Cases() const {
    std::vector<Case> cases;
    size_t node_begin = 0;
    for (const Finding& finding : report_.findings) {
      if (checked_ != nullptr && !checked_->Counts(finding)) continue;
      if (cases.empty() || cases.back().first->node_index != finding.node_index ||
          finding.node_index < 0) {
        node_begin = cases.size();
      }
      const auto alike = std::find_if(
          cases.begin() + static_cast<std::ptrdiff_t>(node_begin), cases.end(),
          [&](const Case& other) {
            const Finding& first = *other.first;
            return first.rule == finding.rule && first.consequence == finding.consequence &&
                   first.level == finding.level && first.op == finding.op &&
                   first.op_index == finding.op_index && first.allowed == finding.allowed &&
                   first.port != finding.port;
          });
      if (alike == cases.end()) {
        cases.push_back({&finding, {}});
      } else {
        alike->other_ports.push_back(&finding);
      }
    }
    return cases;
  }

  std::vector<Group> Grouped() const {
    // By constraint, and inside of it by the values of the case.
    struct Cause {
      std::vector<Group> by_value;
      std::unordered_map<std::string, size_t> index;
    };
    std::vector<Cause> causes;
    std::unordered_map<std::string, size_t> index;
    for (Case& reported : Cases()) {
      const Finding& finding = *reported.first;
      std::string key =
          fmt::format("{} {} {} ", finding.rule->code, static_cast<int>(finding.consequence),
                      static_cast<int>(finding.level));
      key += finding.constraint.empty() ? finding.op + " " + finding.port : finding.constraint.str();
      const auto [at, added] = index.emplace(std::move(key), causes.size());
      if (added) causes.emplace_back();
      Cause& cause = causes[at->second];
      const auto [value, fresh] =
          cause.index.emplace(finding.found + "\n" + finding.allowed, cause.by_value.size());
      if (fresh) cause.by_value.emplace_back();
      cause.by_value[value->second].cases.push_back(std::move(reported));
    }
    std::vector<Group> groups;
    for (Cause& cause : causes) {
      if (cause.by_value.size() <= kBlocksPerConstraint) {
        for (Group& group : cause.by_value) groups.push_back(std::move(group));
        continue;
      }
      Group all;
      for (Group& group : cause.by_value) {
        std::move(group.cases.begin(), group.cases.end(), std::back_inserter(all.cases));
      }
      groups.push_back(std::move(all));
    }
    return groups;
  }

  void Block(const Group& group) {
    const Finding& finding = *group.cases.front().first;
    const std::string level = fmt::format("{}[{}]", LevelName(finding.level), finding.rule->code);
    const std::string title = fmt::format("{} {}: ", level, finding.rule->slug);
    bool first = true;
    // The title is as wide as a few words: wrap title and message together, then paint.
    for (const std::string& line : Wrap(title + Printable(finding.message), width_ - 2)) {
      if (first && line.starts_with(level)) {
        Line(paint_(StyleOf(finding.level), level, true) +
             paint_(Style::kBold, line.substr(level.size())));
      } else {
        Line("  " + paint_(Style::kBold, line));
      }
      first = false;
    }
    Labelled("at", PlaceText(report_, finding));
    Labelled("found", Printable(finding.found));
    Labelled("allowed", Printable(finding.allowed));
    Labelled("effect",
             fmt::format("{}: {}", ConsequenceName(finding.consequence), Meaning(finding)));
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
    Labelled("more", fmt::format("quantgate explain {}", finding.rule->code), Style::kGrey);
    Others(group);
    Line("");
  }

  // What the block stands for besides its first finding.
  void Others(const Group& group) {
    const Finding& first = *group.cases.front().first;
    std::vector<std::string> ports, same, other;
    for (const Finding* finding : group.cases.front().other_ports) {
      ports.push_back(Name(finding->port.empty() ? finding->tensor : finding->port));
      if (finding->found != first.found) {
        ports.back() += fmt::format(" ({})", Printable(finding->found));
      }
    }
    size_t other_nodes = 0;
    for (const Case& reported : std::span(group.cases).subspan(1)) {
      const Finding& finding = *reported.first;
      if (finding.found == first.found && finding.allowed == first.allowed) {
        same.emplace_back(finding.node);
      } else {
        ++other_nodes;
        if (other.size() < kListedValues) {
          other.push_back(fmt::format("{}: {}", Name(finding.node), Printable(finding.found)));
        }
      }
    }
    if (!ports.empty()) Labelled("also", "its " + Listed(ports));
    if (!same.empty()) Labelled("also in", fmt::format("{}: {}", Nodes(same.size()), Listed(same)));
    if (other_nodes == 0) return;
    Labelled("also in", fmt::format("{} with other values:", Nodes(other_nodes)));
    for (const std::string& line : other) Labelled("", line);
    if (other_nodes > other.size()) {
      Labelled("", fmt::format("… and {} more (--verbose lists all)", other_nodes - other.size()));
    }
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
  void Unchecked() {
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
    for (const auto& [reason, names] : reasons) {
      const std::string start = fmt::format("unchecked: {}: ", Nodes(names.size()));
      const std::string why = reason.empty() ? "nothing is known" : Printable(reason);
      bool first = true;
      for (const std::string& line : Wrap(start + why, width_ - 2)) {
        if (first && line.starts_with("unchecked")) {
          Line(paint_(Style::kGrey, "unchecked", true) + line.substr(9));
        } else {
          Line("  " + line);
        }
        first = false;
      }
      if (!options_.verbose) {
        Labelled("nodes", Listed(names));
      } else {
        std::vector<std::string> safe;
        for (const std::string& name : names) safe.push_back(Name(name));
        Labelled("nodes", Join(safe, ", "));
      }
      Line("");
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

  void Summary() {
    const size_t total_columns = std::max<size_t>(5, std::to_string(report_.nodes.size()).size());
    Line(paint_(Style::kGrey, "  verdict        " + PadLeft("nodes", total_columns)));
    for (const Consequence verdict : kWorstFirst) {
      const int64_t count = CountOf(verdict);
      if (count == 0) continue;
      std::string line = "  " +
                         PadRight(paint_(StyleOf(verdict), ConsequenceName(verdict), true), 15) +
                         PadLeft(std::to_string(count), total_columns);
      const std::string_view meaning = Meaning(verdict);
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
    Line(paint_(Style::kGrey, "  findings silenced: " + Join(parts, ", ")));
    Line("");
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
