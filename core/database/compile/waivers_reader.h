// waivers.yaml: findings that are accepted, each with a reason.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_WAIVERS_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_WAIVERS_READER_H_

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// Adds to those that are there.
void ReadWaivers(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_WAIVERS_READER_H_
