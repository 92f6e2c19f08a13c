// The JSON Schema of a constraint, from the table of kinds and that of conditions.
#include "core/database/compile/condition_reader.h"
#include "core/database/compile/constraint_form.h"
#include "core/database/compile/document/document_schema.h"
#include "core/database/kinds.h"
#include "quantgate/consequence.h"
#include "tools/opdefc/json_pieces.h"

namespace quantgate::opdefs {
namespace {

Json OneOf(std::string_view choices) {
  Json names = Json::array();
  for (const std::string_view name : Choices(choices)) names.push_back(name);
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
      return Ref("whole");
    case FieldType::kInts:
      return OneOrMany(Ref("whole"));
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
      return OneOf(field.choices);
    case FieldType::kValue:
      return {{"type", {"number", "string", "boolean"}}};
    case FieldType::kValues:
      return OneOrMany({{"type", {"number", "string", "boolean"}}});
  }
  return Json::object();
}

bool IsAnyOf(const KindRow& kind) { return kind.kind == opdb::Kind::kAnyOf; }

std::string NameOf(const KindRow& kind) { return std::string(kind.name); }

// Alternatives: lists of constraints that hold together.
Json Alternatives() {
  return {{"type", "array"}, {"minItems", 2}, {"items", SomeOf(Ref("inner"))}};
}

Json FieldsOf(const KindRow& kind) {
  Json properties = Json::object();
  for (const Field& field : kind.fields) {
    properties[std::string(field.name)] = FieldSchema(field);
  }
  if (IsAnyOf(kind)) properties["of"] = Alternatives();
  return properties;
}

// A map of the fields, with `also` added.
Json FieldMap(const KindRow& kind, const Json& also) {
  Json properties = FieldsOf(kind);
  std::vector<std::string> required;
  std::vector<Json> some;
  for (const Field& field : kind.fields) {
    if (field.required) required.emplace_back(field.name);
    some.push_back({{"required", {field.name}}});
  }
  if (IsAnyOf(kind)) required.emplace_back("of");
  properties.update(also);
  Json map = Map(properties, required);
  if (kind.min_fields > 0 && required.empty()) map["anyOf"] = some;
  return map;
}

// What may stand for the fields: the main one, `min..max`, nothing.
std::vector<Json> ShortValues(const KindRow& kind) {
  std::vector<Json> values;
  const bool none = kind.min_fields == 0 && !IsAnyOf(kind) &&
                    std::none_of(kind.fields.begin(), kind.fields.end(),
                                 [](const Field& field) { return field.required; });
  if (none) values.push_back(Typed("null"));
  if (kind.range) values.push_back(Matching(R"(\.\.)"));
  if (IsAnyOf(kind)) values.push_back(Alternatives());
  for (const Field& field : kind.fields) {
    if (field.name == kind.principal) values.push_back(FieldSchema(field));
  }
  return values;
}

// `KIND: value` within the map of a constraint.
Json ValueSchema(const KindRow& kind) {
  std::vector<Json> values = ShortValues(kind);
  values.push_back(FieldMap(kind, Json::object()));
  return AnyOf(values);
}

Json CondValueSchema(CondValues values) {
  switch (values) {
    case CondValues::kDtypes:
      return OneOrMany(Ref("dtype"));
    case CondValues::kEncodings:
      return OneOrMany(Ref("encoding"));
    case CondValues::kNumbers:
      return OneOrMany(Ref("whole"));
    case CondValues::kNumber:
      return Ref("whole");
    case CondValues::kFlag:
      return Typed("boolean");
    case CondValues::kPairs:
      return MapOf(Ref("whole"));
  }
  return Json::object();
}

Json WhenSchema() {
  Json properties = Json::object();
  for (const ConditionKey& key : ConditionKeys()) {
    Json value = CondValueSchema(key.values);
    if (key.of == CondOf::kPorts) value = MapOf(value);
    if (key.of == CondOf::kParams) {
      value = MapOf(OneOrMany({{"type", {"number", "string", "boolean"}}}));
    }
    properties[std::string(key.name)] = value;
  }
  Json when = Map(properties);
  when["minProperties"] = 1;
  return when;
}

// By name, so that the schema of each kind refers to them.
Json CommonKeyDefinition(std::string_view key) {
  if (key == "when") return WhenSchema();
  if (key == "groups") return OneOrMany(Typed("string"));
  if (key == "measured") {
    return AnyOf({Ref("consequence"),
                  {{"type", "object"},
                   {"minProperties", 1},
                   {"maxProperties", 1},
                   {"additionalProperties", Ref("consequence")}}});
  }
  if (key == "each") return Matching(R"(^\d+\.\.\d+$)");
  return key == "untested" ? Typed("boolean") : Typed("string");
}

Json CommonKeySchemas() {
  Json properties = Json::object();
  for (const std::string_view key : CommonKeys()) properties[std::string(key)] = Ref(key);
  properties["breach"] = Ref("consequence");
  properties["sources"] = Ref("names");
  properties["each"] = Ref("each");
  return properties;
}

Json With(Json properties, const std::string& name, const Json& schema) {
  properties[name] = schema;
  return properties;
}

// `rank: ...`: a constraint that is named by its kind.
Json NamedByKind(const KindRow& kind) {
  if (kind.kind == opdb::Kind::kNote) return Ref("constraint");
  const Json common = CommonKeySchemas();
  std::vector<Json> forms = ShortValues(kind);
  forms.push_back(FieldMap(kind, common));
  forms.push_back(Map(With(common, NameOf(kind), Ref("value-" + NameOf(kind))), {NameOf(kind)}));
  return AnyOf(forms);
}

// A map with the name of exactly one kind.
Json OneKind(Json properties, bool inner) {
  Json branches = Json::array();
  Json kinds = Json::array();
  for (const KindRow& kind : opdb::Kinds()) {
    if (kind.kind == opdb::Kind::kNote || (inner && IsAnyOf(kind))) continue;
    properties[NameOf(kind)] = Ref("value-" + NameOf(kind));
    branches.push_back({{"required", {NameOf(kind)}}});
  }
  kinds = branches;
  if (!inner) {
    // A note says nothing that is checked: it has no other kind.
    properties["topic"] = Typed("string");
    branches.push_back({{"required", {"note"}}, {"not", {{"anyOf", kinds}}}});
  }
  Json map = Map(properties);
  map["oneOf"] = branches;
  return map;
}

Json ConsequenceNames() {
  Json names = Json::array();
  for (int i = 0; i < kConsequenceCount; ++i) {
    const auto value = static_cast<Consequence>(i);
    if (value != Consequence::kAccepted && value != Consequence::kUnchecked) {
      names.push_back(ConsequenceName(value));
    }
  }
  return names;
}

}  // namespace

Json ConstraintDefinitions() {
  Json all = {{"expr", {{"type", {"integer", "string"}}}},
              {"whole", AnyOf({Typed("integer"), Matching(R"(\$|^INT32_)")})},
              {"port", Matching(R"(^(in|out)\d+(\.\.m)?$|^this$)")},
              {"consequence", {{"enum", ConsequenceNames()}}}};
  for (const std::string_view key : {"when", "groups", "measured", "note", "untested", "each"}) {
    all[std::string(key)] = CommonKeyDefinition(key);
  }
  Json names = Json::array(), bare = Json::array();
  for (const KindRow& kind : opdb::Kinds()) {
    names.push_back(NameOf(kind));
    if (kind.kind == opdb::Kind::kNote) continue;
    all["value-" + NameOf(kind)] = ValueSchema(kind);
    const auto values = ShortValues(kind);
    if (!values.empty() && values[0] == Typed("null")) bare.push_back(NameOf(kind));
  }
  all["kind"] = {{"enum", names}};
  all["inner"] =
      OneKind({{"port", Typed("string")}, {"when", Ref("when")}}, true);
  all["constraint"] = AnyOf({{{"enum", bare}}, OneKind(CommonKeySchemas(), false)});
  for (const KindRow& kind : opdb::Kinds()) all["named-" + NameOf(kind)] = NamedByKind(kind);
  return all;
}

Json ConstraintSection(bool ports) {
  Json patterns = Json::object();
  for (const KindRow& kind : opdb::Kinds()) {
    std::string name = NameOf(kind);
    std::replace(name.begin(), name.end(), '_', '-');
    patterns[std::string(ports ? " " : "^") + name + "$"] = Ref("named-" + NameOf(kind));
  }
  Json section = {{"type", "object"},
                  {"patternProperties", patterns},
                  {"additionalProperties", Ref("constraint")}};
  if (ports) section["propertyNames"] = {{"pattern", R"(^\S+( \S+)+$)"}};
  return section;
}

}  // namespace quantgate::opdefs
