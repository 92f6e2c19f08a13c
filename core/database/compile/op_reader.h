// The YAML of one op.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_OP_READER_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_OP_READER_H_

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"
#include "core/database/compile/profiles.h"

namespace quantgate::opdefs {

// Adds the op to its backend (the folder) in `ir`, in place of one of the same name. The file's
// name must be the op's. `profiles`: the backend's.
void ReadOp(const Node& node, std::string_view folder, std::string_view stem,
            const Reporter& reporter, Profiles& profiles, Ir& ir);

// A document as a tree: scalars typed, map entries sorted by key.
Tree TreeOf(const Node& node);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_OP_READER_H_
