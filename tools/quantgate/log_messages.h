// What the messages of a QNN, ONNX Runtime or ExecuTorch log mean.
#ifndef QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGES_H_
#define QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGES_H_

#include <cstddef>
#include <string>
#include <string_view>
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
  std::string message;              // the log's own line, printable and cut
  std::string means;                // in our words
  std::vector<std::string> causes;  // what lines before it said of the same op
  std::vector<const Rule*> rules;   // most likely first
  std::vector<MeantNode> meant;     // where a model was given
};

// In the order of the log. Lines that nobody knows are passed over.
std::vector<LogFinding> ExplainLog(std::string_view log);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_LOG_MESSAGES_H_
