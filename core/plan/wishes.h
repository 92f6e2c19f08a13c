// Which precision each node of a file is to get.
#ifndef QUANTGATE_CORE_PLAN_WISHES_H_
#define QUANTGATE_CORE_PLAN_WISHES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/plan/wish.h"
#include "quantgate/model.h"
#include "quantgate/plan.h"

namespace quantgate::plan {

struct Wishes {
  std::vector<Wish> list;          // the first is that of all other nodes
  std::vector<std::string> names;  // "16a8w"
  std::vector<int> of_node;        // by node of the file
};

// A name counts more than a pattern. InvalidArgument where an override fits no node, or two that
// count equally contradict each other at one.
absl::StatusOr<Wishes> WishesFor(const Model& model, const PlanOptions& options);

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_WISHES_H_
