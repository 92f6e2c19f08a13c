// A compiled database for other tools.
#ifndef QUANTGATE_TOOLS_OPDEFC_DUMP_H_
#define QUANTGATE_TOOLS_OPDEFC_DUMP_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/database/view.h"

namespace quantgate::opdefs {

// Serialized quantgate.opdefs.v1.Database; equal databases give equal bytes.
absl::StatusOr<std::string> DumpBinary(const opdb::View& view);
// Its canonical JSON with the names of the .proto file.
absl::StatusOr<std::string> DumpJson(const opdb::View& view);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_DUMP_H_
