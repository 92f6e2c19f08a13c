// The files of tools/quantgate/web, and the look of all pages (core/report/web/page.css), compiled
// in (see CMakeLists.txt).
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_WEB_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_WEB_H_

#include <string_view>

namespace quantgate::cli {

extern const std::string_view kPageCss, kMatrixCss, kMatrixJs, kPlanCss, kListCss, kListJs;

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_WEB_H_
