// Several targets in one run: a line per model and kind of target with the nodes of each verdict,
// in place of whole reports.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

constexpr std::array<std::string_view, kConsequenceCount> kShort = {
    "accepted", "advice", "undocum.", "altered", "wrong", "prepare", "rejected", "unchecked"};

struct Row {
  std::string model, target, arch;
  std::vector<std::string> socs;
  std::array<int64_t, kConsequenceCount> counts{};
  bool failed = false;
};

class TargetsReporter : public Reporter {
 public:
  explicit TargetsReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    const std::string target =
        fmt::format("{} SDK {}", Printable(report.backend), Printable(report.sdk));
    // Chips of one arch that come to the same are one line.
    for (Row& row : rows_) {
      if (row.model == report.model && row.target == target && row.arch == report.arch &&
          row.counts == report.counts && row.failed == report.failed) {
        if (!report.soc.empty()) row.socs.push_back(report.soc);
        return "";
      }
    }
    Row row{report.model, target, report.arch, {}, report.counts, report.failed};
    if (!report.soc.empty()) row.socs.push_back(report.soc);
    rows_.push_back(std::move(row));
    return "";
  }

  // Reported on standard error already.
  std::string AddUnreadable(std::string_view, std::string_view, std::string_view) override {
    return "";
  }

  std::string Finish() override {
    const Painter paint(options_.text.color);
    std::string text;
    const std::string* model = nullptr;
    const std::string* target = nullptr;
    for (const Row& row : rows_) {
      if (model == nullptr || *model != row.model) {
        if (model != nullptr) text += "\n";
        model = &row.model;
        text += paint(Style::kBold, Name(row.model)) + "  " + row.target + "\n";
        text += paint(Style::kGrey, Head()) + "\n";
      } else if (*target != row.target) {
        text += "  " + paint(Style::kBold, row.target) + "\n";
      }
      target = &row.target;
      text += Line(row, paint);
    }
    if (!rows_.empty()) {
      text += "\n" + paint(Style::kGrey, "--soc CHIP tells the findings for one of them") + "\n";
    }
    return text;
  }

 private:
  static std::string Head() {
    std::string head = "  arch  ";
    for (const Consequence verdict : kWorstFirst) {
      head += fmt::format("{:>10}", kShort[static_cast<size_t>(verdict)]);
    }
    return head + "  chips";
  }

  std::string Line(const Row& row, const Painter& paint) const {
    std::string line = fmt::format(
        "  {}",
        PadRight(paint(row.failed ? Style::kRed : Style::kGreen,
                       row.arch.empty() ? "any" : Printable(row.arch), true),
                 6));
    for (const Consequence verdict : kWorstFirst) {
      const int64_t count = row.counts[static_cast<size_t>(verdict)];
      line += count == 0 ? paint(Style::kGrey, fmt::format("{:>10}", "·"))
                         : fmt::format("{:>10}", count);
    }
    const size_t indent = Columns(line) + 2;
    const auto width = static_cast<size_t>(std::max(options_.text.width, 40));
    std::string text;
    for (const std::string& part :
         Wrap(Join(row.socs, ", "), std::max<size_t>(width - std::min(width, indent), 24))) {
      if (part.empty()) continue;
      text += text.empty() ? line + "  " + part : "\n" + std::string(indent, ' ') + part;
    }
    return (text.empty() ? line : text) + "\n";
  }

  const ReporterOptions options_;
  std::vector<Row> rows_;
};

}  // namespace

std::unique_ptr<Reporter> MakeTargetsReporter(const ReporterOptions& options) {
  return std::make_unique<TargetsReporter>(options);
}

}  // namespace quantgate
