// What reporters want to know of a model beside its report.
#ifndef QUANTGATE_TOOLS_QUANTGATE_MODEL_PLACES_H_
#define QUANTGATE_TOOLS_QUANTGATE_MODEL_PLACES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/report/checked.h"
#include "quantgate/database.h"
#include "quantgate/encodings_file.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate::cli {

// The line of each node of a Model JSON file; empty where the file is another one, holds another
// number of nodes, or can't be read again.
std::vector<int32_t> NodeLines(const std::string& path, const Model& model);

// The graph that was judged for `report`; nullopt where the target knows no ops. `encodings` may
// be null.
std::optional<CheckedGraph> GraphOf(Model model, const EncodingsFile* encodings,
                                    const Report& report, const Target& target,
                                    const Database& database);

// The names of each node's outputs.
std::vector<std::vector<std::string>> OutputNames(const Model& model);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_MODEL_PLACES_H_
