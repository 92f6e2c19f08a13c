// The field `asRun` of the report's JSON.
#ifndef QUANTGATE_CORE_REPORT_AS_RUN_JSON_H_
#define QUANTGATE_CORE_REPORT_AS_RUN_JSON_H_

#include <nlohmann/json.hpp>

#include "quantgate/report.h"

namespace quantgate {

// `report.as_run` must be there.
nlohmann::ordered_json AsRunJson(const Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_AS_RUN_JSON_H_
