// A report as text for people and as JSON.
#ifndef QUANTGATE_REPORT_TEXT_H_
#define QUANTGATE_REPORT_TEXT_H_

#include <string>
#include <string_view>

#include "quantgate/export.h"
#include "quantgate/report.h"

namespace QUANTGATE_EXPORT quantgate {

struct TextOptions {
  bool color = false;
  bool verbose = false;  // every finding in full, all nodes listed; else 30 lines a model
  int width = 100;       // columns of the terminal
};

// The kind of a finding, "QG301/rejected": findings of one kind share rule and consequence.
std::string FindingGroup(const Finding& finding);

// For people: a block for each kind of finding, worst first; what doesn't fit 30 lines is
// shortened. Control characters and broken UTF-8 of names are made visible, never passed on.
std::string ReportText(const Report& report, const TextOptions& options = {});
// What runs, differences first; `report.as_run` must be there.
std::string AsRunText(const Report& report, const TextOptions& options = {});
// The JSON of docs/schemas/report.schema.json; `indent` 0 = one line. Ends without a line feed.
std::string ReportJson(const Report& report, int indent = 2);
// What stands in place of a report for an input among several that can't be read, one line.
std::string ReportErrorJson(std::string_view model, std::string_view place,
                            std::string_view message);

}  // namespace quantgate

#endif  // QUANTGATE_REPORT_TEXT_H_
