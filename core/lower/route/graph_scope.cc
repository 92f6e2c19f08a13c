#include "core/lower/route/graph_scope.h"

#include "core/ir/encoding_math.h"
#include "core/lower/resolve/node_scope.h"

namespace quantgate {

using mapping::PortFacts;
using mapping::Value;

const Tensor* GraphScope::TensorOf(int64_t port) const {
  const auto at = [this](const auto& ids, size_t i) {
    return i < ids.size() && ids[i] != kNoTensor ? &graph_.tensors[static_cast<size_t>(ids[i])] : nullptr;
  };
  return port < 0 ? at(node_.outputs, static_cast<size_t>(-1 - port)) : at(node_.inputs, static_cast<size_t>(port));
}

Value GraphScope::Attribute(std::string_view name) const {
  const Param* param = node_.FindParam(name);
  return param == nullptr ? Value::Null() : ValueOf(param->value);
}

PortFacts GraphScope::Port(int64_t port) const {
  PortFacts facts;
  const Tensor* tensor = TensorOf(port);
  if (tensor == nullptr) return facts;
  facts.given = true;
  facts.dtype = tensor->dtype;
  facts.known_rank = !tensor->unknown_rank;
  facts.dims = tensor->dims;
  if (IsFixedPoint(tensor->dtype)) {
    facts.quantized = true;
    facts.encoding = &tensor->encoding.get();
    facts.stored = tensor->dtype;
    facts.values = tensor->values.get();
    facts.value_range = tensor->value_range ? &*tensor->value_range : nullptr;
  }
  return facts;
}

Value GraphScope::Constant(int64_t port) const {
  const Tensor* tensor = TensorOf(port);
  if (tensor == nullptr) return Value::Null();
  if (!tensor->is_static) return Value::Null(Value::Why::kDynamic);
  if (tensor->values == nullptr) return Value::Null(Value::Why::kNotKept);
  return ConstantOf(*tensor->values, tensor->rank() == 0);
}

bool GraphScope::IsStatic(int64_t port) const {
  const Tensor* tensor = TensorOf(port);
  return tensor != nullptr && tensor->is_static;
}

}  // namespace quantgate
