// JSON Schemas of mappings, routes, rules, recipes and op sets, for editors: from the tables that
// the compiler checks them by.
#ifndef QUANTGATE_TOOLS_OPDEFC_DOCUMENT_SCHEMAS_H_
#define QUANTGATE_TOOLS_OPDEFC_DOCUMENT_SCHEMAS_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::opdefs {

// "op_sets", "resolve/onnx", "rules/mask-range", …: all that the compiler knows.
std::vector<std::string> DocumentNamesOfSchemas();
// Of such a document; indented JSON. Nothing when unknown.
std::optional<std::string> DocumentJsonSchema(std::string_view document);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_DOCUMENT_SCHEMAS_H_
