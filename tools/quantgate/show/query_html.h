// One op as a page.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_QUERY_HTML_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_QUERY_HTML_H_

#include <string>
#include <vector>

#include "quantgate/database.h"
#include "quantgate/matrix.h"
#include "quantgate/target.h"

namespace quantgate::cli {

// `matrix` has the one op and the one target.
std::string QueryHtml(const OpInfo& op, const Target& target, const Matrix& matrix);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_QUERY_HTML_H_
