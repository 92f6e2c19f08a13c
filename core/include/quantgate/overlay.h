// A user's YAML over a database: ops, rows, waivers, whole backends (opdefs/README.md).
// In a library of its own, quantgate::overlay, so that the validator links no YAML.
#ifndef QUANTGATE_OVERLAY_H_
#define QUANTGATE_OVERLAY_H_

#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// The database with the folders laid over it, one over the other; `base` isn't changed and isn't
// referred to afterwards. InvalidArgument: up to 20 lines "FILE:LINE:COLUMN: reason". `warnings`
// (may be null) gets lines of the same form about what has no effect.
absl::StatusOr<Database> WithOverlay(const Database& base, std::span<const std::string> folders,
                                     std::vector<std::string>* warnings = nullptr);

}  // namespace quantgate

#endif  // QUANTGATE_OVERLAY_H_
