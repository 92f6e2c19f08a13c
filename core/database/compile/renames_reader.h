// renamed_ids.yaml: names of constraints that an earlier version of quantgate had.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_RENAMES_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_RENAMES_READER_H_

#include "core/database/compile/ir.h"
#include "core/database/compile/document/map_reader.h"

namespace quantgate::opdefs {

// A file that fits its table (kRenamesShape). All ops must have been read: what a name is now must
// be there. It replaces what `ir` says of the same names.
void ReadRenames(const Node& node, const Reporter& reporter, Ir& ir);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_RENAMES_READER_H_
