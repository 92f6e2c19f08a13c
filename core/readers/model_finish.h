// What the readers of Model JSON and .binpb have in common after a message is read.
#ifndef QUANTGATE_CORE_READERS_MODEL_FINISH_H_
#define QUANTGATE_CORE_READERS_MODEL_FINISH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

// Each returns what is wrong, or "".
std::string FinishTensor(Tensor& tensor);
std::string CheckTensorParam(const TensorParam& param);
// The name of a param that occurs twice, or null.
const std::string* FindTwice(const std::vector<Param>& params);

// Gives a nameless node its name.
void FinishNode(Node& node, size_t index);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_MODEL_FINISH_H_
