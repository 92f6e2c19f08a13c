// What the database knows of an op.
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/python/src/arrays.h"
#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/target.h"
#include "bindings/python/src/text.h"
#include "quantgate/database.h"
#include "quantgate/dtype.h"
#include "quantgate/text.h"

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
  Immutable(
      Data<Port>(module, "Port", py::module_local(), py::is_final(),
                 "One input or output of an op.")
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
              "Axis of per-channel encodings in the layout of the op; negative counts from the "
              "end.")
          .def("__repr__", [](const Port& self) { return Text("<Port " + self.name + ">"); }));
}

void BindParam(py::module_& module) {
  using Param = OpInfo::Param;
  Immutable(
      Data<Param>(module, "Param", py::module_local(), py::is_final(), "One param of an op.")
          .def_property_readonly("name", Text(&Param::name), "'stride'")
          .def_property_readonly("dtype", Text(&Param::dtype), "'UINT_32'")
          .def_readonly("required", &Param::required, "The op can't be without it.")
          .def_property_readonly(
              "rank",
              [](const Param& self) -> py::object {
                if (self.rank < 0) return py::none();
                return py::int_(self.rank);
              },
              "Of a tensor; None: a scalar.")
          .def_property_readonly("default", Text(&Param::default_value),
                                 "'[1, 1]', or '' where none is known.")
          .def_property_readonly(
              "values",
              [](const Param& self) {
                py::dict values;
                for (const auto& [name, value] : self.values) values[Text(name)] = value;
                return values;
              },
              "Numbers of an enumeration by name; empty where it is none.")
          .def("__repr__", [](const Param& self) { return Text("<Param " + self.name + ">"); }));
}

py::object OrNone(const auto& value) {
  if (!value) return py::none();
  return py::cast(*value);
}

void BindEncodingRule(py::module_& module) {
  Immutable(
      Data<EncodingRule>(module, "EncodingRule", py::module_local(), py::is_final(),
                         "What the encoding of a port must be, with a row of dtypes and whatever "
                         "shapes and params are.")
          .def_property_readonly("port", Text(&EncodingRule::port), "'in[1]'")
          .def_property_readonly("constraint", Text(&EncodingRule::constraint),
                                 "'htp/Conv2d/in[1]/symmetric'")
          .def_property_readonly("kind", Text(&EncodingRule::kind), "'symmetric'")
          .def_property_readonly("consequence", &ConsequenceOf<EncodingRule>,
                                 "What breaking it leads to on this target.")
          .def_property_readonly("encodings", Texts(&EncodingRule::encodings),
                                 "The forms it holds for: ('AXIS_SCALE_OFFSET',)")
          .def_readonly("forbids", &EncodingRule::forbids, "These forms are not taken at all.")
          .def_property_readonly(
              "axis", [](const EncodingRule& self) { return OrNone(self.axis); },
              "Kind 'quant_axis': the axis in QNN's layout; negative counts from the end.")
          .def_property_readonly(
              "scale", [](const EncodingRule& self) { return OrNone(self.scale); },
              "Kind 'fixed_encoding': the scale, or None.")
          .def_property_readonly(
              "offset", [](const EncodingRule& self) { return OrNone(self.offset); },
              "Kind 'fixed_encoding': QNN's offset, that is -zero point, or None.")
          .def_property_readonly(
              "same_as", Text(&EncodingRule::same_as),
              "Kind 'same_encoding': the port whose encoding it must have, or ''.")
          .def_property_readonly("aspect", Text(&EncodingRule::aspect),
                                 "Kind 'same_encoding': 'both', 'scale', 'offset', ...")
          .def("__repr__", [](const EncodingRule& self) {
            return Text("<EncodingRule " + self.constraint + " at " + self.port + ">");
          }));
}

void BindVariant(py::module_& module) {
  using Variant = OpInfo::Variant;
  Immutable(
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
          .def_property_readonly("consequence", &ConsequenceOf<Variant>,
                                 "'accepted' or 'undocumented'")
          .def_property_readonly("since", Text(&Variant::since), "First SDK version, or ''")
          .def_property_readonly("until", Text(&Variant::until), "Last SDK version, or ''")
          .def_property_readonly("archs", Text(&Variant::archs), "'v73+', or ''")
          .def_property_readonly("sources", Texts(&Variant::sources), "('docs-2.25',)")
          .def_property_readonly("undocumented_until", Text(&Variant::undocumented_until),
                                 "Below this SDK it is undocumented; or ''")
          .def_property_readonly(
              "encoding_rules",
              [](const std::shared_ptr<Variant>& self) {
                return Parts(self, self->encoding_rules);
              },
              "What encodings must be with these dtypes.")
          .def("__repr__", [](const Variant& self) { return Text("<Variant " + self.id + ">"); }));
}

void BindConstraint(py::module_& module) {
  using Constraint = OpInfo::Constraint;
  Immutable(
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
          .def_property_readonly("measured_since", Text(&Constraint::measured_since),
                                 "From this SDK on measured_consequence holds; '' = never")
          .def_property_readonly(
              "measured_consequence",
              [](const Constraint& self) {
                return Text(ConsequenceName(self.measured_consequence));
              },
              "What was measured, whatever the target.")
          .def("__repr__",
               [](const Constraint& self) { return Text("<Constraint " + self.id + ">"); }));
}

std::shared_ptr<OpInfo> Query(const py::object& op, const BoundTarget& target) {
  absl::StatusOr<OpInfo> info = target.database->Query(Utf8(op, "op"), target.target);
  if (!info.ok())
    RaiseUnknownName({info.status().message().data(), info.status().message().size()});
  return std::make_shared<OpInfo>(*std::move(info));
}

// Dtypes of ports, inputs then outputs; "" where a tensor isn't given.
std::vector<std::string> DtypesOf(const OpInfo& info, const py::object& object) {
  if (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr())) {
    ThrowType("dtypes", "a tuple or list of dtypes", object);
  }
  std::vector<std::string> dtypes;
  for (const py::handle item : py::reinterpret_borrow<py::sequence>(object)) {
    const std::string what = "dtypes[" + std::to_string(dtypes.size()) + "]";
    dtypes.emplace_back(item.is_none() ? "" : Utf8(item, what));
    if (!item.is_none() && !DtypeFromName(dtypes.back())) {
      ThrowValue(what, "unknown datatype '" + Printable(dtypes.back(), 40) + "'");
    }
  }
  const size_t ports = info.inputs.size() + info.outputs.size();
  if (dtypes.size() != ports) {
    ThrowValue("dtypes", std::to_string(dtypes.size()) + " of them for " + std::to_string(ports) +
                             " ports; None: not given");
  }
  return dtypes;
}

bool Matches(const OpInfo::Variant& variant, const std::vector<std::string>& dtypes) {
  for (size_t i = 0; i < dtypes.size(); ++i) {
    const auto& taken = variant.dtypes[i];
    if (!dtypes[i].empty() && std::find(taken.begin(), taken.end(), dtypes[i]) == taken.end()) {
      return false;
    }
  }
  return true;
}

py::str VerdictOf(const OpInfo& self, const py::object& dtypes_object, const py::dict& encodings) {
  const std::vector<std::string> dtypes = DtypesOf(self, dtypes_object);
  std::map<std::string, std::string, std::less<>> forms;
  for (const auto& [port, form] : encodings) {
    forms.emplace(Utf8(port, "encodings"), Utf8(form, "encodings"));
  }
  Consequence best = Consequence::kRejected;
  for (const OpInfo::Variant& variant : self.variants) {
    if (!Matches(variant, dtypes)) continue;
    Consequence worst = variant.consequence;
    for (const EncodingRule& rule : variant.encoding_rules) {
      const auto form = forms.find(rule.port);
      if (rule.forbids && form != forms.end() &&
          std::find(rule.encodings.begin(), rule.encodings.end(), form->second) !=
              rule.encodings.end()) {
        worst = Worse(worst, rule.consequence);
      }
    }
    if (Worse(worst, best) == best) best = worst;
  }
  return Text(ConsequenceName(best));
}

using Self = std::shared_ptr<OpInfo>;

}  // namespace

void BindOps(py::module_& module) {
  BindPort(module);
  BindParam(module);
  BindEncodingRule(module);
  BindVariant(module);
  BindConstraint(module);
  Immutable(
      Data<OpInfo>(module, "OpInfo", py::module_local(), py::is_final(),
                   "What a target takes for one op.")
          .def_property_readonly("name", Text(&OpInfo::name), "'Conv2d'")
          .def_property_readonly("backend", Text(&OpInfo::backend), "'htp'")
          .def_property_readonly("since", Text(&OpInfo::since), "First SDK version, or ''")
          .def_property_readonly("until", Text(&OpInfo::until), "Last SDK version, or ''")
          .def_property_readonly("archs", Text(&OpInfo::archs), "'v73+', or ''")
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
          .def("verdict", &VerdictOf, py::arg("dtypes"), py::arg("encodings") = py::dict(),
               "What the target says to these dtypes, one for each port, inputs then outputs, "
               "None:\n"
               "not given; and to forms of encoding by port: {'in[1]': 'BLOCKWISE_EXPANSION'}.\n\n"
               "'rejected' where no variant takes them, else the best that a variant promises "
               "before\n"
               "shapes, params and values are known. Raises ValueError for unknown dtypes.")
          .def("__repr__", [](const OpInfo& self) {
            return Text("<OpInfo " + self.backend + "/" + self.name + ": " +
                        std::to_string(self.variants.size()) + " variants, " +
                        std::to_string(self.constraints.size()) + " constraints>");
          }));
  module.def("query", &Query, py::arg("op"), py::arg("target"));
  module.def(
      "ops", [](const BoundTarget& target) { return Texts(target.database->Ops(target.target)); },
      py::arg("target"));
}

}  // namespace quantgate::python
