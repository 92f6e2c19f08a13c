// `check --all-socs`: the table of chips for a model.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_ALL_SOCS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_ALL_SOCS_H_

#include <string>

#include "quantgate/report_text.h"
#include "quantgate/survey.h"

namespace quantgate::cli {

struct TimedSurvey {
  std::string model;  // FILE or FILE:LINE
  Survey survey;
  double milliseconds = 0;  // of resolving and checking for all chips
};

std::string SurveyText(const TimedSurvey& timed, const TextOptions& options);
// The JSON of docs/schemas/survey.schema.json; ends without a line feed.
std::string SurveyJson(const TimedSurvey& timed, int indent);

// 0 where one chip at least passes the mode, else 1.
int SurveyExitCode(const Survey& survey);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_ALL_SOCS_H_
