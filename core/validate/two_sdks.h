// What is reported for an SDK between the newest documents and the oldest measurement: what both
// say.
#ifndef QUANTGATE_CORE_VALIDATE_TWO_SDKS_H_
#define QUANTGATE_CORE_VALIDATE_TWO_SDKS_H_

#include <optional>

#include "quantgate/database.h"
#include "quantgate/report.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate {

// The same target with the first SDK that was measured, where the target's own SDK is between that one
// and the last that is known from documents.
std::optional<Target> NextMeasured(const Target& target, const Database& database);

// `documented` and `measured` are reports of one model, for the target and for NextMeasured() of it. A node
// that both take, or both refuse, has the verdict of `measured`. If only `measured` takes it, it is
// `undocumented`; if only `measured` refuses it, `unchecked`: it may have changed with any SDK in between.
// Shapes that cannot be right in any version (IsShapeArithmetic) stay refused.
Report SharedVerdicts(const Report& documented, Report measured, const ValidatorOptions& options,
                      const Database& database = Database::Embedded());

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_TWO_SDKS_H_
