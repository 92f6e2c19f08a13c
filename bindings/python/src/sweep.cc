// Many models on many targets. Tables leave as capsules of Arrow's C stream interface.
#include "quantgate/sweep.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/options.h"
#include "bindings/python/src/target.h"
#include "bindings/python/src/text.h"
#include "quantgate/model_files.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

constexpr char kStreamCapsule[] = "arrow_array_stream";

struct BoundSweeper {
  SharedDatabase database;
  std::vector<ListedTarget> targets;
  Sweeper sweeper;
};

// One table of a result; pyarrow.table() and others read it.
struct BoundTable {
  SweepResult result;
  SweepTable table;
};

std::unique_ptr<BoundSweeper> MakeSweeper(const std::string& list, const std::string& backend,
                                          const std::vector<std::string>& sdks,
                                          const std::optional<std::string>& route,
                                          const std::string& mode, const std::string& fail_on,
                                          const SharedDatabase& database) {
  const ValidatorOptions options = OptionsOf(route, mode, fail_on);
  absl::StatusOr<std::vector<ListedTarget>> targets = ParseTargets(list, backend, sdks, *database);
  if (!targets.ok()) RaiseTargetError(targets.status());
  const py::gil_scoped_release unlocked;
  Sweeper sweeper(*targets, options, *database);
  return std::make_unique<BoundSweeper>(
      BoundSweeper{database, *std::move(targets), std::move(sweeper)});
}

// A tuple (path, line, offset, length, bytes or None, Model or None, error).
SweepInput InputOf(const py::tuple& item) {
  if (item.size() != 7) throw py::value_error("an input of a sweep has 7 parts");
  SweepInput input;
  input.path = std::string(Utf8(item[0], "path"));
  input.line = Integer(item[1], "line");
  input.offset = Integer(item[2], "offset");
  input.length = Integer(item[3], "length");
  input.error = std::string(Utf8(item[6], "error"));
  if (input.offset < 0 || input.length < 0) throw py::value_error("a line before the file");
  if (!item[4].is_none()) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    // The list of inputs holds the bytes.
    if (PyBytes_AsStringAndSize(py::object(item[4]).ptr(), &data, &size) != 0) {
      throw py::error_already_set();
    }
    input.bytes = std::string_view(data, static_cast<size_t>(size));
  }
  if (!item[5].is_none()) {
    const auto loaded = item[5].cast<std::shared_ptr<LoadedModel>>();
    input.model = std::shared_ptr<const Model>(loaded, &loaded->model);
  }
  return input;
}

py::tuple Run(const BoundSweeper& self, const std::vector<py::tuple>& items, int threads,
              bool findings, bool nodes) {
  std::vector<SweepInput> inputs;
  inputs.reserve(items.size());
  for (const py::tuple& item : items) inputs.push_back(InputOf(item));
  std::optional<SweepResult> result;
  {
    const py::gil_scoped_release unlocked;
    result = self.sweeper.Run(
        inputs, {.threads = threads, .findings = findings, .nodes = nodes});
  }
  return py::make_tuple(BoundTable{*result, SweepTable::kModels},
                        BoundTable{*result, SweepTable::kFindings},
                        BoundTable{*result, SweepTable::kNodes});
}

void ReleaseCapsule(PyObject* capsule) {
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, kStreamCapsule));
  if (stream == nullptr) {
    PyErr_WriteUnraisable(capsule);
    return;
  }
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

py::object Stream(const BoundTable& self) {
  auto stream = std::make_unique<ArrowArrayStream>();
  self.result.Export(self.table, stream.get());
  PyObject* capsule = PyCapsule_New(stream.get(), kStreamCapsule, &ReleaseCapsule);
  if (capsule == nullptr) {
    stream->release(stream.get());
    throw py::error_already_set();
  }
  stream.release();
  return py::reinterpret_steal<py::object>(capsule);
}

py::tuple Targets(const BoundSweeper& self) {
  py::list targets;
  for (const ListedTarget& listed : self.targets) {
    const Target& target = listed.target;
    targets.append(py::make_tuple(Text(listed.label), Text(target.backend()), Text(target.sdk()),
                                  Text(target.arch()), Text(target.soc())));
  }
  return py::tuple(targets);
}

}  // namespace

void BindSweep(py::module_& module) {
  py::class_<BoundTable>(module, "SweepTable", py::module_local(), py::is_final(),
                         "A table of a sweep; pyarrow.table() takes it.")
      .def("__len__", [](const BoundTable& self) { return self.result.rows(self.table); })
      .def(
          "__arrow_c_stream__",
          [](const BoundTable& self, const py::object&) { return Stream(self); },
          py::arg("requested_schema") = py::none(),
          "A PyCapsule of Arrow's C stream interface.");
  py::class_<BoundSweeper>(module, "Sweeper", py::module_local(), py::is_final(),
                           "Behind quantgate.sweep.")
      .def(py::init(&MakeSweeper), py::arg("targets"), py::arg("backend"), py::arg("sdks"),
           py::arg("route"), py::arg("mode"), py::arg("fail_on"), py::arg("database"))
      .def_property_readonly("targets", &Targets)
      .def("run", &Run, py::arg("inputs"), py::arg("threads"), py::arg("findings"),
           py::arg("nodes"));
  module.def(
      "expand_folder",
      [](const std::string& path) {
        absl::StatusOr<std::vector<std::string>> files = absl::InternalError("");
        {
          const py::gil_scoped_release unlocked;
          files = ExpandFolders({path});
        }
        if (!files.ok()) RaiseInputError("", files.status());
        return Texts(*files);
      },
      py::arg("path"));
  module.def(
      "has_model_ending", [](const std::string& path) { return HasModelEnding(path); },
      py::arg("path"));
}

}  // namespace quantgate::python
