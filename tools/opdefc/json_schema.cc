#include "tools/opdefc/json_schema.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "core/opdb/kinds.h"
#include "core/opdefs_yaml/condition_reader.h"
#include "core/opdefs_yaml/schema.h"
#include "quantgate/consequence.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"

namespace quantgate::opdefs {
namespace {

using Json = nlohmann::ordered_json;

Json Ref(std::string_view name) { return {{"$ref", "#/definitions/" + std::string(name)}}; }
Json Typed(std::string_view type) { return {{"type", type}}; }
Json ListOf(const Json& items) { return {{"type", "array"}, {"items", items}, {"minItems", 1}}; }
Json OneOrMany(const Json& item) { return {{"anyOf", {item, ListOf(item)}}}; }

Json Enumerated(std::string_view choices) {
  Json names = Json::array();
  for (size_t at = 0; at <= choices.size();) {
    const size_t end = std::min(choices.find('|', at), choices.size());
    names.push_back(choices.substr(at, end - at));
    at = end + 1;
  }
  return {{"enum", names}};
}

Json FieldSchema(const Field& field) {
  switch (field.type) {
    case FieldType::kExpr:
      return Ref("expr");
    case FieldType::kExprs:
    case FieldType::kDims:
      return OneOrMany(Ref("expr"));
    case FieldType::kInt:
      return Typed("integer");
    case FieldType::kInts:
      return OneOrMany(Typed("integer"));
    case FieldType::kReal:
      return {{"type", {"number", "string"}}};
    case FieldType::kFlag:
      return Typed("boolean");
    case FieldType::kTrue:
      return {{"const", true}};
    case FieldType::kPort:
      return Ref("port");
    case FieldType::kPorts:
      return {{"type", "array"}, {"items", Ref("port")}, {"minItems", 1}, {"maxItems", 2}};
    case FieldType::kPortPair:
      return {{"type", "array"}, {"items", Ref("port")}, {"minItems", 2}, {"maxItems", 2}};
    case FieldType::kDtype:
      return Ref("dtype");
    case FieldType::kDtypes:
      return OneOrMany(Ref("dtype"));
    case FieldType::kEncodings:
      return OneOrMany(Ref("encoding"));
    case FieldType::kArch:
    case FieldType::kText:
      return Typed("string");
    case FieldType::kChoice:
      return Enumerated(field.choices);
    case FieldType::kValue:
      return {{"type", {"number", "string", "boolean"}}};
    case FieldType::kValues:
      return OneOrMany({{"type", {"number", "string", "boolean"}}});
  }
  return Json::object();
}

Json Map(const Json& properties, const std::vector<std::string>& required) {
  return {{"type", "object"},
          {"properties", properties},
          {"required", required},
          {"additionalProperties", false}};
}

Json RangeKeys() {
  return {{"since", Ref("sdk")},
          {"until", Ref("sdk")},
          {"arch", OneOrMany(Typed("string"))},
          {"sources", ListOf(Typed("string"))}};
}

// One branch per kind: only its own fields beside those that all have.
Json ConstraintSchema(bool inner) {
  Json common = {{"port", Typed("string")}, {"when", Ref("when")}};
  if (!inner) {
    common["id"] = Typed("string");
    common["groups"] = ListOf(Typed("string"));
    common["consequence"] = Ref("consequence");
    common["measured"] =
        Map({{"since", Ref("sdk")}, {"consequence", Ref("consequence")}}, {"since", "consequence"});
    common["note"] = Typed("string");
    common.update(RangeKeys());
  }
  Json names = Json::array();
  Json branches = Json::array();
  for (const KindSchema& kind : Kinds()) {
    const bool any_of = kind.kind == opdb::Kind::kAnyOf;
    if (inner && (any_of || kind.kind == opdb::Kind::kNote)) continue;
    const std::string name(opdb::KindName(kind.kind));
    names.push_back(name);
    Json properties = {{"kind", {{"const", name}}}};
    properties.update(common);
    std::vector<std::string> required;
    for (const Field& field : kind.fields) {
      properties[std::string(field.name)] = FieldSchema(field);
      if (field.required) required.emplace_back(field.name);
    }
    if (any_of) {
      properties["of"] = {{"type", "array"}, {"minItems", 2}, {"items", ListOf(Ref("inner"))}};
      required.emplace_back("of");
    }
    Json then = {{"properties", properties}, {"additionalProperties", false}};
    if (!required.empty()) then["required"] = required;
    if (kind.min_fields > 0) then["minProperties"] = kind.min_fields + (inner ? 2 : 4);
    branches.push_back({{"if", {{"properties", {{"kind", {{"const", name}}}}}}}, {"then", then}});
  }
  std::vector<std::string> required = {"port", "kind"};
  if (!inner) required.insert(required.end(), {"id", "sources"});
  return {{"type", "object"},
          {"properties", {{"kind", {{"enum", names}}}}},
          {"required", required},
          {"allOf", branches}};
}

Json WhenSchema() {
  Json properties = Json::object();
  for (const std::string_view key : ConditionReader::KeyNames()) {
    properties[std::string(key)] = Json::object();
  }
  return {{"type", "object"},
          {"minProperties", 1},
          {"properties", properties},
          {"additionalProperties", false}};
}

Json Definitions() {
  Json dtypes = Json::array();
  for (int i = 1; i < kDtypeCount; ++i) dtypes.push_back(DtypeName(static_cast<Dtype>(i)));
  Json encodings = Json::array();
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    encodings.push_back(QnnEncodingName(static_cast<QnnEncoding>(i)));
  }
  Json consequences = Json::array();
  for (int i = 0; i < kConsequenceCount; ++i) {
    const auto value = static_cast<Consequence>(i);
    if (value != Consequence::kAccepted && value != Consequence::kUnchecked) {
      consequences.push_back(ConsequenceName(value));
    }
  }
  Json param_dtype = dtypes;
  param_dtype.push_back("UNDEFINED");
  Json port = {{"type", "string"}, {"pattern", R"(^(in|out)\[\d+(\.\.m)?\]$)"}};
  Json ports =
      ListOf(Map({{"port", Ref("port")},
                  {"role", Typed("string")},
                  {"optional", Typed("boolean")},
                  {"channel_axis", {{"type", "integer"}, {"minimum", -8}, {"maximum", 7}}}},
                 {"port"}));
  ports.erase("minItems");
  Json param = Map({{"name", Typed("string")},
                    {"dtype", {{"enum", param_dtype}}},
                    {"rank", {{"type", "integer"}, {"minimum", 0}, {"maximum", 8}}},
                    {"required", Typed("boolean")},
                    {"default", Json::object()},
                    {"values", {{"type", "object"}, {"additionalProperties", Typed("integer")}}}},
                   {"name", "dtype"});
  Json row = OneOrMany(Ref("dtype"));
  row["anyOf"].push_back(Typed("null"));
  Json variant_keys = {{"id", Typed("string")},
                       {"group", Typed("string")},
                       {"dtypes", {{"type", "array"}, {"items", row}}},
                       {"consequence", {{"const", "undocumented"}}},
                       {"undocumented_until", Ref("sdk")}};
  variant_keys.update(RangeKeys());
  Json shape = {{"anyOf", {Typed("null"), {{"type", "array"}, {"items", Typed("integer")}}}}};
  Json shapes = {{"type", "array"}, {"items", shape}};
  Json example = Map({{"inputs", shapes},
                      {"outputs", shapes},
                      {"params", Typed("object")},
                      {"static", {{"type", "array"}, {"items", Typed("integer")}}},
                      {"sparse_inputs", Typed("object")},
                      {"sparse_outputs", Typed("object")},
                      {"tag", Typed("string")}},
                     {"inputs", "outputs"});
  return {{"dtype", {{"enum", dtypes}}},
          {"encoding", {{"enum", encodings}}},
          {"consequence", {{"enum", consequences}}},
          {"sdk", {{"type", "string"}, {"pattern", R"(^\d+\.\d+)"}}},
          {"expr", {{"type", {"integer", "string"}}}},
          {"port", port},
          {"ports", ports},
          {"param", param},
          {"variant", Map(variant_keys, {"id", "group", "dtypes", "sources"})},
          {"when", WhenSchema()},
          {"constraint", ConstraintSchema(false)},
          {"inner", ConstraintSchema(true)},
          {"example", example}};
}

}  // namespace

std::string OpJsonSchema() {
  const auto list = [](std::string_view name) {
    return Json{{"type", "array"}, {"items", Ref(name)}};
  };
  Json properties = {{"op", Typed("string")},       {"backend", Typed("string")},
                     {"extends", Typed("boolean")}, {"inputs", Ref("ports")},
                     {"outputs", Ref("ports")},     {"params", list("param")},
                     {"variants", list("variant")}, {"constraints", list("constraint")},
                     {"examples", list("example")}};
  properties.update(RangeKeys());
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"title", "An op of one backend (opdefs/<backend>/<Op>.yaml)"},
      {"description", "Written by `opdefc schema`; opdefs/README.md explains the keys."}};
  schema.update(Map(properties, {"op", "backend", "sources"}));
  // An op file that extends one of the database below has its ports from there.
  schema["if"] = {{"required", {"extends"}}};
  schema["else"] = {{"required", {"inputs", "outputs"}}};
  schema["definitions"] = Definitions();
  return schema.dump(1) + "\n";
}

}  // namespace quantgate::opdefs
