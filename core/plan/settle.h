// A plan that the validator accepts as a whole, or as much of it as can be had.
#ifndef QUANTGATE_CORE_PLAN_SETTLE_H_
#define QUANTGATE_CORE_PLAN_SETTLE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/resolved.h"
#include "core/plan/graph_plan.h"
#include "core/plan/wish.h"
#include "core/validate/passes.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate::plan {

// A node that is refused as first planned.
struct Moved {
  Finding why;
  bool refused = false;  // in every precision
};

class SettledPlan {
 public:
  // `wish_of` gives the wish of each op of the graph, an index into `wishes`; `left_out` are ops of
  // which it is known that no precision helps.
  SettledPlan(const CheckSetup& setup, const Model& file, const Resolved& resolved,
              std::vector<Wish> wishes, std::vector<int> wish_of, std::vector<bool> left_out);

  const GraphPlan& graph() const { return *graph_plan_; }
  // By node of the file.
  const Moved* MovedAt(size_t node) const;

 private:
  void MakePlan();
  bool Move(int32_t node, Finding why, bool refuse);
  std::optional<Wish> NextWish(const Wish& wished, int step) const;

  const CheckSetup& setup_;
  const Resolved& resolved_;
  std::vector<Wish> wishes_;
  const std::vector<int> wished_;  // by op
  std::vector<int> wish_of_;
  std::vector<bool> left_out_;
  OptionTable options_;
  std::unique_ptr<GraphPlan> graph_plan_;
  absl::flat_hash_map<int32_t, std::vector<size_t>> ops_of_;  // by node of the file
  absl::flat_hash_map<int32_t, int> steps_;
  absl::flat_hash_map<int32_t, Moved> moved_;
};

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_SETTLE_H_
