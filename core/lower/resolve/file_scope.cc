#include "core/lower/resolve/file_scope.h"

#include "core/lower/resolve/node_scope.h"

namespace quantgate {

using mapping::PortFacts;
using mapping::Value;

const Tensor* FileScope::TensorAt(int64_t port) const {
  const auto at = [&](const auto& ids, int64_t i) -> const Tensor* {
    if (i >= static_cast<int64_t>(ids.size())) return nullptr;
    const TensorId id = ids[static_cast<size_t>(i)];
    return id == kNoTensor ? nullptr : &model_.tensors[static_cast<size_t>(id)];
  };
  return port < 0 ? at(node_.outputs, -1 - port) : at(node_.inputs, port);
}

Value FileScope::Attribute(std::string_view name) const {
  if (const Param* param = node_.FindParam(name)) return ValueOf(param->value);
  const mapping::Expr* value = mapping_.Default(name);
  return value != nullptr ? value->Eval(*this) : Value::Null();
}

PortFacts FileScope::Port(int64_t port) const {
  PortFacts facts;
  const Tensor* tensor = TensorAt(port);
  if (tensor == nullptr) return facts;
  facts.given = true;
  facts.dtype = tensor->dtype;
  facts.known_rank = !tensor->unknown_rank;
  facts.dims = tensor->dims;
  return facts;
}

Value FileScope::Constant(int64_t port) const {
  const Tensor* tensor = TensorAt(port);
  if (tensor == nullptr) return Value::Null();
  if (!tensor->is_static) return Value::Null(Value::Why::kDynamic);
  if (tensor->values == nullptr) return Value::Null(Value::Why::kNotKept);
  if (tensor->values->reals.empty()) {
    return Value::List(mapping::Ints(tensor->values->ints.begin(), tensor->values->ints.end()));
  }
  Value v;
  v.type = Value::Type::kReals;
  v.reals = tensor->values->reals;
  return v;
}

bool FileScope::IsStatic(int64_t port) const {
  const Tensor* tensor = TensorAt(port);
  return tensor != nullptr && tensor->is_static;
}

}  // namespace quantgate
