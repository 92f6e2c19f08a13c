// Python objects of an FX graph, reached without exceptions: what is unusual about a node is no error.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_FX_PYTHON_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_FX_PYTHON_H_

#include <pybind11/pybind11.h>

#include <string_view>

namespace quantgate::python {

namespace py = pybind11;

// Null where it is missing, with Python's error set.
inline py::object Get(py::handle object, py::handle name) {
  return py::reinterpret_steal<py::object>(PyObject_GetAttr(object.ptr(), name.ptr()));
}

// Null where it is missing, whatever the reason.
inline py::object TryGet(py::handle object, py::handle name) {
  py::object value = Get(object, name);
  if (!value) PyErr_Clear();
  return value;
}

// Borrowed; null where it is missing.
inline py::handle Item(py::handle dict, py::handle key) {
  PyObject* const value = PyDict_GetItemWithError(dict.ptr(), key.ptr());
  if (value == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
  return value;
}

inline void SetItem(py::handle dict, py::handle key, py::handle value) {
  if (PyDict_SetItem(dict.ptr(), key.ptr(), value.ptr()) != 0) throw py::error_already_set();
}

// Of this very class.
inline bool IsA(py::handle object, py::handle type) {
  return reinterpret_cast<PyObject*>(Py_TYPE(object.ptr())) == type.ptr();
}

// A list or tuple.
inline bool IsSequence(py::handle object) {
  return PyList_Check(object.ptr()) != 0 || PyTuple_Check(object.ptr()) != 0;
}

// Empty where it is no text; the text's own bytes.
std::string_view TextOf(py::handle text);

// A name that is compared by its address.
inline py::object Interned(const char* name) {
  return py::reinterpret_steal<py::object>(PyUnicode_InternFromString(name));
}

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_FX_PYTHON_H_
