// The tables of all documents that are no op: mappings, routes, recipes, op sets, rules.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_SCHEMA_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_SCHEMA_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/document_shape.h"

namespace quantgate::opdefs {

// The choices of a kChoice, the keys of `one_of`: "a|b" -> a, b.
std::vector<std::string_view> Choices(std::string_view joined);

// Routes have the names that their authors choose: small letters, digits, _ and -.
bool IsRouteName(std::string_view name);
// "onnx", "aten", …: the names that files of a folder ("resolve", "recipes", "rules") may have. Empty for other
// folders.
std::vector<std::string_view> DocumentStems(std::string_view folder);
// Of "resolve/onnx", "routes/onnxruntime", "rules/mask-range", "op_sets", …; null when unknown.
const opdb::DocumentShape* ShapeOfDocument(std::string_view document);

// One table a file.
extern const opdb::DocumentShape kOpSetsShape, kMappingsShape, kRouteShape, kRecipesShape,
    kRenamesShape;
// Of rules/<slug>.yaml: keys that all have, and the rule's own settings. Null where the rule has no
// such file.
const opdb::DocumentShape* RuleShape(std::string_view slug);
// Of rules/judged.yaml.
extern const opdb::DocumentShape kJudgedShape;

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_DOCUMENT_SCHEMA_H_
