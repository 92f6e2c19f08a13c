// Checks all ops of a graph, each by itself.
#ifndef QUANTGATE_CORE_VALIDATE_CHECK_OPS_H_
#define QUANTGATE_CORE_VALIDATE_CHECK_OPS_H_

#include "core/lower/resolve/resolved.h"
#include "core/validate/target_table.h"
#include "quantgate/database.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

struct OpsCheck {
  const TargetTable& table;
  const Target& target;
  const Database& database;
  bool suggest = false;  // as in ValidatorOptions, like the others
  int threads = 1;
  bool shortcuts = true;
};

// Findings, those of the way here included, come into `report` in the order of the file's nodes,
// and its nodes get their ops and verdicts. The same with any number of threads.
void CheckOps(const OpsCheck& check, const Resolved& resolved, Report& report);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CHECK_OPS_H_
