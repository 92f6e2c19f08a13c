// The report for people: what follows its findings.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/text_page.h"
#include "core/report/text_parts.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Findings about numbers in their list, and from how many on there is one.
constexpr size_t kListedNumbers = 5, kFewestNumbers = 2;

class Summarizer : TextPage {
 public:
  Summarizer(const Report& report, const Checked* checked, const TextOptions& options)
      : TextPage(options, kLabelColumns), report_(report), checked_(checked), options_(options) {}

  std::string Print() && {
    if (options_.verbose) NodeTable();
    Numbers();
    Summary();
    Silenced();
    Closing();
    return std::move(text_);
  }

 private:
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

}  // namespace

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

std::string SummaryText(const Report& report, const Checked* checked, const TextOptions& options) {
  return Summarizer(report, checked, options).Print();
}

}  // namespace quantgate
