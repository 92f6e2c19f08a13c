// What JSON Schemas are put together from.
#ifndef QUANTGATE_TOOLS_OPDEFC_JSON_PIECES_H_
#define QUANTGATE_TOOLS_OPDEFC_JSON_PIECES_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate::opdefs {

using Json = nlohmann::ordered_json;

inline Json Ref(std::string_view name) {
  return {{"$ref", "#/definitions/" + std::string(name)}};
}
inline Json Typed(std::string_view type) { return {{"type", type}}; }
inline Json Matching(std::string_view pattern) {
  return {{"type", "string"}, {"pattern", pattern}};
}
inline Json WholeFrom(int min, int max) {
  return {{"type", "integer"}, {"minimum", min}, {"maximum", max}};
}
inline Json AnyOf(const std::vector<Json>& schemas) { return {{"anyOf", schemas}}; }
inline Json ListOf(const Json& items) { return {{"type", "array"}, {"items", items}}; }
inline Json SomeOf(const Json& items) {
  return {{"type", "array"}, {"items", items}, {"minItems", 1}};
}
inline Json OneOrMany(const Json& item) { return AnyOf({item, SomeOf(item)}); }
// A map of any keys.
inline Json MapOf(const Json& values) {
  return {{"type", "object"}, {"additionalProperties", values}};
}
// A map of these keys and no others.
inline Json Map(const Json& properties, const std::vector<std::string>& required = {}) {
  Json map = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) map["required"] = required;
  return map;
}

// Definitions that any schema may refer to: dtype, encoding, sdk, name, names.
Json CommonDefinitions();
// Those of constraints: kind, when, constraint, ...
Json ConstraintDefinitions();
// The keys of a map of constraints that are `NAME: body`, or `PORTS NAME: body` with `ports`.
Json ConstraintSection(bool ports);

// The key of a section: documented or measured, and maybe a range of SDKs.
inline constexpr std::string_view kSectionPattern =
    R"(^(documented|measured)( (\d+\.\d+)?\.\.(\d+\.\d+)?)?$)";

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_JSON_PIECES_H_
