#include "core/database/compile/document/map_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"

namespace quantgate::opdefs {
namespace {

}  // namespace

std::optional<std::string> TextOf(const Node& node, std::string_view what,
                                  const Reporter& reporter) {
  if (node.is_scalar() && !node.text.empty()) return node.text;
  reporter.At(node, absl::StrCat(Absl(what), " must be text"));
  return std::nullopt;
}

std::vector<const Node*> OneOrMany(const Node& node) {
  if (!node.is_list()) return {&node};
  std::vector<const Node*> items;
  for (const Node& child : node.children) items.push_back(&child);
  return items;
}

MapReader::MapReader(const Node& node, std::string_view what, const Reporter& reporter)
    : node_(node), what_(what), reporter_(reporter), ok_(node.is_map()) {
  if (!ok_) reporter_.At(node, absl::StrCat(what_, " must be a map"));
}

const Node* MapReader::find(std::string_view key) {
  known_.push_back(key);
  return node_.find(key);
}

const Node* MapReader::need(std::string_view key) {
  const Node* value = find(key);
  if (value == nullptr && ok_) {
    reporter_.At(node_, absl::StrCat(what_, " has no `", Absl(key), "`"));
  }
  return value;
}

std::optional<std::string> MapReader::text(std::string_view key) {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  return TextOf(*value, absl::StrCat("`", Absl(key), "`"), reporter_);
}

std::optional<int64_t> MapReader::integer(std::string_view key, int64_t min, int64_t max) {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto number = value->integer();
  if (number && *number >= min && *number <= max) return number;
  reporter_.At(*value,
               absl::StrCat("`", Absl(key), "` must be a whole number from ", min, " to ", max));
  return std::nullopt;
}

std::optional<bool> MapReader::flag(std::string_view key) {
  const Node* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto flag = value->flag()) return flag;
  reporter_.At(*value, absl::StrCat("`", Absl(key), "` must be true or false"));
  return std::nullopt;
}

std::vector<const Node*> MapReader::list(std::string_view key) {
  const Node* value = find(key);
  if (value == nullptr) return {};
  if (value->is_list()) return OneOrMany(*value);
  reporter_.At(*value, absl::StrCat("`", Absl(key), "` must be a list"));
  return {};
}

void MapReader::Finish() {
  if (!ok_) return;
  for (const Node& child : node_.children) {
    if (std::find(known_.begin(), known_.end(), child.key) != known_.end()) continue;
    reporter_.AtKey(child, absl::StrCat("unknown key ", Quoted(child.key), " of ", what_,
                                        DidYouMeanOf(child.key, known_)));
  }
}

}  // namespace quantgate::opdefs
