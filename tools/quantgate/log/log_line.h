// What one line of a log says, by the entry of the table that fits it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_LINE_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_LINE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tools/quantgate/log/log_answer.h"
#include "tools/quantgate/log/log_table.h"

namespace quantgate::cli {

// Lines within which one belongs to another: a cause stands shortly before the verdict it belongs
// to, and what follows from it shortly after.
inline constexpr size_t kNearLines = 20;

// The line without the times before its words, "2026-11-28 10:00:00.123 " and "12.3ms ", so that
// lines that differ in them only are one.
std::string_view WithoutTime(std::string_view line);

// A line as it is shown: printable and cut.
std::string Shown(std::string_view line);

// What fills the list up to eight parts.
void AddOnce(std::vector<std::string>& list, const std::string& text);

// The facts in words, printable, once each.
void AddFacts(const std::vector<LogFact>& facts, LogFinding& finding);

// All but the message, which few lines need. `number`: of the line, from 1.
LogFinding DescribeLine(const LogTable& table, std::string_view line, size_t number,
                        const LogEntry& entry, const LogPattern::Captures& captures);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_LINE_H_
