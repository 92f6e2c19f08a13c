// Which node of a model makes each of its tensors.
#ifndef QUANTGATE_CORE_IR_PRODUCERS_H_
#define QUANTGATE_CORE_IR_PRODUCERS_H_

#include <cstdint>
#include <vector>

namespace quantgate {

// Per tensor: the index of the node; -1 = none, an input or a constant.
using Producers = std::vector<int32_t>;

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_PRODUCERS_H_
