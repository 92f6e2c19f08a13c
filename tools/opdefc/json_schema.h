// JSON Schemas of the database's YAML, for editors, from the tables that the readers use.
#ifndef QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_
#define QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_

#include <string>
#include <string_view>
#include <vector>

namespace quantgate::opdefs {

struct JsonSchema {
  std::string_view name;  // "op": of the file op.schema.json
  std::string (*text)();
};

// One a kind of file.
std::vector<JsonSchema> JsonSchemas();

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_
