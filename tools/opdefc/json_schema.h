// JSON Schemas of the YAML files, for editors.
#ifndef QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_
#define QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_

#include <string>

namespace quantgate::opdefs {

// Of <backend>/<Op>.yaml, made from the tables that the compiler reads with. Indented JSON.
std::string OpJsonSchema();

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_JSON_SCHEMA_H_
