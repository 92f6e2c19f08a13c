// What a line is about whose message nobody knows: by its words, by the terms and the codes in it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TOPICS_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TOPICS_H_

#include <string>
#include <string_view>

#include "tools/quantgate/log/log_answer.h"
#include "tools/quantgate/log/log_table.h"

namespace quantgate::cli {

// Adds to `finding`, which may say who speaks already, the topics of the line: what it is about and
// what to do about such things. False if it has none.
bool AddTopics(const LogTable& table, std::string_view line, LogFinding& finding);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_TOPICS_H_
