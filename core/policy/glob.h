// Patterns over names of nodes, tensors and models.
#ifndef QUANTGATE_CORE_POLICY_GLOB_H_
#define QUANTGATE_CORE_POLICY_GLOB_H_

#include <string_view>

namespace quantgate {

// `*` = any text, also none and also with slashes; `?` = one byte. All else stands for itself, so
// that "in[0]" needs no escapes. Takes time in proportion to the product of both lengths at most.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_POLICY_GLOB_H_
