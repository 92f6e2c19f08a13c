// The branch of an If whose condition is a constant, in the place of the If.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_BRANCHES_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_BRANCHES_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::onnx {

inline constexpr std::string_view kControlFlow =
    "control flow: a subgraph of its own runs inside it";

// The nodes of a subgraph, which follow the node that holds it, and what it gives.
struct Subgraph {
  int32_t begin = 0, end = 0;
  std::vector<TensorId> outputs;  // kNoTensor = of no tensor that is known here
};

// A node with subgraphs. Of an If both branches are kept, of any other none.
struct Holder {
  int32_t node = -1;
  Subgraph then_branch, else_branch;
  bool is_if() const { return !then_branch.outputs.empty() && !else_branch.outputs.empty(); }
};

// Puts what runs into the graph where the values of conditions are known, as ONNX Runtime does when
// it loads a model: the nodes of that branch are checked like others, those of the other one are
// gone, and the If becomes an Identity. Ifs of one output only. `holders`: in the order of the
// nodes, adapted to what is left. Whether anything was changed.
bool TakeKnownBranches(Model& model, std::vector<Holder>& holders);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_BRANCHES_H_
