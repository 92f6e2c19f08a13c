// Whether a tensor is computed from constants only.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_CONST_CHAIN_H_
#define QUANTGATE_CORE_RULES_SUPPORT_CONST_CHAIN_H_

#include "quantgate/model.h"

namespace quantgate::rules {

// `tensor` is one of `graph.tensors`. Linear in the graph: to be called only for tensors that are
// not constant and would break a constraint otherwise.
bool ComputedFromConstants(const Model& graph, const Tensor& tensor);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_CONST_CHAIN_H_
