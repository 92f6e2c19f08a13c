// What the expressions of a mapping see of a node as the file has it, before anything is resolved.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_

#include "core/lower/expression/expr.h"
#include "core/lower/resolve/mapping.h"
#include "quantgate/model.h"

namespace quantgate {

class FileScope : public mapping::Scope {
 public:
  FileScope(const Model& model, const Node& node, const mapping::OpMapping& mapping)
      : model_(model), node_(node), mapping_(mapping) {}

  mapping::Value Attribute(std::string_view name) const override;
  mapping::PortFacts Port(int64_t port) const override;
  mapping::Value Constant(int64_t port) const override;
  bool IsStatic(int64_t port) const override;
  int64_t InputCount() const override { return static_cast<int64_t>(node_.inputs.size()); }
  int64_t OutputCount() const override { return static_cast<int64_t>(node_.outputs.size()); }
  int64_t Opset() const override { return model_.opset; }

 private:
  const Tensor* TensorAt(int64_t port) const;  // null where it is not given

  const Model& model_;
  const Node& node_;
  const mapping::OpMapping& mapping_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_FILE_SCOPE_H_
