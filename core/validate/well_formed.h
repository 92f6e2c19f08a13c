// Whether a Model made by hand is a graph at all.
#ifndef QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
#define QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_

#include <string>

#include "quantgate/model.h"

namespace quantgate {

// Empty when every tensor id is in range and each tensor has one producer; else what is wrong,
// with the place. Cycles need no check: nothing here follows the graph without marking.
std::string FindMalformed(const Model& model);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
