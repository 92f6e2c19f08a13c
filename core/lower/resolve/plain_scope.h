// What an expression sees of a node of a model as it is, with nothing resolved.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_PLAIN_SCOPE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_PLAIN_SCOPE_H_

#include "core/lower/expression/expr.h"
#include "quantgate/model.h"

namespace quantgate {

class PlainScope : public mapping::Scope {
 public:
  PlainScope(const Model& model, const Node& node) : model_(model), node_(node) {}

  mapping::Value Attribute(std::string_view name) const override;
  mapping::PortFacts Port(int64_t port) const override;  // type and shape
  mapping::Value Constant(int64_t port) const override;
  bool IsStatic(int64_t port) const override;
  bool IsStored(int64_t port) const override { return IsStatic(port); }
  bool IsAtEdge(int64_t port) const override;
  int64_t InputCount() const override { return static_cast<int64_t>(node_.inputs.size()); }
  int64_t OutputCount() const override { return static_cast<int64_t>(node_.outputs.size()); }
  int64_t Opset() const override { return model_.opset; }

 protected:
  const Tensor* TensorAt(int64_t port) const;  // null where it is not given

 private:
  const Model& model_;
  const Node& node_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_PLAIN_SCOPE_H_
