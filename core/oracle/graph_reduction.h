// The smallest part of a graph that still fails: delta debugging over ops, then over dimensions.
#ifndef QUANTGATE_CORE_ORACLE_GRAPH_REDUCTION_H_
#define QUANTGATE_CORE_ORACLE_GRAPH_REDUCTION_H_

#include <functional>

#include "quantgate/model.h"

namespace quantgate::verify {

using GraphFails = std::function<bool(const Model&)>;

// No single op of the result can be left out, and no dimension that several tensors may share be
// halved. `graph` fails.
Model SmallestThatFails(const Model& graph, const GraphFails& fails);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_GRAPH_REDUCTION_H_
