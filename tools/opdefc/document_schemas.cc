#include "tools/opdefc/document_schemas.h"

#include <limits>

#include "core/database/compile/document/document_schema.h"
#include "quantgate/dtype.h"
#include "quantgate/rule.h"
#include "tools/opdefc/json_pieces.h"

namespace quantgate::opdefs {
namespace {

using opdb::DocumentKey;
using opdb::DocumentShape;
using opdb::ValueType;

Json Definitions() {
  Json dtypes = Json::array(), rules = Json::array();
  for (int i = 0; i < kDtypeCount; ++i) dtypes.push_back(DtypeName(static_cast<Dtype>(i)));
  for (const Rule* rule : AllRules()) rules.push_back(rule->slug);
  Json expression = {{"type", {"number", "string", "boolean", "array"}},
                     {"items", Ref("expression")}};
  return {{"dtype", {{"enum", dtypes}}},
          {"rule", {{"enum", rules}}},
          {"sdk", {{"type", "string"}, {"pattern", R"(^\d+\.\d+)"}}},
          {"port", {{"type", "string"}, {"pattern", R"(^(in|out)\[\d+\]$)"}}},
          {"scalar", {{"type", {"number", "string", "boolean"}}}},
          {"expression", expression}};
}

// "true" and numbers among the choices are no text.
Json Enumerated(std::string_view joined) {
  Json names = Json::array();
  for (const std::string_view name : Choices(joined)) {
    const Json value = Json::parse(name, nullptr, false);
    names.push_back(value.is_discarded() ? Json(name) : value);
  }
  return {{"enum", names}};
}

Json SchemaOf(const DocumentShape& shape);

Json MapSchema(const DocumentShape& shape) {
  Json properties = Json::object(), required = Json::array(), dependencies = Json::object();
  for (const DocumentKey& key : shape.keys) {
    properties[std::string(key.name)] = SchemaOf(*key.shape);
    if (key.required) required.push_back(key.name);
    if (!key.with.empty()) dependencies[std::string(key.name)] = {key.with};
  }
  Json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  if (!dependencies.empty()) schema["dependencies"] = dependencies;
  if (!shape.one_of.empty()) {
    Json branches = Json::array(), any = Json::array();
    for (const std::string_view key : Choices(shape.one_of)) {
      branches.push_back({{"required", {key}}});
      any.push_back({{"required", {key}}});
    }
    if (!shape.unless.empty()) {
      branches.push_back({{"required", {shape.unless}}, {"not", {{"anyOf", any}}}});
    }
    schema["oneOf"] = branches;
  }
  return schema;
}

Json OwnSchema(const DocumentShape& shape) {
  switch (shape.type) {
    case ValueType::kMap:
      return MapSchema(shape);
    case ValueType::kList:
      return {{"type", "array"}, {"items", SchemaOf(*shape.item)}};
    case ValueType::kNamed:
    case ValueType::kParams:
      return {{"type", "object"}, {"additionalProperties", SchemaOf(*shape.item)}};
    case ValueType::kFlag:
      return Typed("boolean");
    case ValueType::kNumber:
      return Typed("number");
    case ValueType::kInteger: {
      Json schema = Typed("integer");
      using Limits = std::numeric_limits<int64_t>;
      if (shape.min != Limits::min()) schema["minimum"] = shape.min;
      if (shape.max != Limits::max()) schema["maximum"] = shape.max;
      return schema;
    }
    case ValueType::kScalar:
    case ValueType::kParamValue:
      return Ref("scalar");
    case ValueType::kExpression:
      return Ref("expression");
    case ValueType::kChoice:
      return Enumerated(shape.choices);
    case ValueType::kDtype:
      return Ref("dtype");
    case ValueType::kRule:
      return Ref("rule");
    case ValueType::kSdk:
      return Ref("sdk");
    case ValueType::kPort:
      return Ref("port");
    default:  // names that only the database knows
      return Typed("string");
  }
}

Json SchemaOf(const DocumentShape& shape) {
  Json schema = OwnSchema(shape);
  if (shape.as_map == nullptr && shape.as_list == nullptr) return schema;
  Json any = Json::array({schema});
  for (const DocumentShape* other : {shape.as_map, shape.as_list}) {
    if (other != nullptr) any.push_back(SchemaOf(*other));
  }
  return {{"anyOf", any}};
}

}  // namespace

std::vector<std::string> DocumentNamesOfSchemas() {
  std::vector<std::string> names = {"op_sets", "renamed_ids"};
  names.emplace_back("routes/direct");  // all routes have one
  for (const std::string folder : {"recipes", "resolve", "rules"}) {
    for (const std::string_view stem : DocumentStems(folder)) {
      names.push_back(folder + "/" + std::string(stem));
    }
  }
  return names;
}

std::optional<std::string> DocumentJsonSchema(std::string_view document) {
  const DocumentShape* shape = ShapeOfDocument(document);
  if (shape == nullptr) return std::nullopt;
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", "quantgate opdefs/" + std::string(document) + ".yaml"}};
  schema.update(SchemaOf(*shape));
  schema["definitions"] = Definitions();
  return schema.dump(1) + "\n";
}

}  // namespace quantgate::opdefs
