// quantgate verify MODEL --graph: runs `python -m quantgate graph`, which asks ONNX Runtime's provider.
#ifndef QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_H_
#define QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_H_

#include <string>
#include <vector>

#include "quantgate/target.h"

namespace quantgate::cli {

struct VerifyGraph {
  const std::vector<std::string>& models;
  const TargetSpec& target;
  const std::string &python, &inputs, &format, &output;
  uint64_t seed = 1;
  int timeout_seconds = 0;  // 0 = as the program has it
  bool reduce = false, verbose = false;
};

// Becomes that program; returns an exit status only where it can't be started.
int RunVerifyGraph(const VerifyGraph& asked);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_GRAPH_H_
