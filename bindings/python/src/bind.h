// The parts of the module, one file each.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_BIND_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_BIND_H_

#include <pybind11/pybind11.h>

namespace quantgate::python {

void BindModel(pybind11::module_& module);
void BindGraph(pybind11::module_& module);
void BindEncoding(pybind11::module_& module);
void BindBuilder(pybind11::module_& module);
void BindFxCalls(pybind11::module_& module);
void BindTarget(pybind11::module_& module);
void BindRules(pybind11::module_& module);
void BindOps(pybind11::module_& module);
void BindReport(pybind11::module_& module);
void BindValidator(pybind11::module_& module);
void BindViews(pybind11::module_& module);
void BindPlan(pybind11::module_& module);
void BindSweep(pybind11::module_& module);
void BindBackendOpInfo(pybind11::module_& module);

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_BIND_H_
