#include "core/database/compile/template.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate::opdefs {
namespace {

constexpr int64_t kMostEntries = 64;

// "i", "-i", "3*i", "3*i+1", "i-2": a number times i plus a number.
std::optional<int64_t> Linear(std::string_view text, int64_t i) {
  const size_t at = text.find('i');
  if (at == text.npos) return std::nullopt;
  std::string_view factor = text.substr(0, at), rest = text.substr(at + 1);
  int64_t by = 1, plus = 0;
  if (factor == "-") {
    by = -1;
  } else if (!factor.empty()) {
    if (!factor.ends_with('*')) return std::nullopt;
    const auto number = WholeNumber(factor.substr(0, factor.size() - 1));
    if (!number || *number < -1000 || *number > 1000) return std::nullopt;
    by = *number;
  }
  if (!rest.empty()) {
    if (rest[0] == '+') rest.remove_prefix(1);
    const auto number = WholeNumber(rest);
    if (!number || *number < -1000 || *number > 1000) return std::nullopt;
    plus = *number;
  }
  return by * i + plus;
}

// The text with its places filled; nothing where one of them can't be read.
std::optional<std::string> Filled(std::string_view text, int64_t i) {
  std::string out;
  while (!text.empty()) {
    const size_t at = text.find('$');
    out += text.substr(0, at);
    if (at == text.npos) break;
    text.remove_prefix(at + 1);
    if (text.starts_with('i')) {
      absl::StrAppend(&out, i);
      text.remove_prefix(1);
      continue;
    }
    const size_t close = text.find(')');
    if (!text.starts_with('(') || close == text.npos) return std::nullopt;
    const auto value = Linear(text.substr(1, close - 1), i);
    if (!value) return std::nullopt;
    absl::StrAppend(&out, *value);
    text.remove_prefix(close + 1);
  }
  return out;
}

bool Fill(Node& node, int64_t i, const Reporter& reporter) {
  for (std::string* text : {&node.key, &node.text}) {
    if (text->find('$') == std::string::npos) continue;
    auto filled = Filled(*text, i);
    if (!filled) {
      reporter.At(node, absl::StrCat(Quoted(*text), ": `$` is followed by i or by (3*i+1)"));
      return false;
    }
    *text = *std::move(filled);
    node.quoted = false;
  }
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](Node& child) { return Fill(child, i, reporter); });
}

}  // namespace

std::vector<Node> ExpandEach(const Node& node, const Reporter& reporter) {
  const Node* each = node.is_map() ? node.find("each") : nullptr;
  if (each == nullptr) return {node};
  const std::string_view text = each->text;
  const size_t dots = text.find("..");
  const auto first = dots == text.npos ? std::nullopt : WholeNumber(text.substr(0, dots));
  const auto last = dots == text.npos ? std::nullopt : WholeNumber(text.substr(dots + 2));
  if (!each->is_scalar() || !first || !last || *first < 0 || *last < *first ||
      *last - *first >= kMostEntries) {
    reporter.At(*each, absl::StrCat("`each` must be a range of whole numbers like 0..4, of ",
                                    kMostEntries, " at most"));
    return {};
  }
  std::vector<Node> out;
  for (int64_t i = *first; i <= *last; ++i) {
    Node copy = node;
    std::erase_if(copy.children, [](const Node& child) { return child.key == "each"; });
    if (!Fill(copy, i, reporter)) return {};
    out.push_back(std::move(copy));
  }
  return out;
}

}  // namespace quantgate::opdefs
