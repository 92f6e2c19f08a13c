// One maker per format; MakeReporter chooses.
#ifndef QUANTGATE_CORE_REPORT_REPORTERS_H_
#define QUANTGATE_CORE_REPORT_REPORTERS_H_

#include <memory>

#include "core/report/reporter.h"

namespace quantgate {

std::unique_ptr<Reporter> MakeTextReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeJsonReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeSarifReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeGithubReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeJunitReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeHtmlReporter(const ReporterOptions& options);
std::unique_ptr<Reporter> MakeModelExplorerReporter(const ReporterOptions& options);
// Of the other views.
std::unique_ptr<Reporter> MakeStatisticsReporter(const ReporterOptions& options, bool json);
std::unique_ptr<Reporter> MakeTargetsReporter(const ReporterOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_REPORTERS_H_
