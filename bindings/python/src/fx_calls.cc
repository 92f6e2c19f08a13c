// The usual call_function node of an annotated FX graph, read without Python's help: what
// quantgate.torch._reader.Reader._call does, for nodes about which nothing is special. All others
// are left to it.
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/container/node_hash_map.h"
#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/builder.h"
#include "quantgate/encoding.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

py::object Get(py::handle object, py::handle name) {
  return py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name.ptr()));
}

// Null where it is missing, whatever the reason.
py::object TryGet(py::handle object, py::handle name) {
  py::object value = Get(object, name);
  if (!value) PyErr_Clear();
  return value;
}

// Borrowed; null where it is missing.
py::handle Item(py::handle dict, py::handle key) {
  PyObject* const value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

bool IsA(py::handle object, py::handle type) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type.ptr();
}

void SetItem(py::handle dict, py::handle key, py::handle value) {
  if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
}

std::string_view TextOf(py::handle text) {
  Py_ssize_t size = 0;
  const char* data =
      PyUnicode_Check(text.ptr()) != 0 ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (data == nullptr) {
    PyErr_Clear();
    return {};
  }
  return {data, static_cast<size_t>(size)};
}

// The line of the user's model in a stack trace: the innermost that isn't PyTorch's. Empty where all
// of them are.
std::string PlaceIn(std::string_view trace, std::string_view library_folder) {
  constexpr std::string_view kFile = "File \"", kLine = "\", line ";
  size_t end = trace.size();
  while (end > 0) {
    const size_t begin = trace.substr(0, end).rfind(kFile);
    if (begin == std::string_view::npos) break;
    const size_t file_end = trace.find(kLine, begin);
    if (file_end == std::string_view::npos) return {};
    const std::string_view file =
        trace.substr(begin + kFile.size(), file_end - begin - kFile.size());
    size_t line_end = file_end + kLine.size();
    while (line_end < trace.size() && trace[line_end] >= '0' && trace[line_end] <= '9') ++line_end;
    const bool library = file.find(library_folder) != std::string_view::npos;
    if (!library) {
      return std::string(file) + ":" +
             std::string(trace.substr(file_end + kLine.size(), line_end - file_end - kLine.size()));
    }
    end = begin;
  }
  return {};
}

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
        specs_(reader.attr("_specs")),
        known_(specs_.attr("known")),
        stand_ins_(reader.attr("_stand_ins")) {
    builder_.Reserve(py::len(reader.attr("_graph").attr("nodes")));
    const py::module_ module = py::module_::import("quantgate.torch._reader");
    node_type_ = module.attr("Node");
    constant_type_ = module.attr("Constant");
    operator_of_ = module.attr("operator_of");
    param_value_ = module.attr("param_value");
    module_path_ = module.attr("module_path");
    library_ = module.attr("_LIBRARY").cast<std::string>();
    plain_ = module.attr("PLAIN");
    resolved_type_ = module.attr("Resolved");
    tensor_type_ = module.attr("torch").attr("Tensor");
    const std::array<std::pair<py::object*, const char*>, 21> names = {{
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
        {&n_edge_, "edge_or_node"},
        {&n_derived_, "derived_from"},
        {&n_shape_, "shape"},
        {&n_dtype_, "dtype"},
        {&n_trace_, "stack_trace"},
        {&n_modules_, "nn_module_stack"},
        {&n_floating_, "is_floating_point"},
        {&n_count_, "count"},
    }};
    for (const auto& [object, name] : names) {
      *object = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name));
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
  // What a resolved spec says; `resolved` keeps the rest alive.
  struct Known {
    py::object resolved, quantized, spec;
    Dtype dtype = Dtype::kUndefined;
    const Encoding* encoding = nullptr;
    bool stand_in = false;
  };
  struct Spec {
    py::object spec;  // kept alive: it is known by its address
    enum class Kind : uint8_t { kOther, kPlain, kShared, kDerived } kind = Kind::kOther;
    std::vector<Known> choices;  // kPlain: one, or stand-ins that are taken in turn
  };
  struct Input {
    py::handle source;  // the node that makes it; null: absent
    TensorId tensor = kNoTensor;
    py::handle constant;  // a Constant that becomes a tensor, with `spec`
    const Spec* spec = nullptr;
    py::handle quantized;  // of `tensor`, once it is there
    py::handle resolved;   // of the edge, where its spec is a shared one
  };

  const Operator& OperatorOf(const py::object& target);
  const Spec& SpecOf(py::handle spec);
  const Known& KnownOf(py::object resolved);
  Known QuantizedOf(py::object quantized, py::object spec) const;
  bool Same(py::handle a, py::handle b);
  bool Floating(py::handle dtype);
  py::handle Shared(py::handle spec) const;
  bool Source(py::handle item, py::handle specs, bool sharing);
  bool Derivable(const Spec& spec, py::handle node, size_t before) const;
  const Known& Choose(const Spec& spec);
  // The spec of the output: a choice of `plain`, or what `shared` stands for.
  bool Output(py::handle spec, py::handle node, bool sharing, const Spec*& plain,
              py::object& shared);
  bool ReadShape(py::handle shape, Tensor& tensor) const;
  bool ReadParam(py::handle item, const Argument& argument);
  std::string Location(py::handle meta);
  void AddConstant(Input& input, py::handle node);
  TensorId AddTensor(Tensor tensor, const Known& known, py::handle spec);

  Builder& builder_;
  py::object values_, quantized_, roots_, problems_, specs_, known_, stand_ins_;
  py::object node_type_, constant_type_, operator_of_, param_value_, module_path_, plain_, resolved_type_,
      tensor_type_;
  py::object n_op_, call_, n_target_, n_args_, n_kwargs_, n_meta_, n_name_, n_users_, n_val_,
      n_annotation_, n_inputs_, n_output_, n_sharing_, n_edge_, n_derived_, n_shape_, n_dtype_,
      n_trace_, n_modules_, n_floating_, n_count_;
  absl::flat_hash_map<PyObject*, Operator> operators_;  // targets live as long as their graph
  absl::flat_hash_map<PyObject*, std::unique_ptr<Spec>> read_;
  absl::flat_hash_map<std::pair<PyObject*, PyObject*>, bool> same_;
  absl::flat_hash_map<PyObject*, bool> floating_;
  absl::node_hash_map<PyObject*, Known> resolved_;
  std::string library_;  // PyTorch's own folder
  absl::flat_hash_map<PyObject*, std::string> places_;  // by stack trace; nodes keep those
  absl::flat_hash_map<PyObject*, std::string> paths_;   // of modules, likewise
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

FxCalls::Known FxCalls::QuantizedOf(py::object quantized, py::object spec) const {
  Known known;
  known.dtype =
      DtypeFromName(quantized.attr("dtype").cast<std::string>()).value_or(Dtype::kUndefined);
  known.encoding = &quantized.attr("encoding").cast<const Encoding&>();
  known.stand_in = quantized.attr("stand_in").cast<bool>();
  known.quantized = std::move(quantized);
  known.spec = std::move(spec);
  return known;
}

const FxCalls::Known& FxCalls::KnownOf(py::object resolved) {
  const auto [it, added] = resolved_.try_emplace(resolved.ptr());
  Known& known = it->second;
  if (!added) return known;
  known = QuantizedOf(resolved.attr("quantized"), resolved.attr("spec"));
  known.resolved = std::move(resolved);
  return known;
}

const FxCalls::Spec& FxCalls::SpecOf(py::handle object) {
  const auto known = read_.find(object.ptr());
  if (known != read_.end()) return *known->second;
  // There are many shared ones, each of which stands at one place.
  static const Spec kShared{{}, Spec::Kind::kShared, {}};
  if (TryGet(object, n_edge_)) return kShared;
  Spec& spec = *read_.emplace(object.ptr(), std::make_unique<Spec>()).first->second;
  spec.spec = py::reinterpret_borrow<py::object>(object);
  if (py::hasattr(object, n_derived_)) {
    spec.kind = Spec::Kind::kDerived;
  } else {
    const py::object choices = specs_.attr("choices")(object);
    if (!choices.is_none()) {
      spec.kind = Spec::Kind::kPlain;
      for (const py::handle resolved : choices) {
        spec.choices.push_back(KnownOf(py::reinterpret_borrow<py::object>(resolved)));
      }
    }
  }
  return spec;
}

bool FxCalls::Same(py::handle a, py::handle b) {
  if (a.is(b)) return true;
  const auto [it, added] = same_.try_emplace({a.ptr(), b.ptr()}, false);
  if (added) it->second = specs_.attr("same")(a, b).cast<bool>();
  return it->second;
}

bool FxCalls::Floating(py::handle dtype) {
  const auto [it, added] = floating_.try_emplace(dtype.ptr(), false);
  if (added) it->second = Get(dtype, n_floating_).is(py::bool_(true));
  return it->second;
}

// What the place is known to have that a spec shares; null where it isn't known yet.
py::handle FxCalls::Shared(py::handle spec) const {
  py::object place = TryGet(spec, n_edge_);
  if (place && PyList_Check(place.ptr()) != 0) {
    place = py::reinterpret_steal<py::object>(PyList_AsTuple(place.ptr()));
  }
  if (!place) return {};
  const py::handle resolved = Item(known_, place);
  return resolved && IsA(resolved, resolved_type_) ? resolved : py::handle();
}

// One tensor argument: false where something about it is special.
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
    const Spec& read = SpecOf(spec);
    if (read.kind == Spec::Kind::kShared) {
      input.resolved = Shared(spec);
      return input.resolved && input.quantized &&
             PyTuple_GET_ITEM(input.resolved.ptr(), 0) == input.quantized.ptr();
    }
    // The edge has the observer of what it comes from, where the specs agree.
    const py::handle root = Item(roots_, value);
    return sharing && read.kind == Spec::Kind::kPlain && root && !root.is_none() &&
           Same(root, spec);
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
  last.spec = &SpecOf(spec);
  return last.spec->kind == Spec::Kind::kPlain || last.spec->kind == Spec::Kind::kDerived;
}

// Whether a bias derives from inputs of this node that are known when its turn comes.
bool FxCalls::Derivable(const Spec& spec, py::handle node, size_t before) const {
  const py::object sources = TryGet(spec.spec, n_derived_);
  if (!sources || (PyList_Check(sources.ptr()) == 0 && PyTuple_Check(sources.ptr()) == 0)) {
    return false;
  }
  for (const py::handle place : sources) {
    if (PyTuple_Check(place.ptr()) == 0 || PyTuple_GET_SIZE(place.ptr()) != 2 ||
        PyTuple_GET_ITEM(place.ptr(), 1) != node.ptr()) {
      return false;
    }
    bool found = false;
    for (size_t i = 0; i < before && !found; ++i) {
      const Input& input = inputs_[i];
      found = input.source.ptr() == PyTuple_GET_ITEM(place.ptr(), 0) &&
              (input.constant ? input.spec->kind == Spec::Kind::kPlain : bool(input.quantized));
    }
    if (!found) return false;
  }
  return true;
}

const FxCalls::Known& FxCalls::Choose(const Spec& spec) {
  if (!spec.choices[0].stand_in) return spec.choices[0];
  const py::object count = Get(stand_ins_, n_count_);
  if (!count) throw py::error_already_set();
  const long next = PyLong_AsLong(count.ptr()) + 1;
  if (PyObject_SetAttr(stand_ins_.ptr(), n_count_.ptr(), py::int_(next).ptr()) != 0) {
    throw py::error_already_set();
  }
  return spec.choices[static_cast<size_t>(next) % spec.choices.size()];
}

bool FxCalls::Output(py::handle object, py::handle node, bool sharing, const Spec*& plain,
                     py::object& shared) {
  if (!object || object.is_none()) return false;
  const Spec& spec = SpecOf(object);
  if (spec.kind == Spec::Kind::kPlain) {
    plain = &spec;
    return true;
  }
  if (spec.kind != Spec::Kind::kShared) return false;
  py::handle resolved = Shared(object);
  const py::object place = TryGet(object, n_edge_);
  if (!resolved && place && (PyTuple_Check(place.ptr()) != 0 || PyList_Check(place.ptr()) != 0)) {
    const auto edge = py::reinterpret_steal<py::tuple>(PySequence_Tuple(place.ptr()));
    if (!edge || edge.size() != 2 || !py::handle(edge[1]).is(node)) return false;
    // An edge of this node: what was found of it, which is what its producer's output has.
    for (const Input& input : inputs_) {
      if (!input.source || !input.source.is(edge[0]) || input.constant || !input.quantized)
        continue;
      resolved = input.resolved ? input.resolved : sharing ? Item(known_, edge[0]) : py::handle();
      break;
    }
  }
  if (!resolved || !IsA(resolved, resolved_type_)) return false;
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

std::string FxCalls::Location(py::handle meta) {
  std::string place;
  if (const py::handle trace = Item(meta, n_trace_)) {
    const auto [it, added] = places_.try_emplace(trace.ptr());
    if (added) it->second = PlaceIn(TextOf(trace), library_);
    place = it->second;
  }
  const py::handle modules = Item(meta, n_modules_);
  if (!modules || PyDict_Check(modules.ptr()) == 0) return place;
  PyObject *key = nullptr, *value = nullptr, *last = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(modules.ptr(), &at, &key, &value) != 0;) last = value;
  if (last == nullptr) return place;
  const auto module =
      PyTuple_Check(last) != 0 && PyTuple_GET_SIZE(last) > 0 ? TextOf(PyTuple_GET_ITEM(last, 0))
      : PyList_Check(last) != 0 && PyList_GET_SIZE(last) > 0 ? TextOf(PyList_GET_ITEM(last, 0))
                                                             : std::string_view();
  if (module.empty()) return place;
  PyObject* const path = PyTuple_Check(last) != 0 ? PyTuple_GET_ITEM(last, 0) : PyList_GET_ITEM(last, 0);
  const auto [it, added] = paths_.try_emplace(path);
  if (added) it->second = module_path_(py::handle(path)).cast<std::string>();
  if (!place.empty()) place += " in ";
  return place.append(it->second);
}

TensorId FxCalls::AddTensor(Tensor tensor, const Known& known, py::handle spec) {
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
  if (input.spec->kind == Spec::Kind::kPlain) {
    const Known& known = Choose(*input.spec);
    const py::tuple edge = py::make_tuple(input.source, node);
    SetItem(known_, edge, known.resolved);
    input.tensor = AddTensor(std::move(tensor), known, known.spec);
    input.quantized = known.quantized;
    return;
  }
  py::list parts;
  for (const py::handle place : Get(input.spec->spec, n_derived_)) {
    for (const Input& other : inputs_) {
      if (other.source.ptr() != PyTuple_GET_ITEM(place.ptr(), 0)) continue;
      parts.append(other.quantized);
      break;
    }
  }
  const py::object derived = specs_.attr("derived_from")(input.spec->spec, parts);
  if (PyUnicode_Check(derived.ptr()) == 0) {
    input.tensor =
        AddTensor(std::move(tensor), QuantizedOf(derived, input.spec->spec), input.spec->spec);
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
      continue;
    }
    if (argument.is_tensor) {
      if (PyList_Check(item.ptr()) != 0) {
        for (Py_ssize_t k = 0; k < PyList_GET_SIZE(item.ptr()); ++k) {
          if (!Source(PyList_GET_ITEM(item.ptr(), k), specs, sharing)) return false;
        }
      } else if (!Source(item, specs, sharing)) {
        return false;
      }
    } else if (argument.is_param && !ReadParam(item, argument)) {
      return false;
    }
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Input& input = inputs_[i];
    if (input.spec != nullptr && input.spec->kind == Spec::Kind::kDerived &&
        !Derivable(*input.spec, node, i)) {
      return false;
    }
  }
  const Spec* plain = nullptr;
  py::object shared;
  if (!Output(TryGet(annotation, n_output_), node, sharing, plain, shared)) return false;
  // Its observer may see what another one sees already.
  if (op.keeps_values && plain != nullptr && plain->choices[0].stand_in) return false;
  Tensor output;
  const py::object dtype = TryGet(value, n_dtype_);
  if (!dtype || !Floating(dtype) || !ReadShape(TryGet(value, n_shape_), output)) return false;
  const std::string_view name = TextOf(Get(node, n_name_));
  if (name.empty()) return false;

  // Nothing is special: from here on it is read.
  Node made;
  made.name = name;
  made.op = op.name;
  for (Input& input : inputs_) {
    if (input.constant) AddConstant(input, node);
    made.inputs.push_back(input.tensor);
  }
  while (!made.inputs.empty() && made.inputs.back() == kNoTensor) made.inputs.pop_back();
  output.name = name;
  const Known& known = plain != nullptr ? Choose(*plain) : KnownOf(std::move(shared));
  SetItem(known_, node, known.resolved);
  const TensorId id = AddTensor(std::move(output), known, known.spec);
  SetItem(values_, node, py::int_(id));
  made.outputs.push_back(id);
  made.params = std::move(params_);
  made.location = Location(meta);
  if (PyDict_GET_SIZE(problems_.ptr()) != 0) {
    for (const TensorId input : made.inputs) {
      if (input == kNoTensor) continue;
      if (const py::handle reason = Item(problems_, py::int_(input))) {
        made.unchecked_reason = TextOf(reason);
        break;
      }
    }
  }
  builder_.Add(std::move(made));
  return true;
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
