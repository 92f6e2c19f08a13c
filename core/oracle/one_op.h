// A node of a model by itself, without a name of the model.
#ifndef QUANTGATE_CORE_ORACLE_ONE_OP_H_
#define QUANTGATE_CORE_ORACLE_ONE_OP_H_

#include <vector>

#include "quantgate/model.h"

namespace quantgate::verify {

struct OneOp {
  Model model;                   // its node is called "op", its tensors after their first ports: "in0"
  std::vector<TensorId> source;  // of each tensor, in the model that it was cut from
};

OneOp CutOne(const Model& model, const Node& node);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_ONE_OP_H_
