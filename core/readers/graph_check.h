// What every graph must be, whatever file it came from.
#ifndef QUANTGATE_CORE_READERS_GRAPH_CHECK_H_
#define QUANTGATE_CORE_READERS_GRAPH_CHECK_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

struct GraphProblem {
  int32_t node = -1;  // -1: an output of the graph, at `port`
  int32_t port = 0;
  bool is_input = true;  // `port` counts inputs of the node; else outputs
  std::string reason;    // `tensor "t" is never produced`
};

// The first of: a tensor with two producers, a consumed tensor or graph output that nothing
// provides, a cycle. Nodes with an `unchecked_reason` may consume anything (what a control-flow
// body takes comes from outside the graph's edges). `order`, if not null, gets the nodes so that
// producers come before consumers.
std::optional<GraphProblem> FindGraphProblem(const Model& model, std::vector<int32_t>* order);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_GRAPH_CHECK_H_
