// The parts of the HTML page, compiled in from core/report/web.
#ifndef QUANTGATE_CORE_REPORT_WEB_H_
#define QUANTGATE_CORE_REPORT_WEB_H_

#include <string_view>

namespace quantgate {

// The look that all pages of the tool share, the look of a report, its script and its frame.
extern const std::string_view kPageCss, kReportCss, kReportJs, kReportHtml;

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_WEB_H_
