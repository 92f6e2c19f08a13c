// quantgate's verdict on a node next to what a backend library made of it.
#ifndef QUANTGATE_CORE_ORACLE_COMPARISON_H_
#define QUANTGATE_CORE_ORACLE_COMPARISON_H_

#include <cstdint>

#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/verify.h"

namespace quantgate::verify {

// Where a node stops: op validation, preparation (making, finalizing and running without an
// error), or the values; kNone = nowhere.
enum class Failure : uint8_t { kValidation, kPreparation, kValues, kNone };

Failure ExpectedFailure(Consequence verdict);
Failure SeenFailure(const Answer& answer, const Judgement& judgement);
// `deepest`: the last stage that was queried. What would only show later is no disagreement.
Agreement Compare(Consequence verdict, const Answer& answer, const Judgement& judgement,
                  Stage deepest);

// The nodes of a graph with what its report says of each: its verdict, and the constraints or rules behind it.
void AddPredicted(const Model& graph, const Report& report, Comparison& comparison);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_COMPARISON_H_
