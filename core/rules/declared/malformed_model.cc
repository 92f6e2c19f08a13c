#include "core/rules/rule_entry.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace malformed_model {

constexpr RuleEntry kEntry = {.rule =
                                  About(kMalformedModel, {.summary = "the model contradicts itself",
                                                          .explanation = R"(## What it checks
Tensor ids in range, one producer for each tensor, names that are unique, no cycle.

## Why
A model that is not a graph cannot be checked.

## Fix
Export the model again.

## References
Model format.
)",
                                                          .status = RuleStatus::kStable})};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace malformed_model

const RuleEntry kMalformedModelEntry = malformed_model::kEntry;

}  // namespace quantgate::rules
