// What others measured and found as the database has it: `confirms` of a source.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_CONFIRMATIONS_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_CONFIRMATIONS_H_

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// Adds each source of sources.yaml that has {htp/Conv2d: ["#INT8.1", "in[1]/symmetric"]} to the
// sources of these rows and constraints. `node` was read with ReadSources, all ops are in `ir`.
void AddConfirmations(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_CONFIRMATIONS_H_
