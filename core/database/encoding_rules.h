// What constraints say of encodings before there is a node: by dtypes alone.
#ifndef QUANTGATE_CORE_DATABASE_ENCODING_RULES_H_
#define QUANTGATE_CORE_DATABASE_ENCODING_RULES_H_

#include <span>
#include <vector>

#include "core/database/view.h"
#include "quantgate/database.h"
#include "quantgate/target.h"

namespace quantgate::opdb {

// One rule for each constraint of the target, group and port that speaks of encodings and whose
// condition is certain with these dtypes (one set for each declared port, 0: the port is absent);
// ports other than its own are assumed to use all bits of their dtype.
std::vector<EncodingRule> EncodingRulesOf(const View& db, const BackendRow& backend,
                                          const OpRow& op, const Target& target, uint64_t groups,
                                          std::span<const DtypeMask> dtypes);

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_ENCODING_RULES_H_
