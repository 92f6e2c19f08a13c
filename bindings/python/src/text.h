// Strings and parts of models on their way to Python.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_TEXT_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_TEXT_H_

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/shared.h"

namespace quantgate::python {

// Names come from files and may be any bytes: what isn't UTF-8 becomes U+FFFD, as in the JSON
// report.
inline pybind11::str Text(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw pybind11::error_already_set();
  return pybind11::reinterpret_steal<pybind11::str>(decoded);
}

// Of strings.
template <typename List>
pybind11::tuple Texts(const List& texts) {
  pybind11::tuple tuple(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) tuple[i] = Text(texts[i]);
  return tuple;
}

template <typename List>
pybind11::tuple Texts(const Shared<List>& texts) {
  return Texts(*texts);
}

// A read-only property that is a member of `Class`.
template <typename Class, typename String>
auto Text(String Class::*member) {
  return [member](const Class& self) { return Text(std::string_view(self.*member)); };
}
template <typename Class, typename List>
auto Texts(List Class::*member) {
  return [member](const Class& self) { return Texts(self.*member); };
}

// A tuple of `items`, whose elements keep their `owner` alive instead of being copied.
template <typename Owner, typename Item>
pybind11::tuple Parts(const std::shared_ptr<Owner>& owner, const std::vector<Item>& items) {
  pybind11::tuple tuple(items.size());
  for (size_t i = 0; i < items.size(); ++i) {
    tuple[i] = pybind11::cast(std::shared_ptr<Item>(owner, const_cast<Item*>(&items[i])));
  }
  return tuple;
}

// A class whose objects never change: copies are the object itself.
template <typename Class>
void Immutable(Class&& bound) {
  bound.def("__copy__", [](const pybind11::object& self) { return self; })
      .def(
          "__deepcopy__",
          [](const pybind11::object& self, const pybind11::object&) { return self; },
          pybind11::arg("memo"));
}

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_TEXT_H_
