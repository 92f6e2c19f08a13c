// Reporters: Report -> text. They see nothing but the report and the rule table.
#ifndef QUANTGATE_CORE_REPORT_REPORTER_H_
#define QUANTGATE_CORE_REPORT_REPORTER_H_

#include <string>

#include "quantgate/report.h"

namespace quantgate {

struct TextOptions {
  bool color = false;
  bool verbose = false;  // every finding in full, accepted nodes listed
  int width = 100;       // columns of the terminal
};

// For people: findings grouped where many nodes share one, a summary table at the end.
std::string ReportText(const Report& report, const TextOptions& options = {});
// The JSON of docs/report.schema.json; `indent` 0 = one line.
std::string ReportJson(const Report& report, int indent = 2);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_REPORTER_H_
