// waivers.yaml: findings that are accepted, each with a reason.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_WAIVERS_READER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_WAIVERS_READER_H_

#include "core/opdefs_yaml/ir.h"
#include "core/opdefs_yaml/map_reader.h"

namespace quantgate::opdefs {

// Adds to those that are there.
void ReadWaivers(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_WAIVERS_READER_H_
