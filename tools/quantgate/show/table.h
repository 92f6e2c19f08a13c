// Aligned columns.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_TABLE_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_TABLE_H_

#include <string>
#include <vector>

namespace quantgate::cli {

// Rows of cells, each column as wide as its widest cell; empty columns are left out. The last
// cell of a row is wrapped to `width`, its further lines below its first one.
std::string Table(const std::vector<std::vector<std::string>>& rows, size_t indent, size_t width);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_TABLE_H_
