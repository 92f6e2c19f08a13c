// Reports of a run as text, HTML and what CI systems and viewers read: one interface over all
// formats.
//
//   auto reporter = quantgate::MakeReporter(quantgate::ReportFormat::kSarif,
//                                           {.rules = quantgate::AllRules()});
//   if (!reporter.ok()) return reporter.status();
//   for (const Model& model : models) {
//     file << (*reporter)->Add(quantgate::Checked{validator.Check(model)});
//   }
//   file << (*reporter)->Finish();
#ifndef QUANTGATE_REPORT_FORMATS_H_
#define QUANTGATE_REPORT_FORMATS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/checked.h"
#include "quantgate/export.h"
#include "quantgate/report_text.h"
#include "quantgate/rule.h"

namespace QUANTGATE_EXPORT quantgate {

enum class ReportFormat : uint8_t {
  kText,
  kJson,           // docs/schemas/report.schema.json
  kHtml,           // one self-contained page
  kSarif,          // SARIF 2.1.0 within the limits of GitHub's code scanning
  kGithub,         // workflow commands: annotations of a GitHub job
  kJunit,          // JUnit XML: a suite per model, a case per node
  kModelExplorer,  // node data to lay over a graph in Model Explorer
};
std::string_view ReportFormatName(ReportFormat format);  // "model-explorer"
std::vector<std::string_view> ReportFormatNames();       // in the order of the enumeration
std::optional<ReportFormat> ReportFormatFromName(std::string_view name);

// What is shown of each report.
enum class ReportView : uint8_t {
  kFindings,    // all of it
  kStatistics,  // counts per rule: text and JSON
  kTargets,     // a line per target that a model was checked for: text
};
bool HasView(ReportFormat format, ReportView view);

// What is to be filled in of a Checked before a reporter gets it. Where it is not, that part is
// left out.
struct ReportNeeds {
  bool graph = false;  // Checked::graph and outputs
  bool lines = false;  // Checked::lines
};
ReportNeeds NeedsOf(ReportFormat format, ReportView view = ReportView::kFindings);

struct ReporterOptions {
  ReportView view = ReportView::kFindings;
  TextOptions text = {};
  // The only input, empty where there are several. A report of exactly this model is alone: its
  // JSON is indented, its node data that of one graph. Models of a .jsonl are called FILE:LINE.
  std::string only = {};
  // Folder that paths in SARIF and annotations are relative to; empty = as given.
  std::string root = {};
  // For formats with a table of rules, such as SARIF: AllRules().
  std::span<const Rule* const> rules = {};
};

// Writes the reports of one run, one after the other: formats with a frame around all of them
// return nothing until Finish(). Texts are UTF-8, whatever the names of a model hold. Not for use
// by several threads at once.
class Reporter {
 public:
  virtual ~Reporter() = default;
  // Text that can be written now.
  virtual std::string Add(const Checked& checked) = 0;
  // In place of a report; `place` may be empty.
  virtual std::string AddUnreadable(std::string_view model, std::string_view place,
                                    std::string_view reason) = 0;
  // The rest; once, at the end.
  virtual std::string Finish() = 0;
  // What had to be left out, a sentence each; complete after Finish().
  const std::vector<std::string>& notes() const { return notes_; }

 protected:
  std::vector<std::string> notes_;
};

// InvalidArgument where the format has no such view. What `options` refers to must outlive the
// reporter.
absl::StatusOr<std::unique_ptr<Reporter>> MakeReporter(ReportFormat format,
                                                       const ReporterOptions& options = {});

}  // namespace quantgate

#endif  // QUANTGATE_REPORT_FORMATS_H_
