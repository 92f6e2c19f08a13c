// What an expression of a route sees of an op of the graph that the backend gets.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_
#define QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_

#include "core/lower/expression/expr.h"
#include "quantgate/model.h"

namespace quantgate {

class GraphScope : public mapping::Scope {
 public:
  GraphScope(const Model& graph, size_t node) : graph_(graph), node_(graph.nodes[node]) {}

  mapping::Value Attribute(std::string_view name) const override;  // a param
  mapping::PortFacts Port(int64_t port) const override;
  mapping::Value Constant(int64_t port) const override;
  bool IsStatic(int64_t port) const override;
  int64_t InputCount() const override { return static_cast<int64_t>(node_.inputs.size()); }
  int64_t OutputCount() const override { return static_cast<int64_t>(node_.outputs.size()); }
  int64_t Opset() const override { return graph_.opset; }

 private:
  const Tensor* TensorOf(int64_t port) const;  // null where it is not given

  const Model& graph_;
  const Node& node_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_GRAPH_SCOPE_H_
