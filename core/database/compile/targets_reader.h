// sources.yaml and targets.yaml.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_TARGETS_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_TARGETS_READER_H_

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// What is in `ir` already (the base of an overlay) stays; entries of the same id are replaced.
void ReadSources(const Node& node, const Reporter& reporter, Ir& ir);
void ReadTargets(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_TARGETS_READER_H_
