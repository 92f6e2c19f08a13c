#include "tools/quantgate/model_places.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include "core/base/json_cursor.h"
#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"
#include "core/readers/file_bytes.h"
#include "quantgate/validator.h"

namespace quantgate::cli {

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

std::optional<CheckedGraph> GraphOf(Model model, const EncodingsFile* encodings,
                                    const Report& report, const Target& target,
                                    const Database& database) {
  const std::optional<Route> route = RouteFromName(report.route);
  if (!target.unsupported().empty() || model.nodes.empty() || !route) return std::nullopt;
  // What does not fit is in the report already.
  if (encodings != nullptr) ApplyEncodings(*encodings, model, database);
  Resolved resolved = Resolve(model, target, database.view());
  ApplyRoute(*route, target, database.view(), resolved);
  CheckedGraph graph;
  graph.source = resolved.op_source;
  if (graph.source.empty()) {
    graph.source.resize(resolved.graph->nodes.size());
    std::iota(graph.source.begin(), graph.source.end(), 0);
  }
  if (resolved.owned != nullptr) {
    graph.model = std::move(*resolved.owned);
  } else {
    graph.model = *resolved.graph;  // the model itself
  }
  return graph;
}

std::vector<std::vector<std::string>> OutputNames(const Model& model) {
  std::vector<std::vector<std::string>> names(model.nodes.size());
  for (size_t i = 0; i < model.nodes.size(); ++i) {
    for (const TensorId output : model.nodes[i].outputs) {
      if (output == kNoTensor) continue;
      names[i].push_back(model.tensors[static_cast<size_t>(output)].name);
    }
  }
  return names;
}

}  // namespace quantgate::cli
