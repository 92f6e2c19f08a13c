// What the database knows of an op.
#include <memory>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/text.h"
#include "quantgate/database.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

// A class of read-only data that its owner keeps alive.
template <typename T>
using Data = py::class_<T, std::shared_ptr<T>>;

// No channel axis: OpInfo::Port::channel_axis.
constexpr int kNoAxis = -128;

template <typename T>
auto ConsequenceOf(const T& self) {
  return Text(ConsequenceName(self.consequence));
}

void BindPort(py::module_& module) {
  using Port = OpInfo::Port;
  Data<Port>(module, "Port", py::module_local(), py::is_final(), "One input or output of an op.")
      .def_property_readonly("name", Text(&Port::name), "'in[1]'")
      .def_property_readonly("role", Text(&Port::role), "'weight', or ''")
      .def_readonly("optional", &Port::optional, "It may be absent.")
      .def_readonly("variadic", &Port::variadic, "It stands for any number of tensors.")
      .def_property_readonly(
          "channel_axis",
          [](const Port& self) -> py::object {
            if (self.channel_axis == kNoAxis) return py::none();
            return py::int_(self.channel_axis);
          },
          "Axis of per-channel encodings in the layout of the op; negative counts from the end.")
      .def("__repr__", [](const Port& self) { return Text("<Port " + self.name + ">"); });
}

void BindParam(py::module_& module) {
  using Param = OpInfo::Param;
  Data<Param>(module, "Param", py::module_local(), py::is_final(), "One param of an op.")
      .def_property_readonly("name", Text(&Param::name), "'stride'")
      .def_property_readonly("dtype", Text(&Param::dtype), "'UINT_32'")
      .def_readonly("required", &Param::required, "The op can't be without it.")
      .def_property_readonly(
          "values",
          [](const Param& self) {
            py::dict values;
            for (const auto& [name, value] : self.values) values[Text(name)] = value;
            return values;
          },
          "Numbers of an enumeration by name; empty where it is none.")
      .def("__repr__", [](const Param& self) { return Text("<Param " + self.name + ">"); });
}

void BindVariant(py::module_& module) {
  using Variant = OpInfo::Variant;
  Data<Variant>(module, "Variant", py::module_local(), py::is_final(),
                "One row of dtypes that the target takes.")
      .def_property_readonly("id", Text(&Variant::id), "'htp/Conv2d#INT8.1'")
      .def_property_readonly("group", Text(&Variant::group), "'INT8'")
      .def_property_readonly(
          "dtypes",
          [](const Variant& self) {
            py::tuple ports(self.dtypes.size());
            for (size_t i = 0; i < self.dtypes.size(); ++i) ports[i] = Texts(self.dtypes[i]);
            return ports;
          },
          "The dtypes of each port, inputs then outputs; empty: the port must be absent.")
      .def_property_readonly("consequence", &ConsequenceOf<Variant>, "'accepted' or 'undocumented'")
      .def_property_readonly("since", Text(&Variant::since), "First SDK version, or ''")
      .def_property_readonly("until", Text(&Variant::until), "Last SDK version, or ''")
      .def_property_readonly("archs", Text(&Variant::archs), "'v73+', or ''")
      .def_property_readonly("sources", Texts(&Variant::sources), "('docs-2.25',)")
      .def("__repr__", [](const Variant& self) { return Text("<Variant " + self.id + ">"); });
}

void BindConstraint(py::module_& module) {
  using Constraint = OpInfo::Constraint;
  Data<Constraint>(module, "Constraint", py::module_local(), py::is_final(),
                   "One fact about an op that a node must respect.")
      .def_property_readonly("id", Text(&Constraint::id), "'htp/Conv2d/in[1]/symmetric'")
      .def_property_readonly("port", Text(&Constraint::port), "'in[1]'")
      .def_property_readonly("kind", Text(&Constraint::kind), "'symmetric'")
      .def_property_readonly("rule", Text(&Constraint::rule), "'QG301'")
      .def_property_readonly("text", Text(&Constraint::text), "What must hold, and when.")
      .def_property_readonly("consequence", &ConsequenceOf<Constraint>,
                             "What breaking it leads to on this target.")
      .def_property_readonly("since", Text(&Constraint::since), "First SDK version, or ''")
      .def_property_readonly("until", Text(&Constraint::until), "Last SDK version, or ''")
      .def_property_readonly("archs", Text(&Constraint::archs), "'v73+', or ''")
      .def_property_readonly("groups", Texts(&Constraint::groups),
                             "Groups of variants it holds for; empty: all.")
      .def_property_readonly("sources", Texts(&Constraint::sources), "('measured-2.51',)")
      .def_property_readonly("note", Text(&Constraint::note), "Of the data; may be empty.")
      .def("__repr__", [](const Constraint& self) { return Text("<Constraint " + self.id + ">"); });
}

std::shared_ptr<OpInfo> Query(const std::string& op, const Target& target) {
  absl::StatusOr<OpInfo> info = Database::Embedded().Query(op, target);
  if (!info.ok())
    RaiseUnknownName({info.status().message().data(), info.status().message().size()});
  return std::make_shared<OpInfo>(*std::move(info));
}

using Self = std::shared_ptr<OpInfo>;

}  // namespace

void BindOps(py::module_& module) {
  BindPort(module);
  BindParam(module);
  BindVariant(module);
  BindConstraint(module);
  Data<OpInfo>(module, "OpInfo", py::module_local(), py::is_final(),
               "What a target takes for one op.")
      .def_property_readonly("name", Text(&OpInfo::name), "'Conv2d'")
      .def_property_readonly("backend", Text(&OpInfo::backend), "'htp'")
      .def_readonly("lists_per_port", &OpInfo::lists_per_port,
                    "The dtypes of a variant are a list for each port, not one combination.")
      .def_property_readonly(
          "inputs", [](const Self& self) { return Parts(self, self->inputs); },
          "Its input ports, in order.")
      .def_property_readonly(
          "outputs", [](const Self& self) { return Parts(self, self->outputs); },
          "Its output ports, in order.")
      .def_property_readonly(
          "params", [](const Self& self) { return Parts(self, self->params); }, "Its params.")
      .def_property_readonly(
          "variants", [](const Self& self) { return Parts(self, self->variants); },
          "The rows of dtypes of the target; none: the target doesn't take the op.")
      .def_property_readonly(
          "constraints", [](const Self& self) { return Parts(self, self->constraints); },
          "What must hold on the target.")
      .def("__repr__", [](const OpInfo& self) {
        return Text("<OpInfo " + self.backend + "/" + self.name + ": " +
                    std::to_string(self.variants.size()) + " variants, " +
                    std::to_string(self.constraints.size()) + " constraints>");
      });
  module.def("query", &Query, py::arg("op"), py::arg("target"));
  module.def(
      "ops", [](const Target& target) { return Texts(Database::Embedded().Ops(target)); },
      py::arg("target"));
}

}  // namespace quantgate::python
