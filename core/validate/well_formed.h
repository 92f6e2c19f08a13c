// Whether a Model made by hand is a graph at all.
#ifndef QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
#define QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_

#include <string>

#include "core/ir/producers.h"
#include "quantgate/model.h"

namespace quantgate {

// Empty when every tensor id is in range and each tensor has one producer; else what is wrong,
// with the place. Cycles need no check: nothing here follows the graph without marking.
// `producers` is complete where nothing is wrong: later passes need not go through all nodes for it.
std::string FindMalformed(const Model& model, Producers& producers);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WELL_FORMED_H_
