// The usual call_function node of an annotated FX graph, read without Python's help: what
// quantgate.torch._reader.Reader._call does, for nodes about which nothing is special. All others
// are left to it.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/builder.h"
#include "bindings/python/src/fx_locations.h"
#include "bindings/python/src/fx_python.h"
#include "bindings/python/src/fx_specs.h"
#include "quantgate/encoding.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

// A list of plain integers that are no larger than they may be.
bool IntsIn(PyObject* list, std::vector<int64_t>& ints) {
  if (PyList_Check(list) == 0 || PyList_GET_SIZE(list) == 0) return false;
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); ++i) {
    PyObject* const item = PyList_GET_ITEM(list, i);
    int overflow = 0;
    if (PyLong_CheckExact(item) == 0) return false;
    ints.push_back(PyLong_AsLongLongAndOverflow(item, &overflow));
    if (overflow != 0) return false;
  }
  return true;
}

class FxCalls {
 public:
  // `reader`: a quantgate.torch._reader.Reader, whose state this shares.
  FxCalls(const py::object& reader, Builder& builder)
      : builder_(builder),
        values_(reader.attr("_values")),
        quantized_(reader.attr("_quantized")),
        roots_(reader.attr("_roots")),
        problems_(reader.attr("_problems")),
        specs_(reader),
        locations_(py::module_::import("quantgate.torch._location")) {
    builder_.Reserve(py::len(reader.attr("_graph").attr("nodes")));
    const py::module_ module = py::module_::import("quantgate.torch._reader");
    node_type_ = module.attr("Node");
    constant_type_ = module.attr("Constant");
    operator_of_ = module.attr("operator_of");
    param_value_ = module.attr("param_value");
    tensor_type_ = module.attr("torch").attr("Tensor");
    const std::array<std::pair<py::object*, const char*>, 16> names = {{
        {&n_op_, "op"},
        {&call_, "call_function"},
        {&n_target_, "target"},
        {&n_args_, "_args"},
        {&n_kwargs_, "_kwargs"},
        {&n_meta_, "meta"},
        {&n_name_, "name"},
        {&n_users_, "users"},
        {&n_val_, "val"},
        {&n_annotation_, "quantization_annotation"},
        {&n_inputs_, "input_qspec_map"},
        {&n_output_, "output_qspec"},
        {&n_sharing_, "allow_implicit_sharing"},
        {&n_shape_, "shape"},
        {&n_dtype_, "dtype"},
        {&n_floating_, "is_floating_point"},
    }};
    for (const auto& [object, name] : names) {
      *object = Interned(name);
    }
  }

  // Reads all nodes in turn; unusual ones are handed to `other`.
  void ReadAll(const py::iterable& nodes, const py::object& other);

 private:
  // True: the node was read. False: nothing was done.
  bool Read(const py::object& node);

  struct Argument {
    py::object name;
    std::string text;
    bool is_tensor = false, is_param = false;
  };
  struct Operator {
    bool usual = false, keeps_values = false, writes = false;
    std::string name;
    std::vector<Argument> arguments;
    std::vector<Param> defaults;
  };
  struct Result {
    Tensor tensor;
    const FxSpec* plain = nullptr;  // the spec of its observer; null: that of `shared`
    py::object shared;
  };
  struct Input {
    py::handle source;  // the node that makes it; null: absent
    TensorId tensor = kNoTensor;
    py::handle constant;  // a Constant that becomes a tensor, with `spec`
    const FxSpec* spec = nullptr;
    py::handle quantized;  // of `tensor`, once it is there
    py::handle resolved;   // of the edge, where its spec is a shared one
  };

  const Operator& OperatorOf(const py::object& target);
  bool Floating(py::handle dtype);
  bool Arguments(const py::object& node, const Operator& op, py::handle specs, bool sharing);
  bool Sources(py::handle item, py::handle specs, bool sharing);
  bool Source(py::handle item, py::handle specs, bool sharing);
  bool Derivable(const FxSpec& spec, py::handle node, size_t before) const;
  // The spec of the output: a choice of `plain`, or what `shared` stands for.
  bool Output(py::handle spec, py::handle node, bool sharing, const FxSpec*& plain,
              py::object& shared);
  bool ReadShape(py::handle shape, Tensor& tensor) const;
  bool ReadParam(py::handle item, const Argument& argument);
  void AddConstant(Input& input, py::handle node);
  TensorId AddTensor(Tensor tensor, const FxKnown& known, py::handle spec);
  void AddNode(const py::object& node, const Operator& op, py::handle meta, Result result);
  std::string_view Problem(const Node& node) const;

  Builder& builder_;
  py::object values_, quantized_, roots_, problems_;
  FxSpecs specs_;
  FxLocations locations_;
  py::object node_type_, constant_type_, operator_of_, param_value_, tensor_type_;
  py::object n_op_, call_, n_target_, n_args_, n_kwargs_, n_meta_, n_name_, n_users_, n_val_, n_annotation_, n_inputs_,
      n_output_, n_sharing_, n_shape_, n_dtype_, n_floating_;
  absl::flat_hash_map<PyObject*, Operator> operators_;  // targets live as long as their graph
  absl::flat_hash_map<PyObject*, bool> floating_;
  // Of the node that is being read.
  absl::InlinedVector<Input, 4> inputs_;
  std::vector<Param> params_;
};

const FxCalls::Operator& FxCalls::OperatorOf(const py::object& target) {
  const auto [it, added] = operators_.try_emplace(target.ptr());
  Operator& op = it->second;
  if (!added) return op;
  const py::object known = operator_of_(target);
  if (known.is_none() || !known.attr("quantizer").cast<std::string>().empty()) return op;
  op.name = known.attr("name").cast<std::string>();
  op.keeps_values = known.attr("keeps_values").cast<bool>();
  op.writes = known.attr("writes").cast<bool>();
  for (const py::handle argument : known.attr("arguments")) {
    Argument& made = op.arguments.emplace_back();
    made.name = argument.attr("name");
    made.text = made.name.cast<std::string>();
    made.is_tensor = argument.attr("is_tensor").cast<bool>();
    made.is_param = argument.attr("is_param").cast<bool>();
  }
  for (const auto& [name, value] : known.attr("defaults").cast<py::dict>()) {
    op.defaults.push_back({name.cast<std::string>(), ParamOf(value, "params")});
  }
  op.usual = true;
  return op;
}

bool FxCalls::Floating(py::handle dtype) {
  const auto [it, added] = floating_.try_emplace(dtype.ptr(), false);
  if (added) it->second = Get(dtype, n_floating_).is(py::bool_(true));
  return it->second;
}

// One tensor: false where something about it is special.
bool FxCalls::Source(py::handle item, py::handle specs, bool sharing) {
  Input& input = inputs_.emplace_back();
  if (item.is_none()) return true;
  if (!IsA(item, node_type_)) return false;
  const py::handle value = Item(values_, item);
  if (!value) return false;
  input.source = item;
  const py::handle spec = specs ? Item(specs, item) : py::handle();
  if (PyLong_CheckExact(value.ptr()) != 0) {
    input.tensor = static_cast<TensorId>(PyLong_AsLong(value.ptr()));
    input.quantized = Item(quantized_, value);
    if (!spec || spec.is_none()) return true;
    const FxSpec& read = specs_.Of(spec);
    if (read.kind == FxSpec::Kind::kShared) {
      input.resolved = specs_.Shared(spec);
      return input.resolved && input.quantized &&
             PyTuple_GET_ITEM(input.resolved.ptr(), 0) == input.quantized.ptr();
    }
    // The edge has the observer of what it comes from, where the specs agree.
    const py::handle root = Item(roots_, value);
    return sharing && read.kind == FxSpec::Kind::kPlain && root && !root.is_none() &&
           specs_.Same(root, spec);
  }
  if (!IsA(value, constant_type_) || !spec || spec.is_none()) return false;
  // A parameter that nobody else reads, with a spec of its own.
  if (PyTuple_GET_ITEM(value.ptr(), 2) != Py_None ||
      PyUnicode_GET_LENGTH(PyTuple_GET_ITEM(value.ptr(), 3)) != 0) {
    return false;
  }
  const py::object users = TryGet(item, n_users_);
  if (!users || PyDict_Check(users.ptr()) == 0 || PyDict_GET_SIZE(users.ptr()) != 1) return false;
  for (size_t i = 0; i + 1 < inputs_.size(); ++i) {
    if (inputs_[i].source.is(item)) return false;
  }
  const py::object dtype = TryGet(PyTuple_GET_ITEM(value.ptr(), 1), n_dtype_);
  if (!dtype || !Floating(dtype)) return false;
  Input& last = inputs_.back();
  last.constant = value;
  last.spec = &specs_.Of(spec);
  return last.spec->kind == FxSpec::Kind::kPlain || last.spec->kind == FxSpec::Kind::kDerived;
}

// A tensor argument or a list of them.
bool FxCalls::Sources(py::handle item, py::handle specs, bool sharing) {
  if (PyList_Check(item.ptr()) == 0) return Source(item, specs, sharing);
  for (Py_ssize_t i = 0; i < PyList_GET_SIZE(item.ptr()); ++i) {
    if (!Source(PyList_GET_ITEM(item.ptr(), i), specs, sharing)) return false;
  }
  return true;
}

// Whether a bias derives from inputs of this node that are known when its turn comes.
bool FxCalls::Derivable(const FxSpec& spec, py::handle node, size_t before) const {
  const py::object sources = specs_.Sources(spec);
  if (!sources) return false;
  for (const py::handle place : sources) {
    if (PyTuple_Check(place.ptr()) == 0 || PyTuple_GET_SIZE(place.ptr()) != 2 ||
        PyTuple_GET_ITEM(place.ptr(), 1) != node.ptr()) {
      return false;
    }
    bool found = false;
    for (size_t i = 0; i < before && !found; ++i) {
      const Input& input = inputs_[i];
      found = input.source.ptr() == PyTuple_GET_ITEM(place.ptr(), 0) &&
              (input.constant ? input.spec->kind == FxSpec::Kind::kPlain : bool(input.quantized));
    }
    if (!found) return false;
  }
  return true;
}

bool FxCalls::Output(py::handle object, py::handle node, bool sharing, const FxSpec*& plain,
                     py::object& shared) {
  if (!object || object.is_none()) return false;
  const FxSpec& spec = specs_.Of(object);
  if (spec.kind == FxSpec::Kind::kPlain) {
    plain = &spec;
    return true;
  }
  if (spec.kind != FxSpec::Kind::kShared) return false;
  py::handle resolved = specs_.Shared(object);
  const py::object place = specs_.Place(object);
  if (!resolved && place && IsSequence(place)) {
    const auto edge = py::reinterpret_steal<py::tuple>(PySequence_Tuple(place.ptr()));
    if (!edge || edge.size() != 2 || !py::handle(edge[1]).is(node)) return false;
    // An edge of this node: what was found of it, which is what its producer's output has.
    for (const Input& input : inputs_) {
      if (!input.source || !input.source.is(edge[0]) || input.constant || !input.quantized)
        continue;
      resolved = input.resolved ? input.resolved : sharing ? Item(specs_.known(), edge[0]) : py::handle();
      break;
    }
  }
  if (!specs_.IsResolved(resolved)) return false;
  shared = py::reinterpret_borrow<py::object>(resolved);
  return true;
}

bool FxCalls::ReadShape(py::handle shape, Tensor& tensor) const {
  if (!shape || PyTuple_Check(shape.ptr()) == 0) return false;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape.ptr()); ++i) {
    PyObject* const dim = PyTuple_GET_ITEM(shape.ptr(), i);
    if (PyLong_CheckExact(dim) == 0) return false;
    tensor.dims.push_back(PyLong_AsLongLong(dim));
  }
  return true;
}

bool FxCalls::ReadParam(py::handle item, const Argument& argument) {
  const auto at = std::find_if(params_.begin(), params_.end(),
                               [&](const Param& param) { return param.name == argument.text; });
  py::object value = py::reinterpret_borrow<py::object>(item);
  PyObject* const object = item.ptr();
  const bool plain = PyLong_CheckExact(object) != 0 || PyBool_Check(object) != 0 ||
                     PyFloat_CheckExact(object) != 0 || item.is_none();
  std::vector<int64_t> ints;
  const bool is_ints = IntsIn(object, ints);
  if (!plain && !is_ints) value = param_value_(item);
  if (value.is_none()) {
    if (at != params_.end()) params_.erase(at);
    return true;
  }
  ParamValue param = is_ints ? ParamValue(std::move(ints)) : ParamOf(value, argument.text);
  if (at != params_.end()) {
    at->value = std::move(param);
  } else {
    params_.push_back({argument.text, std::move(param)});
  }
  return true;
}

TensorId FxCalls::AddTensor(Tensor tensor, const FxKnown& known, py::handle spec) {
  tensor.dtype = known.dtype;
  tensor.encoding = *known.encoding;
  const TensorId id = builder_.Add(std::move(tensor));
  const py::int_ number(id);
  SetItem(quantized_, number, known.quantized);
  SetItem(roots_, number, spec);
  return id;
}

void FxCalls::AddConstant(Input& input, py::handle node) {
  Tensor tensor;
  tensor.name = TextOf(Get(input.source, n_name_));
  tensor.is_static = true;
  const py::object shape = Get(PyTuple_GET_ITEM(input.constant.ptr(), 1), n_shape_);
  if (!shape) throw py::error_already_set();
  ReadShape(shape, tensor);
  if (input.spec->kind == FxSpec::Kind::kPlain) {
    const FxKnown& known = specs_.Choose(*input.spec);
    const py::tuple edge = py::make_tuple(input.source, node);
    SetItem(specs_.known(), edge, known.resolved);
    input.tensor = AddTensor(std::move(tensor), known, known.spec);
    input.quantized = known.quantized;
    return;
  }
  py::list parts;
  for (const py::handle place : specs_.Sources(*input.spec)) {
    for (const Input& other : inputs_) {
      if (other.source.ptr() != PyTuple_GET_ITEM(place.ptr(), 0)) continue;
      parts.append(other.quantized);
      break;
    }
  }
  const py::object derived = specs_.Derived(*input.spec, parts);
  if (PyUnicode_Check(derived.ptr()) == 0) {
    input.tensor =
        AddTensor(std::move(tensor), specs_.Quantized(derived, input.spec->spec), input.spec->spec);
    return;
  }
  input.tensor = builder_.Add(std::move(tensor));
  SetItem(problems_, py::int_(input.tensor), derived);
}

void FxCalls::ReadAll(const py::iterable& nodes, const py::object& other) {
  // Not pybind11's loop: it asks once more at the end, where that of FX begins anew.
  const auto iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(nodes.ptr()));
  if (!iterator) throw py::error_already_set();
  while (const auto node = py::reinterpret_steal<py::object>(PyIter_Next(iterator.ptr()))) {
    const py::object op = TryGet(node, n_op_);
    const bool is_call = op && (op.is(call_) || (PyUnicode_Check(op.ptr()) != 0 &&
                                                 PyUnicode_Compare(op.ptr(), call_.ptr()) == 0));
    if (!is_call || !Read(node)) other(node);
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

bool FxCalls::Read(const py::object& node) {
  const py::object target = TryGet(node, n_target_), meta = TryGet(node, n_meta_);
  if (!target || !meta || PyDict_Check(meta.ptr()) == 0) return false;
  const Operator& op = OperatorOf(target);
  const py::handle value = Item(meta, n_val_), annotation = Item(meta, n_annotation_);
  if (!op.usual || !value || !annotation || annotation.is_none() ||
      PyType_IsSubtype(Py_TYPE(value.ptr()), reinterpret_cast<PyTypeObject*>(tensor_type_.ptr())) ==
          0) {
    return false;
  }
  // Into a part of another tensor, maybe.
  const py::object users = op.writes ? TryGet(node, n_users_) : py::object();
  if (users && PyDict_Check(users.ptr()) != 0 && PyDict_GET_SIZE(users.ptr()) == 0) return false;
  const py::object specs = TryGet(annotation, n_inputs_);
  if (!specs || PyDict_Check(specs.ptr()) == 0) return false;
  const py::object sharing_flag = TryGet(annotation, n_sharing_);
  const bool sharing = !sharing_flag || PyObject_IsTrue(sharing_flag.ptr()) == 1;
  if (!Arguments(node, op, specs, sharing)) return false;
  Result result;
  if (!Output(TryGet(annotation, n_output_), node, sharing, result.plain, result.shared)) return false;
  // Its observer may see what another one sees already.
  if (op.keeps_values && result.plain != nullptr && result.plain->choices[0].stand_in) return false;
  const py::object dtype = TryGet(value, n_dtype_);
  if (!dtype || !Floating(dtype) || !ReadShape(TryGet(value, n_shape_), result.tensor)) return false;
  result.tensor.name = TextOf(Get(node, n_name_));
  if (result.tensor.name.empty()) return false;
  // Nothing is special: from here on it is read.
  AddNode(node, op, meta, std::move(result));
  return true;
}

// The arguments of a node, into `inputs_` and `params_`: false where something about one is special.
bool FxCalls::Arguments(const py::object& node, const Operator& op, py::handle specs, bool sharing) {
  const py::object args = TryGet(node, n_args_), kwargs = TryGet(node, n_kwargs_);
  if (!args || PyTuple_Check(args.ptr()) == 0 || !kwargs || PyDict_Check(kwargs.ptr()) == 0) {
    return false;
  }
  inputs_.clear();
  params_ = op.defaults;
  const auto given = static_cast<size_t>(PyTuple_GET_SIZE(args.ptr()));
  const bool named = PyDict_GET_SIZE(kwargs.ptr()) != 0;
  for (size_t i = 0; i < op.arguments.size(); ++i) {
    const Argument& argument = op.arguments[i];
    py::handle item;
    if (i < given) {
      item = PyTuple_GET_ITEM(args.ptr(), static_cast<Py_ssize_t>(i));
    } else if (named) {
      item = Item(kwargs, argument.name);
    }
    if (!item) {
      if (argument.is_tensor) inputs_.emplace_back();
    } else if (argument.is_tensor) {
      if (!Sources(item, specs, sharing)) return false;
    } else if (argument.is_param && !ReadParam(item, argument)) {
      return false;
    }
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    if (input.spec != nullptr && input.spec->kind == FxSpec::Kind::kDerived &&
        !Derivable(*input.spec, node, i)) {
      return false;
    }
  }
  return true;
}

void FxCalls::AddNode(const py::object& node, const Operator& op, py::handle meta, Result result) {
  Node made;
  made.name = result.tensor.name;
  made.op = op.name;
  for (Input& input : inputs_) {
    if (input.constant) AddConstant(input, node);
    made.inputs.push_back(input.tensor);
  }
  while (!made.inputs.empty() && made.inputs.back() == kNoTensor) made.inputs.pop_back();
  const FxKnown& known =
      result.plain != nullptr ? specs_.Choose(*result.plain) : specs_.Resolved(std::move(result.shared));
  SetItem(specs_.known(), node, known.resolved);
  const TensorId id = AddTensor(std::move(result.tensor), known, known.spec);
  SetItem(values_, node, py::int_(id));
  made.outputs.push_back(id);
  made.params = std::move(params_);
  made.location = locations_.Of(meta);
  made.unchecked_reason = Problem(made);
  builder_.Add(std::move(made));
}

// What is wrong with the first input of which something is; else empty.
std::string_view FxCalls::Problem(const Node& node) const {
  if (PyDict_GET_SIZE(problems_.ptr()) == 0) return {};
  for (const TensorId input : node.inputs) {
    if (input == kNoTensor) continue;
    if (const py::handle reason = Item(problems_, py::int_(input))) return TextOf(reason);
  }
  return {};
}

}  // namespace

void BindFxCalls(py::module_& module) {
  py::class_<FxCalls>(module, "FxCalls", py::module_local(), py::is_final(),
                      "Behind quantgate.torch: reads the usual nodes of an annotated graph.")
      .def(py::init<const py::object&, Builder&>(), py::arg("reader"), py::arg("builder"),
           py::keep_alive<1, 3>())
      .def("read_all", &FxCalls::ReadAll, py::arg("nodes"), py::arg("other"),
           "Nodes in turn; those that are unusual are handed to `other`.");
}

}  // namespace quantgate::python
