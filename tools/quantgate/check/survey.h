// `check --all-socs`: models against every chip.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_SURVEY_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_SURVEY_H_

#include "absl/status/status.h"
#include "quantgate/config.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/check/flags.h"

namespace quantgate::cli {

// InvalidArgument where a flag was given that --all-socs has no use for.
absl::Status CheckAllSocs(const CheckFlags& flags);

// Reports the table of chips, in text or JSON; the exit status.
int RunSurvey(const CheckFlags& flags, const Config& config, const ReadOptions& input, bool json,
              const Database& database);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_SURVEY_H_
