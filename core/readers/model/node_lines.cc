// Where the nodes of a model stand in its file.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>

#include "core/base/json_cursor.h"
#include "core/readers/file_bytes.h"
#include "quantgate/reader.h"

namespace quantgate {

std::vector<int32_t> NodeLines(const std::string& path, const Model& model) {
  std::vector<int32_t> lines;
  const auto look = [](std::string_view) { return absl::OkStatus(); };
  const absl::StatusOr<FileBytes> bytes = FileBytes::Open(path, look);
  if (!bytes.ok()) return lines;
  const std::string_view text = bytes->bytes();
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return lines;
  size_t counted = 0;
  int64_t line = 1;
  JsonCursor json(text);
  json.Document([&](JsonCursor::Value root) {
    return json.Map(root, [&](std::string_view key, JsonCursor::Value value, size_t) {
      if (key != "nodes") return true;
      return json.Array(value, [&](JsonCursor::Value node) {
        const size_t offset = json.OffsetOf(node);
        line += std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                           text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
        counted = offset;
        lines.push_back(
            static_cast<int32_t>(std::min<int64_t>(line, std::numeric_limits<int32_t>::max())));
        return true;
      });
    });
  });
  if (lines.size() != model.nodes.size()) lines.clear();
  return lines;
}

}  // namespace quantgate
