// The report for people: its head, and as many of its parts as there is room for.
#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/text_page.h"
#include "core/report/text_parts.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Lines of a report that is not verbose, and of its findings however long the rest is.
constexpr size_t kMostLines = 30;
constexpr size_t kLeastBody = 14;

size_t LinesOf(std::string_view text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class TextReport : TextPage {
 public:
  // `checked` may be null: all findings count.
  TextReport(const Report& report, const Checked* checked, const TextOptions& options)
      : TextPage(options, kLabelColumns), report_(report), checked_(checked), options_(options) {}

  std::string Print() && {
    Head();
    const std::string end = SummaryText(report_, checked_, options_);
    const size_t used = LinesOf(text_) + LinesOf(end);
    return text_ + Body(FindingParts(report_, checked_, options_), used) + end;
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

  // The parts in full as far as there is room, beginning with the worst; the others in a line or
  // two; the rest by their number.
  std::string Body(const std::vector<TextPart>& parts, size_t used) {
    const size_t room = used + kLeastBody < kMostLines ? kMostLines - used : kLeastBody;
    size_t lines = 0;
    for (const TextPart& part : parts) lines += LinesOf(part.full);
    if (options_.verbose || lines + 2 <= room) {
      std::string text;
      for (const TextPart& part : parts) text += part.full;
      if (options_.verbose || parts.empty()) return text;
      return text + Hint(parts.front(), /*shortened=*/false);
    }
    // A line for what is left out, and the hint with the empty lines around it.
    size_t left = room - std::min<size_t>(room, 4);
    size_t briefs = 0, brief_lines = 0;
    left -= std::min(left, LinesOf(parts.front().full));
    for (size_t i = 1; i < parts.size(); ++i, ++briefs) {
      if (brief_lines + LinesOf(parts[i].brief) > left) break;
      brief_lines += LinesOf(parts[i].brief);
    }
    size_t full = 1;
    for (; full < parts.size() && full <= briefs; ++full) {
      const size_t more = LinesOf(parts[full].full) - LinesOf(parts[full].brief);
      if (briefs + 1 < parts.size() || brief_lines + more > left) break;
      brief_lines += more;
    }
    std::string text;
    for (size_t i = 0; i < full; ++i) text += parts[i].full;
    for (size_t i = full; i <= briefs; ++i) text += parts[i].brief;
    size_t findings = 0;
    for (size_t i = briefs + 1; i < parts.size(); ++i) findings += parts[i].findings;
    if (const size_t more = parts.size() - briefs - 1; more > 0) {
      text += fmt::format("… and {} more kind{} of findings ({} in all)\n", more,
                          more == 1 ? "" : "s", findings);
    }
    return text + (briefs + 1 > full ? "\n" : "") + Hint(parts.front(), /*shortened=*/true);
  }

  // Where more can be read.
  std::string Hint(const TextPart& worst, bool shortened) const {
    std::string text = worst.code.empty() ? "" : fmt::format("quantgate explain {}", worst.code);
    if (shortened) text += std::string(text.empty() ? "" : ", ") + "--verbose for every finding";
    return text.empty() ? "" : paint_(Style::kGrey, "  more: " + text) + "\n\n";
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
