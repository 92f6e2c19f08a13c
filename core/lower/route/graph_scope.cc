#include "core/lower/route/graph_scope.h"

namespace quantgate {

mapping::PortFacts GraphScope::Port(int64_t port) const {
  mapping::PortFacts facts = PlainScope::Port(port);
  if (!facts.given || !IsFixedPoint(facts.dtype)) return facts;
  const Tensor& tensor = *TensorAt(port);
  facts.quantized = true;
  facts.encoding = &tensor.encoding.get();
  facts.stored = tensor.dtype;
  facts.values = tensor.values.get();
  facts.value_range = tensor.value_range ? &*tensor.value_range : nullptr;
  return facts;
}

}  // namespace quantgate
