// `each: 0..4`: one line for several that differ in a number.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_TEMPLATE_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_TEMPLATE_H_

#include <vector>

#include "core/database/compile/document/map_reader.h"

namespace quantgate::opdefs {

// The entries that `node` stands for: itself, or with `each: FIRST..LAST` one for each whole
// number i of that range, in which `$i` and `$(3*i+1)` in keys and values are replaced by their
// numbers. What is no range or no such expression is an error.
std::vector<Node> ExpandEach(const Node& node, const Reporter& reporter);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_TEMPLATE_H_
