// precisions.yaml: kept as the document "precisions", once it is known to be sound.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_PRECISIONS_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_PRECISIONS_READER_H_

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

void ReadPrecisions(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_PRECISIONS_READER_H_
