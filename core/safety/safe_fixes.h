// Which fixes of a report keep every value that the model computes.
#ifndef QUANTGATE_CORE_SAFETY_SAFE_FIXES_H_
#define QUANTGATE_CORE_SAFETY_SAFE_FIXES_H_

#include "core/database/view.h"
#include "core/ir/producers.h"
#include "core/safety/safe_edit.h"
#include "core/safety/value_range.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate::fix {

// Another encoding of a tensor of the model: `fix` asks before each edit, the validator before it
// calls a fix safe. `now`: the one it has.
Objection ObjectionTo(const Model& model, const ValueRanges& ranges, TensorId tensor,
                      const Coding& now, const Coding& to);

// Sets Fix::safe of each fix that is a list of edits. `model`: what the report is of, with its `producers`.
void MarkSafeFixes(const Model& model, const Producers& producers, const opdb::View& database,
                   Report& report);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_SAFE_FIXES_H_
