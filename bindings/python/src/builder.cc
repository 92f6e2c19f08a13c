// Models made tensor by tensor and node by node: what readers of Python's own graphs call.
#include "bindings/python/src/builder.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/text.h"
#include "quantgate/text.h"
#include "quantgate/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

std::string Quoted(std::string_view name) { return '"' + Printable(name, 100) + '"'; }

std::string Name(py::handle object, std::string_view what) {
  return std::string(Utf8(object, what));
}

Dtype DtypeOf(py::handle object) {
  if (object.is_none()) return Dtype::kUndefined;
  std::optional<Dtype> dtype;
  if (PyUnicode_Check(object.ptr())) {
    const std::string_view name = Utf8(object, "dtype");
    dtype = DtypeFromName(name);
    if (!dtype) ThrowValue("dtype", "unknown datatype " + Quoted(name));
    return *dtype;
  }
  const int64_t number = Integer(object, "dtype");
  if (number >= 0 && number <= UINT32_MAX) {
    dtype = DtypeFromQnnValue(static_cast<uint32_t>(number));
  }
  if (!dtype) ThrowValue("dtype", "no datatype of QNN has the number " + std::to_string(number));
  return *dtype;
}

Dialect DialectOf(py::handle object) {
  const std::string_view name = Utf8(object, "dialect");
  const std::optional<Dialect> dialect = DialectFromName(name);
  if (!dialect) ThrowValue("dialect", "unknown value " + Quoted(name) + "; known: qnn, onnx, aten");
  return *dialect;
}

ParamValue ExplicitParam(py::handle object, const std::string& what) {
  const auto dict = py::reinterpret_borrow<py::dict>(object);
  if (dict.size() == 1) {
    const auto [key, value] = *dict.begin();
    const std::string_view kind = Utf8(key, what);
    if (kind == "int") return IntParam{Integer(value, what)};
    if (kind == "uint") {
      const int64_t number = Integer(value, what);
      if (number < 0) ThrowValue(what, std::to_string(number) + " is no unsigned integer");
      return UintParam{static_cast<uint64_t>(number)};
    }
    if (kind == "real") return Real(value, what);
    if (kind == "flag") return Integer(value, what) != 0;
    if (kind == "tensor" && IsArray(value)) {
      return ReadTensorParam(value, what);
    }
  }
  ThrowValue(what,
             "a dict has one key: int, uint, real or flag with a number, tensor with an "
             "array");
}

ParamValue SequenceParam(py::handle object, const std::string& what) {
  const auto items = py::reinterpret_steal<py::object>(PySequence_Tuple(object.ptr()));
  if (!items) throw py::error_already_set();
  std::vector<std::string> texts;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  bool is_real = false;
  size_t i = 0;
  for (const py::handle item : items) {
    const std::string place = what + "[" + std::to_string(i++) + "]";
    if (PyUnicode_Check(item.ptr())) {
      texts.push_back(Name(item, place));
      continue;
    }
    is_real = is_real || PyFloat_Check(item.ptr());
    if (!is_real) ints.push_back(Integer(item, place));
    reals.push_back(Real(item, place));
  }
  if (!texts.empty() && !reals.empty()) ThrowValue(what, "both texts and numbers");
  if (!texts.empty()) return texts;
  if (is_real) return reals;
  return ints;
}

void ReadShape(py::handle shape, Tensor& tensor) {
  if (shape.is_none()) {
    tensor.unknown_rank = true;
    return;
  }
  const auto add = [&](py::handle dim, Py_ssize_t i) {
    // The common case without a name made for it.
    if (PyLong_CheckExact(dim.ptr())) {
      const long long value = PyLong_AsLongLong(dim.ptr());
      if (value != -1 || PyErr_Occurred() == nullptr) return tensor.dims.push_back(value);
      PyErr_Clear();
    }
    const std::string place = "shape[" + std::to_string(i) + "]";
    tensor.dims.push_back(dim.is_none() ? kDynamicDim : Integer(dim, place));
  };
  if (PyTuple_Check(shape.ptr())) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape.ptr()); ++i) {
      add(PyTuple_GET_ITEM(shape.ptr(), i), i);
    }
  } else if (PyList_Check(shape.ptr())) {
    const auto items = py::reinterpret_steal<py::tuple>(PyList_AsTuple(shape.ptr()));
    ReadShape(items, tensor);
  } else {
    ThrowType("shape", "a tuple or list of ints, or None", shape);
  }
}

template <typename Ids>
void ReadIds(const Model& model, py::handle object, const char* what, Ids& ids) {
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr())) {
    ThrowType(what, "a tuple or list of tensors", object);
  }
  const auto items = py::reinterpret_steal<py::tuple>(PySequence_Tuple(object.ptr()));
  if (!items) throw py::error_already_set();
  Py_ssize_t i = 0;
  for (const py::handle item : items) {
    const Py_ssize_t place = i++;
    if (item.is_none()) {
      ids.push_back(kNoTensor);
      continue;
    }
    const auto name = [&] { return std::string(what) + "[" + std::to_string(place) + "]"; };
    const int64_t id =
        PyLong_CheckExact(item.ptr()) ? PyLong_AsLongLong(item.ptr()) : Integer(item, name());
    PyErr_Clear();
    if (id < 0 || id >= static_cast<int64_t>(model.tensors.size())) {
      ThrowValue(name(), "there is no tensor " + std::string(py::str(item)).substr(0, 40) +
                             "; tensor() gives their numbers");
    }
    ids.push_back(static_cast<TensorId>(id));
  }
}

void ReadParams(py::handle object, Node& node) {
  if (!PyDict_Check(object.ptr())) ThrowType("params", "a dict", object);
  // A copy: converting a value may run code that changes the caller's.
  const auto params = py::reinterpret_steal<py::dict>(PyDict_Copy(object.ptr()));
  std::vector<Param>& list = node.params.Edit();
  list.reserve(params.size());
  for (const auto& [key, value] : params) {
    std::string name = Name(key, "params");
    const std::string what = "params[" + Quoted(name) + "]";
    list.push_back({std::move(name), ParamOf(value, what)});
  }
}

}  // namespace

ParamValue ParamOf(py::handle object, const std::string& what) {
  PyObject* const value = object.ptr();
  if (PyBool_Check(value)) return value == Py_True;
  if (PyLong_Check(value)) return IntParam{Integer(object, what)};
  if (PyFloat_Check(value)) return Real(object, what);
  if (PyUnicode_Check(value)) return Name(object, what);
  if (PyDict_Check(value)) return ExplicitParam(object, what);
  if (PyList_Check(value) || PyTuple_Check(value)) return SequenceParam(object, what);
  if (IsArray(object)) return ParamOf(py::dict(py::arg("tensor") = object), what);
  if (PyIndex_Check(value)) return IntParam{Integer(object, what)};
  ThrowType(what, "a bool, int, float, str, sequence of those, array or dict", object);
}

Builder::Builder(const py::object& name, const py::object& dialect, const py::object& source)
    : builder_(Name(name, "name"), DialectOf(dialect)) {
  source_ = source.is_none() ? builder_.model().name : Name(source, "source");
}

TensorId Builder::AddTensor(const py::object& name, const py::object& dtype,
                            const py::object& shape, bool is_static, const py::object& encoding,
                            const py::object& values, const py::object& sparse) {
  CheckUnused();
  Tensor tensor;
  tensor.name = Name(name, "name");
  tensor.dtype = DtypeOf(dtype);
  tensor.is_static = is_static;
  ReadShape(shape, tensor);
  if (!encoding.is_none()) {
    if (!py::isinstance<Encoding>(encoding)) ThrowType("encoding", "an Encoding", encoding);
    tensor.encoding = encoding.cast<const Encoding&>();
  }
  if (!values.is_none()) {
    Constant constant = ReadConstant(values, "values");
    tensor.values = std::move(constant.values);
    tensor.value_range = constant.range;
  }
  if (!sparse.is_none()) tensor.sparse = Integer(sparse, "sparse");
  return Add(std::move(tensor));
}

int32_t Builder::AddNode(const py::object& op, const py::object& inputs, const py::object& outputs,
                         const py::object& name, const py::object& params,
                         const py::object& dialect, const py::object& domain,
                         const py::object& location, const py::object& unchecked_reason) {
  CheckUnused();
  Node node;
  node.op = Name(op, "op");
  if (node.op.empty()) ThrowValue("op", "is empty");
  node.name = Name(name, "name");
  ReadIds(builder_.model(), inputs, "inputs", node.inputs);
  ReadIds(builder_.model(), outputs, "outputs", node.outputs);
  if (!params.is_none()) ReadParams(params, node);
  if (!dialect.is_none()) node.dialect = DialectOf(dialect);
  node.domain = Name(domain, "domain");
  node.location = Name(location, "location");
  node.unchecked_reason = Name(unchecked_reason, "unchecked_reason");
  return Add(std::move(node));
}

void Builder::AddNote(const py::object& note) {
  CheckUnused();
  builder_.AddNote(Name(note, "note"));
}

std::shared_ptr<LoadedModel> Builder::Build(const py::object& inputs, const py::object& outputs) {
  CheckUnused();
  std::vector<TensorId> begins, ends;
  if (!inputs.is_none()) ReadIds(builder_.model(), inputs, "inputs", begins);
  if (!outputs.is_none()) ReadIds(builder_.model(), outputs, "outputs", ends);
  absl::StatusOr<Model> model = [&] {
    const py::gil_scoped_release unlocked;
    return builder_.Build(std::move(begins), std::move(ends));
  }();
  if (!model.ok()) RaiseInputError(source_, model.status());
  used_ = true;
  return std::make_shared<LoadedModel>(LoadedModel{*std::move(model), source_});
}

void Builder::CheckUnused() const {
  if (used_) throw std::runtime_error("build() has been called: its model can't change");
}

TensorId Builder::Add(Tensor tensor) {
  CheckUnused();
  const absl::StatusOr<TensorId> added = builder_.Add(std::move(tensor));
  if (!added.ok()) throw py::value_error(std::string(added.status().message()));
  return *added;
}

int32_t Builder::Add(Node node) {
  CheckUnused();
  const absl::StatusOr<int32_t> added = builder_.Add(std::move(node));
  if (!added.ok()) throw py::value_error(std::string(added.status().message()));
  return *added;
}

void BindBuilder(py::module_& module) {
  py::class_<Builder>(module, "ModelBuilder", py::module_local(), py::is_final(),
                      "Makes a Model of tensors and nodes, each known by the number it was added "
                      "as. Not for use by several threads at once.\n\n"
                      "Methods raise TypeError and ValueError that name the argument.")
      .def(py::init<const py::object&, const py::object&, const py::object&>(),
           py::arg("name") = "model", py::kw_only(), py::arg("dialect") = "qnn",
           py::arg("source") = py::none(),
           "dialect: the language of the ops, 'qnn', 'onnx' or 'aten'; source: what stands for\n"
           "the file in reports, by default the name.")
      .def("tensor", &Builder::AddTensor, py::arg("name"), py::arg("dtype") = py::none(),
           py::arg("shape") = py::tuple(), py::kw_only(), py::arg("static") = false,
           py::arg("encoding") = py::none(), py::arg("values") = py::none(),
           py::arg("sparse") = py::none(),
           "Adds a tensor and returns its number.\n\n"
           "name: unlike all others; dtype: QNN's name or number ('UFIXED_POINT_8', 0x0408),\n"
           "None: unknown; shape: ints, -1 or None: dynamic, None as a whole: unknown rank.\n"
           "values: of a constant, as stored and in row-major order, one for all or as many as\n"
           "the shape has; of more than 4096 only the smallest and largest are looked up, in the\n"
           "array itself. sparse: number of specified elements.")
      .def("node", &Builder::AddNode, py::arg("op"), py::arg("inputs"), py::arg("outputs"),
           py::kw_only(), py::arg("name") = "", py::arg("params") = py::none(),
           py::arg("dialect") = py::none(), py::arg("domain") = "", py::arg("location") = "",
           py::arg("unchecked_reason") = "",
           "Adds a node and returns its number.\n\n"
           "inputs, outputs: numbers of tensors, None: absent. params: by name; bool, int, float,\n"
           "str, lists of those, arrays; {'uint': 1}, {'int': 1}, {'real': 1.0}, {'flag': True}\n"
           "and {'tensor': array} say it as Model JSON does. location: where the user wrote it\n"
           "('model.py:42'). unchecked_reason: why nothing can be said of it.")
      .def("note", &Builder::AddNote, py::arg("note"),
           "Says in the head of reports what could not be looked at.")
      .def("build", &Builder::Build, py::kw_only(), py::arg("inputs") = py::none(),
           py::arg("outputs") = py::none(),
           "The model; the builder can't be used afterwards.\n\n"
           "inputs, outputs: of the graph; None: what nothing produces, what nothing consumes.\n"
           "Raises InputError for a tensor name that comes twice, a tensor with two producers or\n"
           "none, and cycles.")
      .def("__repr__", [](const Builder& self) {
        return "<ModelBuilder: " + std::to_string(self.nodes()) + " nodes, " +
               std::to_string(self.tensors()) + " tensors>";
      });
}

}  // namespace quantgate::python
