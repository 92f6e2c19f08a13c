#include "core/oracle/answer_json.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/oracle/tensor_data.h"
#include "nlohmann/json.hpp"

namespace quantgate::verify {
namespace {

using Json = nlohmann::ordered_json;

std::string Hex(uint64_t code) { return absl::StrCat("0x", absl::Hex(code)); }

// JSON has no NaN and no infinities.
Json RealValue(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

Json ValuesJson(const std::vector<uint8_t>& bytes, Dtype dtype) {
  const TensorValues values = UnpackValues(bytes, dtype);
  if (!IsFloat(dtype)) return values.ints;
  Json reals = Json::array();
  for (const double value : values.reals) reals.push_back(RealValue(value));
  return reals;
}

}  // namespace

std::string AnswerLine(std::string_view source, const Model& model, const Node& node,
                       const Answer& answer) {
  Json line;
  line["model"] = source;
  line["node"] = node.name;
  line["op"] = node.op;
  if (!answer.not_queried.empty()) {
    line["validate"] = "not queried";
    line["message"] = answer.not_queried;
  } else {
    const StageAnswer& validated = answer[Stage::kValidate];
    line["validate"] = OutcomeText(Stage::kValidate, validated);
    if (validated.outcome == Outcome::kFails) line["code"] = Hex(validated.code);
    if (!validated.message.empty()) line["message"] = validated.message;
  }
  for (const Stage stage : {Stage::kPrepare, Stage::kExecute}) {
    const StageAnswer& said = answer[stage];
    if (said.outcome == Outcome::kNotQueried) continue;
    std::string text = OutcomeText(stage, said);
    if (said.outcome == Outcome::kFails)
      absl::StrAppend(&text, " ", said.step, " ", Hex(said.code));
    line[std::string(StageName(stage))] = text;
    if (!said.message.empty())
      line[absl::StrCat(absl::string_view(StageName(stage).data(), StageName(stage).size()),
                        "_message")] = said.message;
  }
  if (!answer.data.empty()) {
    Json& tensors = line["tensors"] = Json::object();
    for (const auto& [id, bytes] : answer.data) {
      const Tensor& tensor = model.tensors[static_cast<size_t>(id)];
      tensors[tensor.name] = {
          {"dtype", DtypeName(tensor.dtype)},
          {"dims", std::vector<int64_t>(tensor.dims.begin(), tensor.dims.end())},
          {"values", ValuesJson(bytes, tensor.dtype)}};
    }
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quantgate::verify
