#include "quantgate/target.h"

#include <pybind11/stl.h>

#include <optional>
#include <variant>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/text.h"
#include "quantgate/database.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

using SocName = std::variant<int, std::string>;

Target MakeTarget(const std::optional<SocName>& soc, const std::optional<std::string>& arch,
                  const std::optional<std::string>& sdk, const std::string& backend) {
  TargetSpec spec = {.backend = backend, .sdk = sdk.value_or(""), .arch = arch.value_or("")};
  if (soc) {
    const int* id = std::get_if<int>(&*soc);
    spec.soc = id != nullptr ? std::to_string(*id) : std::get<std::string>(*soc);
  }
  absl::StatusOr<Target> target = Target::Parse(spec);
  if (!target.ok()) RaiseTargetError(target.status());
  return *std::move(target);
}

std::string Repr(const Target& self) {
  std::string text = "Target(backend='" + self.backend() + "', sdk='" + self.sdk() + "', arch='" +
                     self.arch() + "'";
  if (!self.soc().empty()) text += ", soc='" + self.soc() + "'";
  return text + ")";
}

py::tuple Backends() {
  const Database& database = Database::Embedded();
  py::list backends;
  for (const std::string& name : database.Backends()) {
    backends.append(py::make_tuple(name, Texts(database.Sdks(name)), Texts(database.Archs(name))));
  }
  return py::tuple(backends);
}

py::tuple Socs() {
  py::list socs;
  for (const SocInfo& soc : Database::Embedded().Socs()) {
    socs.append(py::make_tuple(soc.name, Texts(soc.other_names), soc.id, soc.arch, soc.vtcm_mb));
  }
  return py::tuple(socs);
}

}  // namespace

void BindTarget(py::module_& module) {
  py::class_<Target>(module, "Target", py::module_local(), py::is_final(),
                     "Backend, SDK version, arch and maybe chip to check for. Immutable.")
      .def(py::init(&MakeTarget), py::kw_only(), py::arg("soc") = py::none(),
           py::arg("arch") = py::none(), py::arg("sdk") = py::none(), py::arg("backend") = "htp",
           "soc: a chip's name in any case or its id ('SM8550', 43); arch: 'v73', by default the\n"
           "chip's; sdk: 'MAJOR.MINOR', by default the newest known; backend: 'htp'.\n\n"
           "Raises TargetError, with the nearest known names, for what isn't known.")
      .def_property_readonly("backend", &Target::backend, "'htp'")
      .def_property_readonly("sdk", &Target::sdk, "SDK version as asked for: '2.50'")
      .def_property_readonly("arch", &Target::arch, "'v73'")
      .def_property_readonly("soc", &Target::soc, "Canonical name of the chip, or ''")
      .def_property_readonly("knowledge_sdk", &Target::knowledge_sdk,
                             "SDK version whose facts are used")
      .def_property_readonly("measured", &Target::measured,
                             "Facts of this SDK were measured on the real library (x86-64).")
      .def_property_readonly(
          "notes", [](const Target& self) { return Texts(self.notes()); },
          "What was assumed, in words.")
      .def("__repr__", &Repr);
  module.def("backends", &Backends);
  module.def("socs", &Socs);
}

}  // namespace quantgate::python
