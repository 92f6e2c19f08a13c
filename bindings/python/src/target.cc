#include "bindings/python/src/target.h"

#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <variant>

#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/text.h"
#include "quantgate/overlay.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

std::string Word(const py::object& object, const char* what) {
  return object.is_none() ? std::string() : std::string(Utf8(object, what));
}

std::string SocOf(const py::object& soc) {
  if (soc.is_none()) return {};
  if (PyUnicode_Check(soc.ptr())) return std::string(Utf8(soc, "soc"));
  if (PyBool_Check(soc.ptr()) || !PyIndex_Check(soc.ptr())) {
    ThrowType("soc", "a chip's name or its id", soc);
  }
  return std::to_string(Integer(soc, "soc"));
}

BoundTarget MakeTarget(const py::object& soc, const py::object& arch, const py::object& sdk,
                       const py::object& backend, const SharedDatabase& database) {
  const TargetSpec spec = {.backend = std::string(Utf8(backend, "backend")),
                           .sdk = Word(sdk, "sdk"),
                           .soc = SocOf(soc),
                           .arch = Word(arch, "arch")};
  return FindTarget(spec, database != nullptr ? database : EmbeddedDatabase());
}

std::string Repr(const BoundTarget& self) {
  const Target& target = self.target;
  std::string text = "Target(backend='" + target.backend() + "', sdk='" + target.sdk() +
                     "', arch='" + target.arch() + "'";
  if (!target.soc().empty()) text += ", soc='" + target.soc() + "'";
  return text + ")";
}

py::tuple Reduce(const py::object& self) {
  const auto& target = self.cast<const BoundTarget&>();
  if (target.database.get() != &Database::Embedded()) {
    throw py::type_error("a Target of a Database with opdefs can't be pickled");
  }
  const py::object make = py::module_::import("quantgate._knowledge").attr("make_target");
  const TargetSpec& spec = target.spec;
  return py::make_tuple(
      make, py::make_tuple(Text(spec.soc), Text(spec.arch), Text(spec.sdk), Text(spec.backend)));
}

py::tuple Backends(const Database& database) {
  py::list backends;
  for (const std::string& name : database.Backends()) {
    backends.append(
        py::make_tuple(Text(name), Texts(database.Sdks(name)), Texts(database.Archs(name))));
  }
  return py::tuple(backends);
}

py::tuple Socs(const Database& database) {
  py::list socs;
  for (const SocInfo& soc : database.Socs()) {
    socs.append(py::make_tuple(Text(soc.name), Texts(soc.other_names), soc.id, Text(soc.arch),
                               soc.vtcm_mb));
  }
  return py::tuple(socs);
}

template <typename Part>
auto TextOf(Part part) {
  return [part](const BoundTarget& self) { return Text((self.target.*part)()); };
}

}  // namespace

SharedDatabase EmbeddedDatabase() {
  return {&Database::Embedded(), [](const Database*) {}};
}

SharedDatabase OverlaidDatabase(const Database& base, const std::vector<std::string>& folders) {
  absl::StatusOr<Database> database = absl::InternalError("");
  {
    const py::gil_scoped_release unlocked;
    database = WithOverlay(base, folders);
  }
  if (!database.ok()) RaiseOpdefsError(database.status());
  return std::make_shared<const Database>(*std::move(database));
}

BoundTarget FindTarget(const TargetSpec& spec, SharedDatabase database) {
  absl::StatusOr<Target> target = Target::Parse(spec, *database);
  if (!target.ok()) RaiseTargetError(target.status());
  return {*std::move(target), spec, std::move(database)};
}

namespace {

void BindDatabase(py::module_& module) {
  Immutable(py::class_<Database, std::shared_ptr<Database>>(module, "Database", py::module_local(),
                                                            py::is_final(),
                                                            "Behind quantgate.Database.")
                .def(
                    "overlaid",
                    [](const Database& self, const std::vector<std::string>& folders) {
                      return std::const_pointer_cast<Database>(OverlaidDatabase(self, folders));
                    },
                    py::arg("folders"))
                .def("backends", &Backends)
                .def("socs", &Socs));
  // pybind11 holds no pointers to const; nothing that is bound changes a database.
  module.def("embedded", [] { return std::const_pointer_cast<Database>(EmbeddedDatabase()); });
  module.def(
      "database_of",
      [](const std::string& path) {
        absl::StatusOr<Database> database = Database::FromFile(path);
        if (!database.ok()) RaiseOpdefsError(database.status());
        return std::make_shared<Database>(*std::move(database));
      },
      py::arg("path"));
}

}  // namespace

void BindTarget(py::module_& module) {
  BindDatabase(module);
  Immutable(
      py::class_<BoundTarget, std::shared_ptr<BoundTarget>>(
          module, "Target", py::module_local(), py::is_final(),
          "Backend, SDK version, arch and maybe chip to check for. Immutable.")
          .def(py::init([](const py::object& soc, const py::object& arch, const py::object& sdk,
                           const py::object& backend, const std::shared_ptr<Database>& database) {
                 return std::make_shared<BoundTarget>(
                     MakeTarget(soc, arch, sdk, backend, database));
               }),
               py::kw_only(), py::arg("soc") = py::none(), py::arg("arch") = py::none(),
               py::arg("sdk") = py::none(), py::arg("backend") = "htp",
               py::arg("_database") = py::none(),
               "soc: a chip's name in any case or its id ('SM8550', 43); arch: 'v73', by default "
               "the\n"
               "chip's; sdk: 'MAJOR.MINOR', by default the newest known; backend: 'htp'.\n\n"
               "Raises TargetError, with the nearest known names, for what isn't known, TypeError\n"
               "for other types.")
          .def_property_readonly("backend", TextOf(&Target::backend), "'htp'")
          .def_property_readonly("sdk", TextOf(&Target::sdk), "SDK version as asked for: '2.50'")
          .def_property_readonly("arch", TextOf(&Target::arch), "'v73'")
          .def_property_readonly("soc", TextOf(&Target::soc), "Canonical name of the chip, or ''")
          .def_property_readonly("knowledge_sdk", TextOf(&Target::knowledge_sdk),
                                 "SDK version whose facts are used")
          .def_property_readonly(
              "measured", [](const BoundTarget& self) { return self.target.measured(); },
              "Facts of this SDK were measured on the real library (x86-64).")
          .def_property_readonly(
              "notes", [](const BoundTarget& self) { return Texts(self.target.notes()); },
              "What was assumed, in words.")
          .def("__reduce__", &Reduce)
          .def(
              "_overlaid",
              [](const BoundTarget& self, const std::vector<std::string>& folders) {
                return std::make_shared<BoundTarget>(
                    FindTarget(self.spec, OverlaidDatabase(*self.database, folders)));
              },
              py::arg("folders"))
          .def("__repr__", [](const BoundTarget& self) { return Text(Repr(self)); }));
}

}  // namespace quantgate::python
