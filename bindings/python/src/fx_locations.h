// Where in the user's code a node of an FX graph was made.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_FX_LOCATIONS_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_FX_LOCATIONS_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "bindings/python/src/fx_python.h"

namespace quantgate::python {

class FxLocations {
 public:
  // `module`: quantgate.torch._location.
  explicit FxLocations(const py::module_& module);

  // "model.py:42 in net.0", as location_of() of the module has it; of a node's meta, which is a dict.
  std::string Of(py::handle meta);

 private:
  py::object trace_ = Interned("stack_trace"), modules_ = Interned("nn_module_stack"), module_path_;
  std::string library_;  // PyTorch's own folder
  absl::flat_hash_map<PyObject*, std::string> places_;  // by stack trace; nodes keep those
  absl::flat_hash_map<PyObject*, std::string> paths_;   // of modules, likewise
};

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_FX_LOCATIONS_H_
