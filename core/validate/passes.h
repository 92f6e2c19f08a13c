// A check is a list of passes over one state: nodes -> QNN ops -> rows -> explanations -> graph ->
// verdict.
#ifndef QUANTGATE_CORE_VALIDATE_PASSES_H_
#define QUANTGATE_CORE_VALIDATE_PASSES_H_

#include <optional>
#include <string>
#include <vector>

#include "core/ir/producers.h"
#include "core/lower/resolve/resolved.h"
#include "core/validate/routes.h"
#include "core/validate/target_table.h"
#include "core/validate/waivers.h"
#include "core/validate/walk_graph.h"
#include "core/validate/well_formed.h"
#include "quantgate/database.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate {

// What holds for all checks of one validator: picked once, never changed.
struct CheckSetup {
  CheckSetup(Target target, ValidatorOptions options, const Database& database);

  Target target;
  ValidatorOptions options;
  const Database& database;
  TargetTable table;
  GraphRules graph_rules;
  Waivers waivers;
  Routes routes;
};

// What the validators of several targets share of one model: nothing in it depends on the arch.
struct LoweredModel {
  explicit LoweredModel(const Model& model) : malformed(FindMalformed(model, producers)) {}

  Producers producers = {};               // of the model's tensors
  std::string malformed;                  // why the model is no graph; empty = it is one
  std::vector<Finding> findings = {};     // on the model's nodes, from before
  std::optional<Resolved> resolved = {};  // made by the first validator that needs it
  bool shared = false;                    // others check it too: its findings stay
};

// One check of one model.
struct CheckState {
  const CheckSetup& setup;
  const Model& model;
  const TakenRoute& route;
  LoweredModel& lowered;
  Report report;
  // Nothing of the model can be checked: passes that look at nodes are left out.
  bool stopped = false;
};

// Runs all passes.
Report RunPasses(const CheckSetup& setup, const Model& model, const TakenRoute& route, LoweredModel& lowered);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_PASSES_H_
