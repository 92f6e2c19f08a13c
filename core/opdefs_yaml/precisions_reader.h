// precisions.yaml: kept as the document "precisions", once it is known to be sound.
#ifndef QUANTGATE_CORE_OPDEFS_YAML_PRECISIONS_READER_H_
#define QUANTGATE_CORE_OPDEFS_YAML_PRECISIONS_READER_H_

#include "core/opdefs_yaml/ir.h"
#include "core/opdefs_yaml/map_reader.h"

namespace quantgate::opdefs {

void ReadPrecisions(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_OPDEFS_YAML_PRECISIONS_READER_H_
