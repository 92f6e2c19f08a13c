#include "tools/opdefc/long_lines.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "tools/opdefc/comments.h"
#include "tools/opdefc/layout.h"

namespace quantgate::opdefs {
namespace {

// The values that begin on a line, outer ones first.
using ByLine = std::map<int, std::vector<const Node*>>;

void Collect(const Node& node, ByLine& out) {
  out[node.key_line > 0 ? node.key_line : node.line].push_back(&node);
  for (const Node& child : node.children) Collect(child, out);
}

size_t CountFrom(const Node& node, int line) {
  size_t count = (node.key_line > 0 ? node.key_line : node.line) == line ? 1 : 0;
  for (const Node& child : node.children) count += CountFrom(child, line);
  return count;
}

bool WithinLine(const Node& node, int line) {
  return node.line == line &&
         std::all_of(node.children.begin(), node.children.end(),
                     [&](const Node& child) { return WithinLine(child, line); });
}

// The value in flow style, or the text, that the line ends with; null where it holds the begin of
// something else too.
const Node* ValueOf(std::string_view line, int number, const ByLine& nodes) {
  const auto it = nodes.find(number);
  if (it == nodes.end()) return nullptr;
  size_t outer = 0;  // block collections that begin here with their first entry
  for (const Node* node : it->second) {
    const size_t at = static_cast<size_t>(node->column) - 1;
    if (node->line != number || at >= line.size()) return nullptr;
    if (node->is_scalar() || line[at] == '{' || line[at] == '[') {
      const bool all = CountFrom(*node, number) + outer == it->second.size();
      return all && WithinLine(*node, number) ? node : nullptr;
    }
    ++outer;
  }
  return nullptr;
}

void AppendLine(std::string_view line, int number, const ByLine& nodes, char& quote,
                std::string& out) {
  const char before = quote;
  const size_t comment = CommentAt(line, quote);
  const Node* value = nullptr;
  if (Width(line) > kColumns && before == 0 && quote == 0) value = ValueOf(line, number, nodes);
  const std::string_view content = line.substr(0, comment);
  const size_t end = content.find_last_not_of(" \t\r");
  const bool closed = value != nullptr && end != content.npos &&
                      (value->is_scalar() || content[end] == '}' || content[end] == ']');
  if (!closed) {
    absl::StrAppend(&out, Absl(line), "\n");
    return;
  }
  const size_t start = line.find_first_not_of(' ');
  if (comment != line.npos) {
    absl::StrAppend(&out, Absl(line.substr(0, start)), Absl(line.substr(comment)), "\n");
  }
  const std::string_view prefix = line.substr(0, static_cast<size_t>(value->column) - 1);
  const int indent = value->key_line > 0 ? value->key_column + 1 : value->column - 1;
  for (const std::string& part : Filled(prefix, *value, static_cast<size_t>(indent))) {
    absl::StrAppend(&out, part, "\n");
  }
}

}  // namespace

bool HasAuthorsLayout(std::string_view file) {
  constexpr std::array<std::string_view, 4> kFolders = {"resolve", "routes", "rules", "recipes"};
  const std::filesystem::path path(file);
  if (path.filename() == "renamed_ids.yaml") return true;
  const std::string parent = path.parent_path().filename().string();
  return std::find(kFolders.begin(), kFolders.end(), parent) != kFolders.end();
}

std::string WithoutLongLines(std::string_view text, const Node& root) {
  ByLine nodes;
  for (const Node& child : root.children) Collect(child, nodes);
  std::string out;
  char quote = 0;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    AppendLine(text.substr(at, end - at), ++number, nodes, quote, out);
    at = end + 1;
  }
  return out;
}

}  // namespace quantgate::opdefs
