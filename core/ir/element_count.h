// How many elements a tensor has.
#ifndef QUANTGATE_CORE_IR_ELEMENT_COUNT_H_
#define QUANTGATE_CORE_IR_ELEMENT_COUNT_H_

#include <cstddef>
#include <cstdint>
#include <optional>

namespace quantgate {

// Dynamic dimensions counted as 1; nullopt when it overflows int64.
std::optional<int64_t> ElementCount(const int64_t* dims, size_t rank);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_ELEMENT_COUNT_H_
