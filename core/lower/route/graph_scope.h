// What an expression of a route sees of an op of the graph that the backend gets.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_
#define QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_

#include "core/lower/resolve/plain_scope.h"

namespace quantgate {

class GraphScope : public PlainScope {
 public:
  GraphScope(const Model& graph, size_t node) : PlainScope(graph, graph.nodes[node]) {}

  mapping::PortFacts Port(int64_t port) const override;  // with encodings, which are the tensors' own here
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_
