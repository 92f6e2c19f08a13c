#include "core/oracle/judgement_json.h"

#include <string>

#include "nlohmann/json.hpp"

namespace quantgate::verify {

Judgement ReadJudgement(const nlohmann::json& said) {
  Judgement judgement;
  if (!said.contains("result")) {
    judgement.reason = said.value("reason", "no float reference");
    return judgement;
  }
  const std::string result = said.value("result", "");
  judgement.values = result == ValuesName(Values::kRight)   ? Values::kRight
                     : result == ValuesName(Values::kWrong) ? Values::kWrong
                                                            : Values::kBetween;
  judgement.steps = said.value("steps", 0.0);
  judgement.fraction = said.value("fraction", 0.0);
  judgement.share = said.value("share", 0.0);
  return judgement;
}

}  // namespace quantgate::verify
