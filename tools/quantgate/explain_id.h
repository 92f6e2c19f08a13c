// quantgate explain ID: a constraint or a row of the database by its id.
#ifndef QUANTGATE_TOOLS_QUANTGATE_EXPLAIN_ID_H_
#define QUANTGATE_TOOLS_QUANTGATE_EXPLAIN_ID_H_

#include <string>
#include <string_view>

#include "tools/quantgate/cli/common.h"

namespace quantgate::cli {

// "htp/Conv2d/in[1]/symmetric", "htp/Conv2d#INT8.1": begins with the name of a backend.
bool LooksLikeId(std::string_view text);

// An id of an earlier version too, which is then reported by its present name. The exit status.
int ExplainId(const std::string& id, Format format, const ColorFlag& color);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_EXPLAIN_ID_H_
