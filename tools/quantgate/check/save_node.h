// check --save-node: the smallest model around a node, instead of a report.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_SAVE_NODE_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_SAVE_NODE_H_

#include <string>

#include "quantgate/quantgate.h"
#include "tools/quantgate/cli/output.h"

namespace quantgate::cli {

struct SaveNode {
  std::string node;    // its name
  std::string output;  // .binpb or .pb: binary, else Model JSON
  const EncodingsFile* encodings = nullptr;
};

// The exit status of checking the whole model; kUnusable and one line on stderr where there is no
// such node.
int WriteSmallest(const SaveNode& flags, const Target& target, ValidatorOptions options,
                  const Database& database, Model model, const std::string& source, Output& output);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_SAVE_NODE_H_
