// quantgate._core: the library as it is; the package around it makes it pleasant.
#include "bindings/python/src/bind.h"
#include "quantgate/version.h"

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = QUANTGATE_VERSION;
  quantgate::python::BindModel(module);
  quantgate::python::BindEncoding(module);
  quantgate::python::BindGraph(module);
  quantgate::python::BindBuilder(module);
  quantgate::python::BindFxCalls(module);
  quantgate::python::BindTarget(module);
  quantgate::python::BindRules(module);
  quantgate::python::BindOps(module);
  quantgate::python::BindReport(module);
  quantgate::python::BindValidator(module);
  quantgate::python::BindViews(module);
  quantgate::python::BindPlan(module);
  quantgate::python::BindSweep(module);
  quantgate::python::BindBackendOpInfo(module);
}
