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

bool NeedsGraph(ReportFormat format) { return EntryOf(format).needs_graph; }

bool NeedsLines(ReportFormat format) { return EntryOf(format).needs_lines; }

std::unique_ptr<Reporter> MakeReporter(ReportFormat format, const ReporterOptions& options) {
  return EntryOf(format).make(options);
}

}  // namespace quantgate
