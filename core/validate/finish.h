// The last step: levels, verdicts of nodes, counts, the result of the mode.
#ifndef QUANTGATE_CORE_VALIDATE_FINISH_H_
#define QUANTGATE_CORE_VALIDATE_FINISH_H_

#include "quantgate/report.h"
#include "quantgate/validator.h"

namespace quantgate {

// The level a consequence has under these options.
Level LevelOf(Consequence consequence, const ValidatorOptions& options);

// By node of the file; findings of the model as a whole come first.
inline bool EarlierNode(const Finding& a, const Finding& b) { return a.node_index < b.node_index; }

// Sets levels of all findings, and counts, verdict and failed from `report.nodes`.
void Finish(const ValidatorOptions& options, Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_FINISH_H_
