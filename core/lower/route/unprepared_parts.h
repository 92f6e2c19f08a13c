// What the searches for ops that a backend doesn't prepare together have in common.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_UNPREPARED_PARTS_H_
#define QUANTGATE_CORE_LOWER_ROUTE_UNPREPARED_PARTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/report.h"

namespace quantgate {

// The node of the source model that an op of the resolved graph is reported at.
int32_t SourceOf(const Resolved& resolved, size_t op);

// Whether that node stays outside of the backend's graph.
bool IsOutside(const Resolved& resolved, const Report& report, size_t op);

// Whether a list that a row may have names the type of a node's first input or output.
bool HasDtype(opdb::Tree dtypes, const Model& graph, absl::Span<const TensorId> ports);

// Adds the failure to prepare an op: fills in its node and op, and makes the node's verdict worse.
Finding& AddFailure(Finding finding, size_t op, const Resolved& resolved, Report& report);

// Who makes and who reads a tensor.
struct Ends {
  int32_t maker = -1;   // an op, -1: none
  int32_t reader = -1;  // one of the ops that read it, -1: none
  int32_t readers = 0;  // the outputs of the graph count as well
};

// The ends of each tensor by its name (a view in another layout has the same), found when first
// needed.
class EndsByName {
 public:
  explicit EndsByName(const Model& graph) : graph_(graph) {}

  const Ends& Of(std::string_view name);

  // The op that alone reads a tensor; -1 where none, or something else does too.
  int32_t OnlyReader(std::string_view name);

 private:
  void Fill();

  const Model& graph_;
  bool filled_ = false;
  absl::flat_hash_map<std::string_view, Ends> ends_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_UNPREPARED_PARTS_H_
