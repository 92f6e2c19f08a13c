// Reporters see nothing but the report and the rule table.
#ifndef QUANTGATE_CORE_REPORT_REPORTER_H_
#define QUANTGATE_CORE_REPORT_REPORTER_H_

#include <string>

#include "quantgate/report_formats.h"

namespace quantgate {

std::string ReportText(const Checked& checked, const TextOptions& options = {});
std::string ReportJson(const Checked& checked, int indent = 2);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_REPORTER_H_
