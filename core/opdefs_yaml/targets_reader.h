// sources.yaml and targets.yaml.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_TARGETS_READER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_TARGETS_READER_H_

#include "core/opdefs_yaml/ir.h"
#include "core/opdefs_yaml/map_reader.h"

namespace quantgate::opdefs {

// What is in `ir` already (the base of an overlay) stays; entries of the same id are replaced.
void ReadSources(const Node& node, const Reporter& reporter, Ir& ir);
void ReadTargets(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_TARGETS_READER_H_
