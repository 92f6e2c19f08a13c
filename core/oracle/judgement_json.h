// How values were evaluated, as programs of tools/quantgate/python say it.
#ifndef QUANTGATE_CORE_ORACLE_JUDGEMENT_JSON_H_
#define QUANTGATE_CORE_ORACLE_JUDGEMENT_JSON_H_

#include "nlohmann/json_fwd.hpp"
#include "quantgate/verify.h"

namespace quantgate::verify {

// {"result", "steps", "fraction", "share"}, or {"reason"} where they were not.
Judgement ReadJudgement(const nlohmann::json& said);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_JUDGEMENT_JSON_H_
