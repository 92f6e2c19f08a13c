#include "core/database/compile/document/document_schema.h"

#include <algorithm>

#include "quantgate/model.h"
#include "quantgate/rule.h"

namespace quantgate::opdefs {

std::vector<std::string_view> Choices(std::string_view joined) {
  std::vector<std::string_view> choices;
  while (!joined.empty()) {
    const size_t end = std::min(joined.find('|'), joined.size());
    choices.push_back(joined.substr(0, end));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return choices;
}

bool IsRouteName(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::vector<std::string_view> DocumentStems(std::string_view folder) {
  if (folder == "resolve") {
    return {DialectName(Dialect::kOnnx), DialectName(Dialect::kAten),
            DialectName(Dialect::kTflite)};
  }
  if (folder == "recipes") return {"mllm"};
  std::vector<std::string_view> stems;
  if (folder == "rules") {
    for (const Rule* rule : AllRules()) stems.push_back(rule->slug);
    stems.push_back("judged");
  }
  return stems;
}

const opdb::DocumentShape* ShapeOfDocument(std::string_view document) {
  if (document == "op_sets") return &kOpSetsShape;
  if (document == "renamed_ids") return &kRenamesShape;
  if (document == "rules/judged") return &kJudgedShape;
  const size_t slash = document.find('/');
  if (slash == document.npos) return nullptr;
  const std::string_view folder = document.substr(0, slash), stem = document.substr(slash + 1);
  if (folder == "rules") return RuleShape(stem);
  if (folder == "routes") return IsRouteName(stem) ? &kRouteShape : nullptr;
  const std::vector<std::string_view> stems = DocumentStems(folder);
  if (std::find(stems.begin(), stems.end(), stem) == stems.end()) return nullptr;
  return folder == "resolve" ? &kMappingsShape : &kRecipesShape;
}

}  // namespace quantgate::opdefs
