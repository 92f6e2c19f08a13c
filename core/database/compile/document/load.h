// Folders of YAML -> database in memory.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_LOAD_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_LOAD_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

// Reads one folder of the shape of opdefs/ on top of what `ir` holds: sources, backends, socs,
// ops and documents of the same name are replaced, all else stays. Files are read in the order of
// their names. On an error `ir` is left half-done; the message has one line per place.
absl::Status LoadFolder(const std::string& folder, Ir& ir,
                        std::vector<std::string>* warnings = nullptr);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_DOCUMENT_LOAD_H_
