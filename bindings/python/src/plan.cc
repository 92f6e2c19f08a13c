// Quantization plans, as JSON from which quantgate._plan makes its types.
#include "quantgate/plan.h"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/options.h"
#include "bindings/python/src/target.h"
#include "bindings/python/src/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

using Overrides = std::vector<std::pair<std::string, std::string>>;

// JSON and text of the plan. ValueError for what the options or the model can't be used for.
py::tuple MakePlan(const LoadedModel& model, const BoundTarget& target,
                   const std::string& precision, const std::string& weights,
                   const Overrides& overrides, const std::string& minimize,
                   const std::optional<std::string>& route) {
  PlanOptions options;
  options.precision = precision;
  options.weights = weights;
  options.minimize = static_cast<PlanGoal>(OneOf("minimize", minimize, PlanGoalNames()));
  for (const auto& [nodes, wish] : overrides) options.overrides.push_back({nodes, wish});
  if (route) options.route = RouteOf(*route);
  absl::StatusOr<Plan> plan = absl::InternalError("");
  std::string json, text;
  {
    const py::gil_scoped_release unlocked;
    absl::StatusOr<Planner> planner = Planner::Make(target.target, options, *target.database);
    plan = planner.ok() ? planner->MakePlan(model.model) : absl::StatusOr<Plan>(planner.status());
    if (plan.ok()) {
      plan->model = model.source;
      json = PlanJson(*plan);
      text = PlanText(*plan);
    }
  }
  if (!plan.ok()) throw py::value_error(std::string(plan.status().message()));
  return py::make_tuple(Text(json), Text(text));
}

}  // namespace

void BindPlan(py::module_& module) {
  module.def("plan", &MakePlan, py::arg("model"), py::arg("target"), py::arg("precision"),
             py::arg("weights"), py::arg("overrides"), py::arg("minimize"), py::arg("route"));
}

}  // namespace quantgate::python
