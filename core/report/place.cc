#include "core/report/place.h"

#include <fmt/core.h>

#include <charconv>
#include <optional>
#include <utility>

#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// "FILE:42" -> FILE and 42.
std::optional<std::pair<std::string_view, int>> SplitLine(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::string_view digits = text.substr(colon + 1);
  int line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size() || line < 1) return std::nullopt;
  return std::pair(text.substr(0, colon), line);
}

std::string Relative(std::string_view path, std::string_view root) {
  if (!root.empty() && path.starts_with(root) && path.substr(root.size()).starts_with('/')) {
    path.remove_prefix(root.size() + 1);
  }
  while (path.starts_with("./")) path.remove_prefix(2);
  return std::string(path);
}

bool IsSourceFile(std::string_view path) {
  return path.ends_with(".py") && path.find('"') == std::string_view::npos;
}

}  // namespace

FilePlace ModelPlace(std::string_view model, std::string_view root) {
  FilePlace place;
  if (const auto split = SplitLine(model);
      split && (split->first.ends_with(".jsonl") || split->first == "-")) {
    model = split->first;
    place.line = split->second;
  }
  place.path = model.empty() || model == "-" ? "stdin" : Relative(model, root);
  return place;
}

FilePlace FindingPlace(const Checked& checked, const Finding& finding, std::string_view root) {
  const Report& report = checked.report;
  FilePlace place = ModelPlace(report.model, root);
  const NodeReport* node = NodeOf(report, finding);
  if (node == nullptr) return place;
  if (const auto split = SplitLine(node->location); split && IsSourceFile(split->first)) {
    return {Relative(split->first, root), split->second};
  }
  const auto index = static_cast<size_t>(finding.node_index);
  if (index < checked.lines.size() && checked.lines[index] > 0) {
    place.line += checked.lines[index] - 1;
  }
  return place;
}

std::string UriOf(std::string_view path) {
  std::string uri = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

}  // namespace quantgate
