// The matrix in a terminal.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_MATRIX_TEXT_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_MATRIX_TEXT_H_

#include <string>

#include "quantgate/matrix.h"
#include "tools/quantgate/cli/view_flags.h"

namespace quantgate::cli {

// A table per op where there are few, else one with a letter per precision. `only` = the index
// of the one precision that was asked for, or -1.
std::string MatrixText(const Matrix& matrix, int only, const Paper& paper);

// "htp · SDK 2.51": what all columns have in common.
std::string SharedText(const Matrix& matrix);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_MATRIX_TEXT_H_
