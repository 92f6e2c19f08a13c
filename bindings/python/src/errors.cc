#include "bindings/python/src/errors.h"

#include <utility>

#include "bindings/python/src/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

template <typename... Arguments>
[[noreturn]] void Raise(const char* type, Arguments&&... arguments) {
  const py::object error = py::module_::import("quantgate._errors").attr(type);
  const py::object value = error(std::forward<Arguments>(arguments)...);
  PyErr_SetObject(error.ptr(), value.ptr());
  throw py::error_already_set();
}

std::string_view Message(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace

void RaiseInputError(std::string_view source, const absl::Status& status) {
  Raise("InputError", Text(Message(status)), Text(source));
}

void RaiseTargetError(const absl::Status& status) { Raise("TargetError", Text(Message(status))); }

void RaiseOpdefsError(const absl::Status& status) { Raise("OpdefsError", Text(Message(status))); }

void RaiseUnknownName(std::string_view message) { Raise("UnknownNameError", Text(message)); }

}  // namespace quantgate::python
