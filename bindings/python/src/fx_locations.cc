#include "bindings/python/src/fx_locations.h"

#include <string>
#include <string_view>

namespace quantgate::python {
namespace {

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

}  // namespace

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

FxLocations::FxLocations(const py::module_& module)
    : module_path_(module.attr("module_path")), library_(module.attr("LIBRARY").cast<std::string>()) {}

std::string FxLocations::Of(py::handle meta) {
  std::string place;
  if (const py::handle trace = Item(meta, trace_)) {
    const auto [it, added] = places_.try_emplace(trace.ptr());
    if (added) it->second = PlaceIn(TextOf(trace), library_);
    place = it->second;
  }
  const py::handle modules = Item(meta, modules_);
  if (!modules || PyDict_Check(modules.ptr()) == 0) return place;
  PyObject *key = nullptr, *value = nullptr, *last = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(modules.ptr(), &at, &key, &value) != 0;) last = value;
  if (last == nullptr) return place;
  if (!IsSequence(last) || PySequence_Fast_GET_SIZE(last) == 0) return place;
  PyObject* const path = PySequence_Fast_GET_ITEM(last, 0);
  if (TextOf(path).empty()) return place;
  const auto [it, added] = paths_.try_emplace(path);
  if (added) it->second = module_path_(py::handle(path)).cast<std::string>();
  if (!place.empty()) place += " in ";
  return place.append(it->second);
}

}  // namespace quantgate::python
