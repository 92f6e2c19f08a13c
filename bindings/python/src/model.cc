#include "bindings/python/src/model.h"

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/text.h"
#include "quantgate/reader.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

// The bytes of a buffer of the caller's, held for as long as this lives.
class Bytes {
 public:
  explicit Bytes(const py::object& object) {
    if (PyUnicode_Check(object.ptr())) {
      Py_ssize_t size = 0;
      const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
      if (data == nullptr) throw py::error_already_set();
      view_ = {data, static_cast<size_t>(size)};
      return;
    }
    if (PyObject_GetBuffer(object.ptr(), &buffer_, PyBUF_SIMPLE) != 0) {
      throw py::error_already_set();
    }
    view_ = {static_cast<const char*>(buffer_.buf), static_cast<size_t>(buffer_.len)};
  }
  ~Bytes() {
    if (buffer_.obj != nullptr) PyBuffer_Release(&buffer_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::string_view view() const { return view_; }

 private:
  Py_buffer buffer_ = {};
  std::string_view view_;
};

std::shared_ptr<LoadedModel> Loaded(absl::StatusOr<Model> model, const std::string& source) {
  if (!model.ok()) RaiseInputError(source, model.status());
  return std::make_shared<LoadedModel>(LoadedModel{*std::move(model), source});
}

std::optional<InputFormat> Format(const std::optional<std::string>& name) {
  if (!name) return std::nullopt;
  const std::optional<InputFormat> format = InputFormatFromName(*name);
  if (!format) {
    throw py::value_error("unknown format '" + *name +
                          "'; known: onnx, model, jsonl, binpb, qnn, pt2, tflite");
  }
  return format;
}

py::list ReadFile(const std::string& path, const std::optional<std::string>& format_name) {
  const std::optional<InputFormat> format = Format(format_name);
  std::vector<ReadModel> read;
  absl::Status status;
  {
    const py::gil_scoped_release unlocked;
    // "-" is a file's name here: a library doesn't read standard input by surprise.
    status = ReadInput(path == "-" ? "./-" : path, format,
                       [&](ReadModel model) { read.push_back(std::move(model)); });
  }
  if (!status.ok()) RaiseInputError(path, status);
  py::list models;
  for (ReadModel& model : read) models.append(Loaded(std::move(model.model), model.source));
  return models;
}

std::shared_ptr<LoadedModel> ReadBytes(const py::object& data, const std::string& name,
                                       const std::string& directory,
                                       const std::optional<std::string>& format_name) {
  std::optional<InputFormat> format = Format(format_name);
  const Bytes bytes(data);
  absl::StatusOr<Model> model = absl::InvalidArgumentError(
      "bytes of this format can't be read; give Model JSON, its protobuf form, ONNX or TFLite");
  {
    const py::gil_scoped_release unlocked;
    absl::Status status;
    if (!format) {
      const absl::StatusOr<InputFormat> guessed = GuessFormat("", bytes.view());
      if (guessed.ok()) {
        format = *guessed;
      } else {
        model = guessed.status();
      }
    }
    if (format == InputFormat::kOnnx) model = ReadOnnx(bytes.view(), name, directory);
    if (format == InputFormat::kModelJson) model = ReadModelJson(bytes.view(), name);
    if (format == InputFormat::kModelBinpb) model = ReadModelBinpb(bytes.view(), name);
    if (format == InputFormat::kTflite) model = ReadTflite(bytes.view(), name);
  }
  return Loaded(std::move(model), name);
}

py::str ToJson(const LoadedModel& self, int indent) {
  std::string json;
  {
    const py::gil_scoped_release unlocked;
    json = WriteModelJson(self.model, indent);
  }
  return Text(json);
}

std::string Repr(const LoadedModel& self) {
  return "<quantgate.Model '" + self.model.name + "': " + std::to_string(self.model.nodes.size()) +
         " nodes, " + std::to_string(self.model.tensors.size()) + " tensors, dialect " +
         std::string(DialectName(self.model.dialect)) + ">";
}

using ModelClass = py::class_<LoadedModel, std::shared_ptr<LoadedModel>>;

void DefineReaders(ModelClass& model) {
  model
      .def_static(
          "from_json",
          [](const py::object& json, const std::string& name) {
            return ReadBytes(json, name, "", "model");
          },
          py::arg("json"), py::kw_only(), py::arg("name") = "model",
          "Reads Model JSON from text or UTF-8 bytes.\n\n"
          "`name` stands for the file in reports. Raises InputError.")
      .def_static(
          "from_onnx",
          [](const py::object& data, const std::string& name, const std::string& directory) {
            return ReadBytes(data, name, directory, "onnx");
          },
          py::arg("data"), py::kw_only(), py::arg("name") = "model", py::arg("directory") = "",
          "Reads a serialized ONNX ModelProto; weights are skipped.\n\n"
          "`directory` is where external data files lie; empty: they are not looked for.\n"
          "Raises InputError.")
      .def("to_json", &ToJson, py::arg("indent") = 1,
           "Model JSON, spread over lines with `indent` spaces; 0: one line.");
}

void DefineFields(ModelClass& model) {
  model
      .def_property_readonly(
          "name", [](const LoadedModel& self) { return Text(self.model.name); },
          "The graph's name, or that of its file.")
      .def_property_readonly("source", Text(&LoadedModel::source),
                             "The file, or what stands for it in reports.")
      .def_property_readonly(
          "dialect",
          [](const LoadedModel& self) { return Text(DialectName(self.model.dialect)); },
          "'qnn', 'onnx', 'aten' or 'tflite'; decides the default route.")
      .def_property_readonly(
          "notes", [](const LoadedModel& self) { return Texts(self.model.notes); },
          "What the reader could not look at, in words.")
      .def_property_readonly(
          "tensors",
          [](const std::shared_ptr<LoadedModel>& self) {
            return Parts(self, self->model.tensors);
          },
          "All of them, in the order that inputs, outputs and nodes count.")
      .def_property_readonly(
          "nodes",
          [](const std::shared_ptr<LoadedModel>& self) {
            return Parts(self, self->model.nodes);
          },
          "All of them, in file order.");
}

}  // namespace

void BindModel(py::module_& module) {
  ModelClass model(module, "Model", py::module_local(), py::is_final(),
                   "A graph as the validator sees it, whatever file it came from. Immutable.");
  DefineReaders(model);
  DefineFields(model);
  model
      .def(py::pickle(
          [](const LoadedModel& self) {
            return py::make_tuple(py::bytes(WriteModelBinpb(self.model)), Text(self.source));
          },
          [](const py::tuple& state) {
            if (state.size() != 2) throw py::value_error("no pickled quantgate.Model");
            return ReadBytes(state[0], state[1].cast<std::string>(), "", "binpb");
          }))
      .def("__len__", [](const LoadedModel& self) { return self.model.nodes.size(); })
      .def("__repr__", [](const LoadedModel& self) { return Text(Repr(self)); });
  Immutable(model);
  module.def("read_file", &ReadFile, py::arg("path"), py::arg("format"));
  module.def("read_bytes", &ReadBytes, py::arg("data"), py::arg("name"), py::arg("directory"),
             py::arg("format"));
}

}  // namespace quantgate::python
