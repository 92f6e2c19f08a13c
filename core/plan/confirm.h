// A plan put into the model and checked as any file is: what no op shows by itself.
#ifndef QUANTGATE_CORE_PLAN_CONFIRM_H_
#define QUANTGATE_CORE_PLAN_CONFIRM_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/resolved.h"
#include "core/plan/graph_plan.h"
#include "core/validate/passes.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate::plan {

// A choice for a tensor of the graph in the layout of the file. An axis of channels that only the
// graph has, in front of a weight of one dimension, holds one channel: the file's is per tensor.
Choice InFile(const Resolved& resolved, TensorId id, Choice choice);

// The file with the encodings of a plan; their numbers are made up.
Model AsPlanned(const Model& file, const Resolved& resolved, const GraphPlan& plan);

// By node of the file: the worst of what the validator says of it in `model`, the file or the file as
// planned, where that is no better than wrong values. What follows from numbers that only data gives
// is left out.
absl::flat_hash_map<int32_t, Finding> RefusedNodes(const CheckSetup& setup, const Model& model,
                                                   const Resolved& resolved);

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_CONFIRM_H_
