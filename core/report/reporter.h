// Reporters: Report -> text. They see nothing but the report and the rule table.
#ifndef QUANTGATE_CORE_REPORT_REPORTER_H_
#define QUANTGATE_CORE_REPORT_REPORTER_H_

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/checked.h"
#include "quantgate/report.h"
#include "quantgate/report_text.h"
#include "quantgate/rule.h"

namespace quantgate {

std::string ReportText(const Checked& checked, const TextOptions& options = {});
std::string ReportJson(const Checked& checked, int indent = 2);

enum class ReportFormat : uint8_t {
  kText,
  kJson,           // docs/report.schema.json
  kHtml,           // one self-contained page
  kSarif,          // SARIF 2.1.0 within the limits of GitHub's code scanning
  kGithub,         // workflow commands: annotations of a GitHub job
  kJunit,          // JUnit XML: a suite per model, a case per node
  kModelExplorer,  // node data to lay over a graph in Model Explorer
};
std::string_view ReportFormatName(ReportFormat format);  // "model-explorer"
std::vector<std::string_view> ReportFormatNames();
std::optional<ReportFormat> ReportFormatFromName(std::string_view name);
// The format shows the graph: Checked::graph and outputs are to be filled.
bool NeedsGraph(ReportFormat format);
// The format names lines of the model file: Checked::lines is to be filled.
bool NeedsLines(ReportFormat format);

struct ReporterOptions {
  TextOptions text;
  // The only input, empty where there are several. A report of exactly this model is alone: its
  // JSON is indented, its node data that of one graph. Models of a .jsonl are called FILE:LINE.
  std::string only;
  // Folder that paths in SARIF and annotations are relative to; empty = as given.
  std::string root;
  // All rules, for formats with a table of them.
  std::span<const Rule* const> rules;
};

// Writes the reports of one run, one after the other: formats with a frame around all of them
// return nothing until Finish().
class Reporter {
 public:
  virtual ~Reporter() = default;
  // Text that can be written now.
  virtual std::string Add(const Checked& checked) = 0;
  // In place of a report; `place` may be empty.
  virtual std::string AddUnreadable(std::string_view model, std::string_view place,
                                    std::string_view reason) = 0;
  virtual std::string Finish() = 0;
  // What had to be left out, a sentence each; complete after Finish().
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  std::vector<std::string> notes_;
};
std::unique_ptr<Reporter> MakeReporter(ReportFormat format, const ReporterOptions& options);
// Counts per rule instead of findings, as text or JSON.
std::unique_ptr<Reporter> MakeStatisticsReporter(const ReporterOptions& options, bool json);
// Text for several targets: a line per target instead of whole reports.
std::unique_ptr<Reporter> MakeTargetsReporter(const ReporterOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_REPORTER_H_
