#include "core/oracle/comparison_json.h"

#include "quantgate/version.h"

namespace quantgate::verify {
namespace {

using Json = nlohmann::ordered_json;

Json StageJson(Stage stage, const StageAnswer& answer) {
  Json out;
  out["outcome"] = OutcomeText(stage, answer);
  if (answer.outcome == Outcome::kFails) {
    if (!answer.step.empty() && stage != Stage::kValidate) out["step"] = answer.step;
    out["code"] = answer.code;
  }
  if (!answer.message.empty()) out["message"] = answer.message;
  return out;
}

Json NodeJson(const ComparedNode& node) {
  Json out;
  out["name"] = node.name;
  out["op"] = node.op;
  if (!node.source.empty()) out["source"] = node.source;
  if (!node.source_op.empty()) out["sourceOp"] = node.source_op;
  out["agreement"] = AgreementName(node.agreement);
  if (!node.known.empty()) out["known"] = node.known;
  Json& ours = out["quantgate"];
  ours["verdict"] = ConsequenceName(node.verdict);
  ours["constraints"] = node.constraints;
  if (!node.reason.empty()) ours["reason"] = node.reason;
  Json& theirs = out["library"] = Json::object();
  if (!node.answer.not_queried.empty()) {
    theirs["notAsked"] = node.answer.not_queried;
    return out;
  }
  theirs = StagesJson(node.answer);
  if (Json values = JudgementJson(node.judgement); !values.is_null()) {
    out["values"] = std::move(values);
  }
  return out;
}

}  // namespace

Json StagesJson(const Answer& answer) {
  Json out = Json::object();
  for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
    if (answer[stage].outcome == Outcome::kNotQueried) continue;
    out[std::string(StageName(stage))] = StageJson(stage, answer[stage]);
  }
  return out;
}

Json JudgementJson(const Judgement& judgement) {
  Json out;
  if (judgement.values == Values::kNotEvaluated && judgement.reason.empty()) return out;
  out["evaluated"] = judgement.values != Values::kNotEvaluated;
  if (judgement.values == Values::kNotEvaluated) {
    out["reason"] = judgement.reason;
    return out;
  }
  out["result"] = ValuesName(judgement.values);
  out["steps"] = judgement.steps;
  out["fraction"] = judgement.fraction;
  out["share"] = judgement.share;
  return out;
}

void AddHead(const Comparison& comparison, Json& out) {
  Json& target = out["target"];
  target["backend"] = comparison.backend;
  target["sdk"] = comparison.sdk;
  if (!comparison.arch.empty()) target["arch"] = comparison.arch;
  if (!comparison.soc.empty()) target["soc"] = comparison.soc;
  if (!comparison.route.empty()) out["route"] = comparison.route;
  out["library"] = {{"name", comparison.library}, {"buildId", comparison.build_id}};
  Json& queried = out["queried"] = Json::array();
  for (const Stage stage : comparison.asked) queried.push_back(StageName(stage));
}

std::string ComparisonJson(const Comparison& comparison, int indent) {
  Json out;
  out["schemaVersion"] = kJsonSchemaVersion;
  out["tool"] = {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}};
  out["model"] = comparison.model;
  AddHead(comparison, out);
  if (!comparison.notes.empty()) out["notes"] = comparison.notes;
  Json& summary = out["summary"];
  summary["nodes"] = comparison.nodes.size();
  const auto counts = comparison.Counts();
  for (int i = 0; i < kAgreementCount; ++i) {
    summary[std::string(AgreementName(static_cast<Agreement>(i)))] = counts[static_cast<size_t>(i)];
  }
  Json& nodes = out["nodes"] = Json::array();
  for (const ComparedNode* node : comparison.Sorted()) nodes.push_back(NodeJson(*node));
  return out.dump(indent > 0 ? indent : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quantgate::verify
