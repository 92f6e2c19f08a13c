// What the expressions of a mapping see of a node.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_NODE_SCOPE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_NODE_SCOPE_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "core/lower/expression/expr.h"
#include "core/lower/resolve/source_resolver.h"

namespace quantgate {

// A param as an expression sees it.
mapping::Value ValueOf(const ParamValue& param);
// The values of a constant, as many as it has elements.
mapping::Value ConstantOf(const TensorValues& values, const Tensor& tensor);

class NodeScope : public mapping::Scope {
 public:
  NodeScope(const SourceResolver& resolver, int32_t node) : resolver_(resolver), node_(node) {}

  mapping::Value Attribute(std::string_view name) const override;
  mapping::PortFacts Port(int64_t port) const override;
  mapping::Value Constant(int64_t port) const override;
  bool IsStatic(int64_t port) const override;
  bool IsStored(int64_t port) const override;
  bool IsAtEdge(int64_t port) const override;
  bool IsRead(int64_t port) const override;
  bool IsReadBefore(int64_t port) const override;
  std::string_view Neighbour(int64_t port) const override;
  std::string_view MakerOf(int64_t port) const override;
  bool IsReadOnlyBy(int64_t port, std::string_view op) const override;
  bool IsReadInFloat(int64_t port) const override;
  bool EndsAt(int64_t port, std::string_view operators, std::string_view end) const override;
  int64_t InputCount() const override;
  int64_t OutputCount() const override;
  int64_t Opset() const override;

 private:
  void AddConstant(TensorId id, mapping::PortFacts& facts) const;
  mapping::Value Dequantized(TensorId id) const;
  // Of the file; none while nodes are classified, before readers are counted.
  std::span<const int32_t> Readers(TensorId id) const;
  const Node& node() const;
  TensorId Tensor(int64_t port) const;  // kNoTensor where it is not given

  const SourceResolver& resolver_;
  int32_t node_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_NODE_SCOPE_H_
