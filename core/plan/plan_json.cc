// The plan as JSON. Entries are written one by one, a line each.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "quantgate/plan.h"
#include "quantgate/version.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

// Names come from files and may be any bytes: what isn't UTF-8 becomes U+FFFD.
std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Items, typename ToJson>
void AddList(std::string& text, std::string_view key, const Items& items, ToJson to_json) {
  text += ",\n  \"";
  text += key;
  text += "\": [";
  bool first = true;
  for (const auto& item : items) {
    text += std::exchange(first, false) ? "\n    " : ",\n    ";
    text += Dump(to_json(item));
  }
  text += first ? "]" : "\n  ]";
}

template <typename Texts>
Json List(const Texts& texts) {
  Json list = Json::array();
  for (const auto& text : texts) list.push_back(std::string_view(text));
  return list;
}

void AddText(Json& json, const char* key, const SharedString& text) {
  if (!text.empty()) json[key] = text.view();
}

Json ToJson(const PlannedNode& node) {
  Json json = {{"name", node.name.view()}, {"op", node.op.view()}};
  if (!node.into.empty()) {
    json["into"] = node.into.view();
    return json;
  }
  json["wished"] = node.wished.view();
  json["fit"] = PlanFitName(node.fit);
  json["ops"] = Json::array();
  for (const PlannedOp& op : node.ops) {
    Json& entry = json["ops"].emplace_back(Json{{"op", op.op.view()}});
    AddText(entry, "row", op.row);
    AddText(entry, "precision", op.precision);
    if (!op.constraints.empty()) entry["constraints"] = List(op.constraints);
  }
  AddText(json, "reason", node.reason);
  AddText(json, "rule", node.rule);
  AddText(json, "constraint", node.constraint);
  if (node.converts > 0) json["converts"] = node.converts;
  return json;
}

std::string_view KindKey(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kPerTensor:
      return "perTensor";
    case EncodingKind::kPerChannel:
      return "perChannel";
    case EncodingKind::kBlock:
      return "block";
    case EncodingKind::kLpbq:
      return "lpbq";
    case EncodingKind::kNone:
      break;
  }
  return "";
}

Json ToJson(const PlannedTensor& tensor) {
  Json json = {{"name", tensor.name.view()},
               {"role", TensorRoleName(tensor.role)},
               {"dtype", DtypeName(tensor.dtype)}};
  if (tensor.internal) json["internal"] = true;
  if (tensor.kind == EncodingKind::kNone) return json;
  json["encoding"] = KindKey(tensor.kind);
  json["symmetric"] = tensor.symmetric;
  if (tensor.bits > 0) json["bits"] = tensor.bits;
  if (tensor.axis >= 0) {
    json["axis"] = tensor.axis;
    json["fileAxis"] = tensor.file_axis;
  }
  if (tensor.block_size > 0) json["blockSize"] = tensor.block_size;
  if (tensor.scale) json["scale"] = *tensor.scale;
  if (tensor.zero_point) json["zeroPoint"] = *tensor.zero_point;
  if (tensor.least_scale > 0) json["leastScale"] = tensor.least_scale;
  AddText(json, "sharesWith", tensor.shares_with);
  AddText(json, "derivedFrom", tensor.derived_from);
  if (!tensor.constraints.empty()) json["constraints"] = List(tensor.constraints);
  return json;
}

Json ToJson(const PlannedConvert& convert) {
  Json json = {{"tensor", convert.tensor.view()},
               {"node", convert.node.view()},
               {"port", convert.port.view()},
               {"from", DtypeName(convert.from)},
               {"to", DtypeName(convert.to)}};
  if (convert.scale) json["scale"] = *convert.scale;
  if (convert.zero_point) json["zeroPoint"] = *convert.zero_point;
  AddText(json, "sharesWith", convert.shares_with);
  if (convert.elements > 0) json["elements"] = convert.elements;
  json["reason"] = convert.reason.view();
  return json;
}

}  // namespace

std::string PlanJson(const Plan& plan) {
  Json target = {{"backend", plan.backend}, {"sdk", plan.sdk}, {"arch", plan.arch}};
  if (!plan.soc.empty()) target["soc"] = plan.soc;
  Json wish = {{"precision", plan.precision}};
  if (!plan.weights.empty()) wish["weights"] = plan.weights;
  wish["minimize"] = plan.minimize;
  Json summary = {{"nodes", plan.nodes.size()}};
  for (int i = 0; i < kPlanFitCount; ++i) {
    const auto fit = static_cast<PlanFit>(i);
    summary[std::string(PlanFitName(fit))] = plan.count(fit);
  }
  summary["converts"] = plan.converts.size();
  std::string text = "{\n  \"schemaVersion\": \"2\"";
  const auto field = [&](std::string_view key, const Json& value) {
    text += ",\n  \"";
    text += key;
    text += "\": " + Dump(value);
  };
  field("tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}});
  field("model", plan.model);
  field("target", target);
  field("route", plan.route);
  field("wish", wish);
  field("summary", summary);
  field("notes", List(plan.notes));
  const auto to_json = [](const auto& item) { return ToJson(item); };
  AddList(text, "nodes", plan.nodes, to_json);
  AddList(text, "tensors", plan.tensors, to_json);
  AddList(text, "converts", plan.converts, to_json);
  return text + "\n}\n";
}

}  // namespace quantgate
