#include "tools/opdefc/json_schema.h"

#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "tools/opdefc/json_pieces.h"

namespace quantgate::opdefs {
namespace {

Json DtypeNames() {
  Json names = Json::array();
  for (int i = 1; i < kDtypeCount; ++i) names.push_back(DtypeShortName(static_cast<Dtype>(i)));
  return names;
}

std::string Text(std::string_view title, const Json& body, const Json& definitions) {
  Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"title", title},
                 {"description", "Written by `opdefc schema`; opdefs/README.md explains the keys."}};
  schema.update(body);
  schema["definitions"] = definitions;
  return schema.dump(1) + "\n";
}

// "U16 U8|S8 -": a dtype a port.
std::string RowPattern() {
  std::string cell = "(any|-";
  for (const Json& name : DtypeNames()) cell += "|" + name.get<std::string>();
  cell += ")";
  const std::string column = cell + R"((\|)" + cell + ")*";
  return "^" + column + "( " + column + ")*$";
}

Json Rows() {
  const Json text = OneOrMany(Ref("row"));
  const Json keys = {{"row", Ref("row")},
                     {"rows", SomeOf(Ref("row"))},
                     {"arch", Ref("arch")},
                     {"verdict", {{"const", "undocumented"}}},
                     {"undocumented_until", Ref("sdk")},
                     {"needs", ListOf(Typed("string"))},
                     {"untested", Typed("boolean")},
                     {"sources", Ref("names")}};
  Json options = Map(keys);
  options["oneOf"] = {{{"required", {"row"}}}, {{"required", {"rows"}}}};
  return {{"type", "object"},
          {"patternProperties",
           {{kSectionPattern,
             {{"type", "object"},
              {"propertyNames", {{"pattern", R"(^[^.]+\..+$)"}}},
              {"additionalProperties", AnyOf({text, options})}}}}},
          {"additionalProperties", false}};
}

Json Ports() {
  const Json keys = {{"role", Typed("string")},
                     {"variadic", Typed("boolean")},
                     {"optional", Typed("boolean")},
                     {"channel_axis", WholeFrom(-8, 7)}};
  return ListOf(AnyOf({Typed("string"), Map(keys)}));
}

Json Params() {
  const Json dtype = AnyOf({Ref("dtype"), {{"const", "UNDEFINED"}}});
  const Json keys = {{"dtype", dtype},
                     {"rank", WholeFrom(0, 8)},
                     {"required", Typed("boolean")},
                     {"default", Json::object()},
                     {"values", MapOf(Typed("integer"))}};
  return MapOf(AnyOf({dtype, Map(keys, {"dtype"})}));
}

Json Examples() {
  const Json shapes = ListOf(AnyOf({Typed("null"), ListOf(Typed("integer"))}));
  return ListOf(Map({{"inputs", shapes},
                     {"outputs", shapes},
                     {"params", Typed("object")},
                     {"static", ListOf(Typed("integer"))},
                     {"sparse_inputs", Typed("object")},
                     {"sparse_outputs", Typed("object")},
                     {"tag", Typed("string")},
                     {"each", Typed("string")},
                     {"tags", MapOf(Typed("string"))}},
                    {"inputs", "outputs"}));
}

// Keys of an op and of its cases.
Json WithSections(Json map) {
  map["patternProperties"] = {{kSectionPattern, Ref("section")}};
  return map;
}

std::string OpSchema() {
  const Json names_by_port = MapOf(Ref("names"));
  const Json excluded_by_port = MapOf(OneOrMany(Typed("string")));
  const Json one_case = WithSections(
      Map({{"when", Ref("when")}, {"use", names_by_port}, {"except", excluded_by_port}}, {"when"}));
  Json definitions = CommonDefinitions();
  definitions.update(ConstraintDefinitions());
  definitions["row"] = Matching(RowPattern());
  definitions["section"] = ConstraintSection(true);
  Json body = WithSections(Map({{"op", Typed("string")},
                                {"extends", Typed("boolean")},
                                {"sources", Ref("names")},
                                {"sdk", Matching(R"(^(\d+\.\d+)?\.\.(\d+\.\d+)?$)")},
                                {"arch", Ref("arch")},
                                {"inputs", Ports()},
                                {"outputs", Ports()},
                                {"params", Params()},
                                {"rows", Rows()},
                                {"use", names_by_port},
                                {"except", excluded_by_port},
                                {"cases", ListOf(one_case)},
                                {"revisions", MapOf(OneOrMany(Typed("string")))},
                                {"examples", Examples()}},
                               {"op"}));
  return Text("An op of one backend (opdefs/<backend>/<Op>.yaml)", body, definitions);
}

std::string ProfilesSchema() {
  Json definitions = CommonDefinitions();
  definitions.update(ConstraintDefinitions());
  definitions["section"] = ConstraintSection(false);
  const Json profile = AnyOf({Ref("names"), MapOf(Ref("names"))});
  return Text("What the ops of one backend share (opdefs/<backend>/profiles.yaml)",
              WithSections(Map({{"profiles", MapOf(profile)}})), definitions);
}

std::string SourcesSchema() {
  const Json source = Map({{"id", Typed("string")},
                           {"kind", {{"enum", {"documents", "revision", "measured", "reported"}}}},
                           {"title", Typed("string")},
                           {"sdk", Ref("sdk")},
                           {"partial", Typed("boolean")},
                           {"backends", Ref("names")},
                           {"confirms", MapOf(Ref("names"))}},
                          {"id", "kind", "title", "sdk"});
  return Text("Where the facts come from (opdefs/sources.yaml)",
              Map({{"sources", ListOf(source)}}, {"sources"}), CommonDefinitions());
}

std::string TargetsSchema() {
  const Json backend = Map({{"archs", ListOf(Typed("string"))},
                            {"default_arch", Typed("string")},
                            {"tuple_rows", AnyOf({Typed("boolean"), Ref("sdk")})},
                            {"sdks", SomeOf(Ref("sdk"))},
                            {"dialect", Typed("string")},
                            {"route", Typed("string")},
                            {"unlisted", Typed("string")},
                            {"unlisted_since", Ref("sdk")},
                            {"measured_by", Typed("string")},
                            {"op_validation", Typed("boolean")},
                            {"socs", Typed("boolean")},
                            {"features", MapOf(Ref("names"))}},
                           {"tuple_rows", "sdks"});
  const Json soc = Map({{"id", WholeFrom(0, INT32_MAX)},
                        {"name", Typed("string")},
                        {"aliases", ListOf(Typed("string"))},
                        {"arch", {{"type", {"string", "null"}}}},
                        {"vtcm_mb", WholeFrom(0, 4096)},
                        {"lacks", Ref("names")},
                        {"sources", Ref("names")}},
                       {"id", "name", "arch", "sources"});
  return Text("Backends and chips (opdefs/targets.yaml)",
              Map({{"backends", MapOf(backend)}, {"socs", ListOf(soc)}}), CommonDefinitions());
}

std::string PrecisionsSchema() {
  const Json dtypes = OneOrMany(Ref("dtype"));
  const Json precision = Map({{"id", Typed("string")},
                              {"mark", Matching("^[A-Z]$")},
                              {"title", Typed("string")},
                              {"unweighted", Typed("string")},
                              {"needs_weight", Typed("boolean")},
                              {"data", dtypes},
                              {"weight", dtypes},
                              {"encodings", OneOrMany(Ref("encoding"))},
                              {"bits", WholeFrom(1, 32)}},
                             {"id", "mark", "title", "data", "weight"});
  const Json roles = Map({{"data", ListOf(Typed("string"))}, {"weight", ListOf(Typed("string"))}},
                         {"data", "weight"});
  return Text("What is called a precision (opdefs/precisions.yaml)",
              Map({{"roles", roles}, {"plain", dtypes}, {"precisions", ListOf(precision)}},
                  {"roles", "plain", "precisions"}),
              CommonDefinitions());
}

std::string WaiversSchema() {
  Json keys = Json::object();
  for (const char* key : {"rule", "reason", "op", "port", "node", "backend"}) {
    keys[key] = Typed("string");
  }
  return Text("Findings that an overlay does without (waivers.yaml)",
              Map({{"waivers", ListOf(Map(keys, {"rule", "reason"}))}}, {"waivers"}),
              CommonDefinitions());
}

}  // namespace

Json CommonDefinitions() {
  Json encodings = Json::array();
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    encodings.push_back(QnnEncodingShortName(static_cast<QnnEncoding>(i)));
  }
  // With a hole where a template has its number.
  return {{"dtype", AnyOf({{{"enum", DtypeNames()}}, Matching(R"(\$)")})},
          {"encoding", {{"enum", encodings}}},
          {"sdk", Matching(R"(^\d+\.\d+)")},
          {"arch", OneOrMany(Typed("string"))},
          {"names", SomeOf(Typed("string"))}};
}

std::vector<JsonSchema> JsonSchemas() {
  return {{"op", OpSchema},           {"profiles", ProfilesSchema},
          {"sources", SourcesSchema}, {"targets", TargetsSchema},
          {"precisions", PrecisionsSchema}, {"waivers", WaiversSchema}};
}

}  // namespace quantgate::opdefs
