// What the readers of Model JSON and .binpb have in common after a message is read.
#ifndef QUANTGATE_CORE_READERS_MODEL_FINISH_H_
#define QUANTGATE_CORE_READERS_MODEL_FINISH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

// Each returns what is wrong, or "".
// `index` counts what the model holds already.
std::string FinishTensor(Tensor& tensor, size_t index);
std::string CheckTensorParam(const TensorParam& param);
// Gives a nameless node its name.
std::string FinishNode(Node& node, size_t index);
// The name of a param that occurs twice, or null.
const std::string* FindTwice(const std::vector<Param>& params);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_MODEL_FINISH_H_
