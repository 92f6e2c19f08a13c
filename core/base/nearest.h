// Near names; "did you mean" itself is public.
#ifndef QUANTGATE_CORE_BASE_NEAREST_H_
#define QUANTGATE_CORE_BASE_NEAREST_H_

#include <cstddef>
#include <string_view>

#include "quantgate/text.h"

namespace quantgate {

// Number of single-character edits (insert, delete, replace, swap of neighbours) between `a`
// and `b`, ASCII case ignored; stops counting above `limit` and returns limit + 1.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_NEAREST_H_
