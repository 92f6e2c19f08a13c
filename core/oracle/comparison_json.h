// What a library answered, as the JSON of comparisons and records has it.
#ifndef QUANTGATE_CORE_ORACLE_COMPARISON_JSON_H_
#define QUANTGATE_CORE_ORACLE_COMPARISON_JSON_H_

#include "nlohmann/json.hpp"
#include "quantgate/verify.h"

namespace quantgate::verify {

// By stage: {"validate": {"outcome": "rejected", "code": 3110, "message": …}}.
nlohmann::ordered_json StagesJson(const Answer& answer);
// Null where nothing was executed.
nlohmann::ordered_json JudgementJson(const Judgement& judgement);
// backend, sdk, and of arch and soc what is given; name and build of the library; the stages.
void AddHead(const Comparison& comparison, nlohmann::ordered_json& out);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_COMPARISON_JSON_H_
