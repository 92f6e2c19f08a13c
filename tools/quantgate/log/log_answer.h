// What is said of a log.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_ANSWER_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_ANSWER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "quantgate/rule.h"

namespace quantgate::cli {

// A node of the model that a message is about, and what a check says of it.
struct MeantNode {
  std::string node, verdict;
  std::string says;  // of the worst finding: "QG301 …"; empty = none
};

// One thing that went wrong; lines that say the same of the same node are one.
struct LogFinding {
  size_t line = 0;   // of the log, from 1
  size_t count = 1;  // lines that say so
  std::string node;  // as the log calls it; may be empty
  std::string op;
  std::string message;               // the log's own line, printable and cut
  std::string means;                 // in our words
  std::string action;                // what to do
  std::string alone;                 // said as well if no cause comes
  std::vector<std::string> causes;   // what lines near it said of the same thing
  std::vector<std::string> effects;  // what lines after it said, which is nothing new
  std::vector<std::string> names;    // codes, chips and versions in the lines, in words
  const Rule* rule = nullptr;
  bool by_words = false;  // the message is unknown, what its words are about is not
  std::vector<MeantNode> meant;  // where a model was given
};

// A line that looks like the message of a failure and that nobody knows.
struct UnknownLine {
  size_t line = 0;
  size_t count = 1;  // lines that differ in numbers only
  std::string message;
};

struct LogAnswer {
  std::vector<LogFinding> findings;  // in the order of the log
  size_t left_out = 0;               // known lines about findings beyond the most that are kept
  std::vector<UnknownLine> unknown;  // the first ones
  size_t unknown_lines = 0;          // all
};

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_LOG_ANSWER_H_
