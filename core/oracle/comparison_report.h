// Comparisons for people and for programs.
#ifndef QUANTGATE_CORE_ORACLE_COMPARISON_REPORT_H_
#define QUANTGATE_CORE_ORACLE_COMPARISON_REPORT_H_

#include <string>

#include "core/oracle/comparison.h"
#include "core/report/reporter.h"

namespace quantgate::verify {

// The JSON of docs/verify.schema.json; `indent` 0 = one line. Ends without a line feed.
std::string ComparisonJson(const Comparison& comparison, int indent);
// Disagreements in full, a table of the nodes, the counts. `verbose`: agreeing nodes too.
std::string ComparisonText(const Comparison& comparison, const TextOptions& options);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_COMPARISON_REPORT_H_
