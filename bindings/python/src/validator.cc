#include "quantgate/validator.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/options.h"
#include "bindings/python/src/target.h"
#include "bindings/python/src/text.h"
#include "quantgate/text.h"

namespace quantgate::python {

namespace py = pybind11;

size_t OneOf(std::string_view argument, const std::string& value,
             const std::vector<std::string_view>& values) {
  std::string known;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == value) return i;
    known += (i == 0 ? "" : ", ") + std::string(values[i]);
  }
  throw py::value_error(std::string(argument) + ": unknown value '" + Printable(value, 80) + "'" +
                        DidYouMean(value, values) + "; known: " + known);
}

std::string RouteOf(const std::string& route) {
  const Database& database = Database::Embedded();
  const std::vector<std::string> routes = database.Routes();
  OneOf("route", std::string(ParseRouteName(route).name), {routes.begin(), routes.end()});
  if (const absl::Status status = database.CheckRelease(route); !status.ok()) {
    throw py::value_error("route: " + std::string(status.message()));
  }
  return route;
}

ValidatorOptions OptionsOf(const std::optional<std::string>& route, const std::string& mode,
                           const std::string& fail_on) {
  ValidatorOptions options;
  const std::vector<Mode> modes = {Mode::kStrict, Mode::kWarn};
  options.mode = modes[OneOf("mode", mode, {"strict", "warn"})];
  OneOf("fail_on", fail_on, FailOnNames());
  options.fail_on = *ConsequenceFromName(fail_on);
  if (route) options.route = RouteOf(*route);
  return options;
}

namespace {

// A validator with the database that it reads.
struct BoundValidator {
  SharedDatabase database;
  Validator validator;
};

std::unique_ptr<BoundValidator> MakeValidator(const BoundTarget& target,
                                              const std::optional<std::string>& route,
                                              const std::string& mode, const std::string& fail_on,
                                              bool as_run, bool suggest) {
  ValidatorOptions options = OptionsOf(route, mode, fail_on);
  options.as_run = as_run;
  options.suggest = suggest;
  const py::gil_scoped_release unlocked;
  return std::make_unique<BoundValidator>(
      BoundValidator{target.database, Validator(target.target, options, *target.database)});
}

std::shared_ptr<Report> Check(const BoundValidator& self, const LoadedModel& model) {
  const py::gil_scoped_release unlocked;
  auto report = std::make_shared<Report>(self.validator.Check(model.model));
  report->model = model.source;
  return report;
}

std::shared_ptr<Report> CheckWithoutNodes(const BoundValidator& self, const LoadedModel& model) {
  const py::gil_scoped_release unlocked;
  auto report = std::make_shared<Report>(self.validator.CheckWithoutNodes(model.model));
  report->model = model.source;
  return report;
}

std::shared_ptr<Report> CheckWithEncodings(const BoundValidator& self, const LoadedModel& model,
                                           const std::string& path) {
  absl::StatusOr<EncodingsFile> encodings = absl::InternalError("");
  std::shared_ptr<Report> report;
  {
    const py::gil_scoped_release unlocked;
    encodings = ReadEncodingsFile(path);
    if (encodings.ok()) {
      report = std::make_shared<Report>(self.validator.Check(model.model, *encodings));
      report->model = model.source;
    }
  }
  if (!encodings.ok()) RaiseInputError(path, encodings.status());
  return report;
}

}  // namespace

void BindValidator(py::module_& module) {
  py::class_<BoundValidator>(module, "Validator", py::module_local(), py::is_final(),
                             "Behind quantgate.Validator.")
      .def(py::init(&MakeValidator), py::arg("target"), py::arg("route"), py::arg("mode"),
           py::arg("fail_on"), py::arg("as_run"), py::arg("suggest"))
      .def("check", &Check, py::arg("model"))
      .def("check_with_encodings", &CheckWithEncodings, py::arg("model"), py::arg("path"))
      .def("check_without_nodes", &CheckWithoutNodes, py::arg("model"));
}

}  // namespace quantgate::python
