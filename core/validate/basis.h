// What verdicts rest on: measurements of the SDK at hand, of another, documents, or nothing.
#ifndef QUANTGATE_CORE_VALIDATE_BASIS_H_
#define QUANTGATE_CORE_VALIDATE_BASIS_H_

#include <cstdint>
#include <span>

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

// Of what has these sources (indices into db.sources()), on an SDK.
Basis BasisOf(const opdb::View& db, std::span<const uint16_t> sources, SdkKey sdk);

// Sets NodeReport::basis of all nodes, where accepted ops have set theirs: a verdict rests on what
// its findings rest on, a node that became part of another on that one's.
void AssignBasis(const opdb::View& db, const Target& target, const Resolved& resolved,
                 Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_BASIS_H_
