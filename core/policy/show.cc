#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "quantgate/config.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

Json Codes(const auto& rules) {
  Json codes = Json::array();
  for (const Rule* rule : rules) codes.push_back(rule->code);
  // Sets of pointers have no order of their own.
  std::sort(codes.begin(), codes.end());
  return codes;
}

Json ToJson(const ConfigTarget& target) {
  Json json = {{"backend", target.spec.backend}};
  if (!target.spec.sdk.empty()) json["sdk"] = target.spec.sdk;
  if (!target.spec.soc.empty()) json["soc"] = target.spec.soc;
  if (!target.spec.arch.empty()) json["arch"] = target.spec.arch;
  if (!target.route.empty()) json["route"] = target.route;
  return json;
}

Json ToJson(const SuppressionRule& rule) {
  Json json = Json::object();
  if (!rule.nodes.empty()) json["nodes"] = rule.nodes;
  if (!rule.tensors.empty()) json["tensors"] = rule.tensors;
  if (!rule.models.empty()) json["models"] = rule.models;
  if (!rule.rules.empty()) json["rules"] = Codes(rule.rules);
  json["reason"] = rule.reason;
  if (!rule.expires.empty()) json["expires"] = rule.expires;
  return json;
}

Json ToJson(const Config& config) {
  Json json = Json::object();
  Json targets = Json::array();
  for (const ConfigTarget& target : config.targets) targets.push_back(ToJson(target));
  if (targets.empty()) targets.push_back(ToJson(ConfigTarget()));
  json["targets"] = std::move(targets);
  json["mode"] = ModeName(config.mode.value_or(Mode::kStrict));
  json["fail-on"] = ConsequenceName(config.fail_on.value_or(Consequence::kWrongValues));
  json["select"] = Codes(config.policy.select);
  json["ignore"] = Codes(config.policy.ignore);
  Json levels = Json::object();
  std::vector<const Rule*> rules;
  for (const auto& [rule, level] : config.policy.levels) rules.push_back(rule);
  std::sort(rules.begin(), rules.end(),
            [](const Rule* a, const Rule* b) { return a->code < b->code; });
  for (const Rule* rule : rules) {
    levels[std::string(rule->code)] = RuleLevelName(config.policy.levels.at(rule));
  }
  json["levels"] = std::move(levels);
  json["opdefs"] = config.opdefs;
  if (!config.baseline.empty()) json["baseline"] = config.baseline;
  Json suppressions = Json::array();
  for (const SuppressionRule& rule : config.policy.suppressions) {
    suppressions.push_back(ToJson(rule));
  }
  json["suppressions"] = std::move(suppressions);
  return json;
}

std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string ShowConfig(const Config& config, bool json) {
  const Json all = ToJson(config);
  if (json) return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  // JSON is YAML: a key and a value a line, an item of a longer list a line.
  std::string text = "# " +
                     (config.file.empty() ? std::string("no configuration file: defaults")
                                          : "from " + Printable(config.file)) +
                     "\n";
  for (const auto& [key, value] : all.items()) {
    if (value.is_array() && !value.empty() && value.front().is_object()) {
      text += key + ":\n";
      for (const Json& item : value) text += "  - " + Dump(item) + "\n";
    } else {
      text += key + ": " + Dump(value) + "\n";
    }
  }
  return text;
}

}  // namespace quantgate
