#include "core/lower/resolve/plain_scope.h"

#include <absl/algorithm/container.h>

#include <vector>

#include "core/lower/resolve/node_scope.h"

namespace quantgate {

using mapping::PortFacts;
using mapping::Value;

const Tensor* PlainScope::TensorAt(int64_t port) const {
  const auto at = [this](const auto& ids, size_t i) {
    return i < ids.size() && ids[i] != kNoTensor ? &model_.tensors[static_cast<size_t>(ids[i])] : nullptr;
  };
  return port < 0 ? at(node_.outputs, static_cast<size_t>(-1 - port)) : at(node_.inputs, static_cast<size_t>(port));
}

Value PlainScope::Attribute(std::string_view name) const {
  const Param* param = node_.FindParam(name);
  return param == nullptr ? Value::Null() : ValueOf(param->value);
}

PortFacts PlainScope::Port(int64_t port) const {
  PortFacts facts;
  const Tensor* tensor = TensorAt(port);
  if (tensor == nullptr) return facts;
  facts.given = true;
  facts.dtype = tensor->dtype;
  facts.known_rank = !tensor->unknown_rank;
  facts.dims = tensor->dims;
  return facts;
}

Value PlainScope::Constant(int64_t port) const {
  const Tensor* tensor = TensorAt(port);
  if (tensor == nullptr) return Value::Null();
  if (!tensor->is_static) return Value::Null(Value::Why::kDynamic);
  if (tensor->values == nullptr) return Value::Null(Value::Why::kNotKept);
  return ConstantOf(*tensor->values, *tensor);
}

bool PlainScope::IsAtEdge(int64_t port) const {
  const auto listed = [](const auto& ids, int64_t i, const std::vector<TensorId>& edge) {
    return i < static_cast<int64_t>(ids.size()) && absl::c_linear_search(edge, ids[static_cast<size_t>(i)]);
  };
  return port < 0 ? listed(node_.outputs, -1 - port, model_.outputs)
                  : listed(node_.inputs, port, model_.inputs);
}

bool PlainScope::IsStatic(int64_t port) const {
  const Tensor* tensor = TensorAt(port);
  return tensor != nullptr && tensor->is_static;
}

}  // namespace quantgate
