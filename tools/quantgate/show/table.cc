#include "tools/quantgate/show/table.h"

#include <algorithm>

#include "quantgate/text.h"

namespace quantgate::cli {

std::string Table(const std::vector<std::vector<std::string>>& rows, size_t indent, size_t width) {
  std::vector<size_t> columns;
  for (const auto& row : rows) {
    columns.resize(std::max(columns.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) columns[i] = std::max(columns[i], Columns(row[i]));
  }
  // Narrower than this a last column is not worth wrapping.
  constexpr size_t kNarrowest = 24;
  std::string text;
  for (const auto& row : rows) {
    std::string line(indent, ' ');
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      if (columns[i] > 0) line += PadRight(row[i], columns[i] + 2);
    }
    const size_t start = Columns(line);
    const size_t left = std::max(width > start ? width - start : 0, kNarrowest);
    for (const std::string& part : Wrap(row.empty() ? "" : row.back(), left)) {
      line += part;
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
      line.assign(start, ' ');
    }
  }
  return text;
}

}  // namespace quantgate::cli
