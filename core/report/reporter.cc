#include "core/report/reporter.h"

#include <array>

#include "core/report/reporters.h"

namespace quantgate {
namespace {

struct Entry {
  ReportFormat format;
  std::string_view name;
  bool needs_graph, needs_lines;
  std::unique_ptr<Reporter> (*make)(const ReporterOptions&);
};

constexpr std::array kEntries = {
    Entry{ReportFormat::kText, "text", false, false, MakeTextReporter},
    Entry{ReportFormat::kJson, "json", false, false, MakeJsonReporter},
    Entry{ReportFormat::kHtml, "html", true, false, MakeHtmlReporter},
    Entry{ReportFormat::kSarif, "sarif", false, true, MakeSarifReporter},
    Entry{ReportFormat::kGithub, "github", false, true, MakeGithubReporter},
    Entry{ReportFormat::kJunit, "junit", false, false, MakeJunitReporter},
    Entry{ReportFormat::kModelExplorer, "model-explorer", true, false, MakeModelExplorerReporter},
};

const Entry& EntryOf(ReportFormat format) { return kEntries[static_cast<size_t>(format)]; }

}  // namespace

std::string_view ReportFormatName(ReportFormat format) { return EntryOf(format).name; }

std::vector<std::string_view> ReportFormatNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kEntries) names.push_back(entry.name);
  return names;
}

std::optional<ReportFormat> ReportFormatFromName(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return entry.format;
  }
  return std::nullopt;
}

bool HasView(ReportFormat format, ReportView view) {
  switch (view) {
    case ReportView::kFindings:
      return true;
    case ReportView::kStatistics:
      return format == ReportFormat::kText || format == ReportFormat::kJson;
    case ReportView::kTargets:
      return format == ReportFormat::kText;
  }
  return false;
}

ReportNeeds NeedsOf(ReportFormat format, ReportView view) {
  if (view != ReportView::kFindings) return {};
  const Entry& entry = EntryOf(format);
  return {.graph = entry.needs_graph, .lines = entry.needs_lines};
}

absl::StatusOr<std::unique_ptr<Reporter>> MakeReporter(ReportFormat format,
                                                       const ReporterOptions& options) {
  if (!HasView(format, options.view)) {
    return absl::InvalidArgumentError(
        std::string(EntryOf(format).name) + (options.view == ReportView::kStatistics
                                                 ? " has no statistics; text and json have"
                                                 : " has no lines of targets; text has"));
  }
  switch (options.view) {
    case ReportView::kFindings:
      break;
    case ReportView::kStatistics:
      return MakeStatisticsReporter(options, format == ReportFormat::kJson);
    case ReportView::kTargets:
      return MakeTargetsReporter(options);
  }
  return EntryOf(format).make(options);
}

}  // namespace quantgate
