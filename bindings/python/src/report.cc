#include "quantgate/report.h"

#include <memory>
#include <numeric>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/text.h"
#include "quantgate/report_text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

template <typename T>
using Data = py::class_<T, std::shared_ptr<T>>;

void BindEdit(py::module_& module) {
  Immutable(
      Data<Edit>(module, "Edit", py::module_local(), py::is_final(), "One change to a model.")
          .def_property_readonly("op", Text(&Edit::op), "'set', 'insert' or 'remove'")
          .def_property_readonly("path", Text(&Edit::path),
                                 "'tensors/w/encoding/perTensor/zeroPoint'")
          .def_property_readonly("value", Text(&Edit::value), "The new value as JSON text, or ''.")
          .def("__repr__",
               [](const Edit& self) { return Text("<Edit " + self.op + " " + self.path + ">"); }));
}

void BindFix(py::module_& module) {
  Immutable(
      Data<Fix>(module, "Fix", py::module_local(), py::is_final(),
                "A way to fix what a finding says.")
          .def_property_readonly("summary", Text(&Fix::summary), "In words.")
          .def_readonly("safe", &Fix::safe, "It keeps what the model computes, but for roundings: `quantgate fix` makes it.")
          .def_property_readonly(
              "edits", [](const std::shared_ptr<Fix>& self) { return Parts(self, self->edits); },
              "The changes; empty where they can't be determined.")
          .def("__repr__", [](const Fix& self) { return Text("<Fix: " + self.summary + ">"); }));
}

py::object OrNone(int32_t index) {
  if (index < 0) return py::none();
  return py::int_(index);
}

void BindFinding(py::module_& module) {
  Immutable(
      Data<Finding>(module, "Finding", py::module_local(), py::is_final(),
                    "One broken constraint or rule.")
          .def_property_readonly(
              "code", [](const Finding& self) { return Text(self.rule->code); }, "'QG301'")
          .def_property_readonly(
              "rule", [](const Finding& self) { return Text(self.rule->slug); },
              "'asymmetric-encoding'")
          .def_property_readonly("constraint", Text(&Finding::constraint),
                                 "'htp/Conv2d/in[1]/symmetric'; '' for rules of graph and input.")
          .def_property_readonly(
              "consequence",
              [](const Finding& self) { return Text(ConsequenceName(self.consequence)); },
              "What it leads to: 'rejected', 'wrong_values', ...")
          .def_property_readonly(
              "level", [](const Finding& self) { return Text(LevelName(self.level)); },
              "'error', 'warning' or 'note'")
          .def_property_readonly(
              "group", [](const Finding& self) { return Text(FindingGroup(self)); },
              "'QG301/rejected': the same for findings of one kind.")
          .def_property_readonly("node", Text(&Finding::node), "'' for the model as a whole.")
          .def_property_readonly(
              "node_index", [](const Finding& self) { return OrNone(self.node_index); },
              "Into Report.nodes; None for the model as a whole.")
          .def_property_readonly("op", Text(&Finding::op),
                                 "The backend's op, or the source op where there is none.")
          .def_property_readonly(
              "op_index", [](const Finding& self) { return OrNone(self.op_index); },
              "Into NodeReport.resolved, or None.")
          .def_property_readonly("port", Text(&Finding::port), "'in[1]', a param's name, or ''.")
          .def_property_readonly("tensor", Text(&Finding::tensor), "The tensor's name, or ''.")
          .def_property_readonly("message", Text(&Finding::message),
                                 "One line with the values of this case.")
          .def_property_readonly("found", Text(&Finding::found), "What the model has.")
          .def_property_readonly("allowed", Text(&Finding::allowed), "What the target takes.")
          .def_property_readonly(
              "fixes",
              [](const std::shared_ptr<Finding>& self) { return Parts(self, self->fixes); },
              "Ways to fix it.")
          .def_property_readonly("sources", Texts(&Finding::sources), "('docs-2.25',)")
          .def_property_readonly("related", Texts(&Finding::related), "Other ports: ('in[0]',)")
          .def_property_readonly("note", Text(&Finding::note), "On where it is known from.")
          .def_property_readonly("waived", Text(&Finding::waived),
                                 "Why opdefs of the user's accept it, which then fails nothing; "
                                 "or ''.")
          .def("__repr__", [](const Finding& self) {
            return Text("<Finding " + std::string(self.rule->code) + " " +
                        std::string(ConsequenceName(self.consequence)) + " at '" + self.node +
                        "' " + self.port + ": " + self.message + ">");
          }));
}

void BindNodeReport(py::module_& module) {
  Immutable(
      Data<NodeReport>(module, "NodeReport", py::module_local(), py::is_final(),
                       "What became of one node.")
          .def_property_readonly("name", Text(&NodeReport::name), "'conv1'")
          .def_property_readonly("op", Text(&NodeReport::op), "As in the file: 'Conv'")
          .def_property_readonly("resolved", Texts(&NodeReport::resolved),
                                 "The backend's ops it became; empty: none.")
          .def_property_readonly(
              "verdict", [](const NodeReport& self) { return Text(ConsequenceName(self.verdict)); },
              "Its worst consequence.")
          .def_property_readonly("into", Text(&NodeReport::into),
                                 "The node that took this one in (a Q or DQ, a fused Relu), or ''.")
          .def_property_readonly("reason", Text(&NodeReport::reason),
                                 "Why it is 'unchecked', or ''.")
          .def_property_readonly("location", Text(&NodeReport::location),
                                 "Where the user wrote it, or ''.")
          .def("__repr__", [](const NodeReport& self) {
            return Text("<NodeReport '" + self.name + "' (" + self.op +
                        "): " + std::string(ConsequenceName(self.verdict)) + ">");
          }));
}

py::dict Summary(const Report& self) {
  py::dict summary;
  summary["nodes"] = std::accumulate(self.counts.begin(), self.counts.end(), int64_t{0});
  for (int i = 0; i < kConsequenceCount; ++i) {
    summary[Text(ConsequenceName(static_cast<Consequence>(i)))] = self.counts[i];
  }
  return summary;
}

py::str ToJson(const Report& self, int indent) {
  std::string json;
  {
    const py::gil_scoped_release unlocked;
    json = ReportJson(self, indent);
  }
  return Text(json);
}

py::str ToText(const Report& self, bool color, bool verbose, int width) {
  std::string text;
  {
    const py::gil_scoped_release unlocked;
    text = ReportText(self, {.color = color, .verbose = verbose, .width = width});
  }
  return Text(text);
}

// What runs instead of what was written, as plain tuples; None where it is not wanted.
py::object AsRunTuple(const Report& self) {
  if (!self.as_run) return py::none();
  const AsRun& run = *self.as_run;
  py::tuple nodes(run.nodes.size()), changes(run.changes.size()), partitions(run.partitions.size());
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    const RunNode& node = run.nodes[i];
    nodes[i] = py::make_tuple(Text(self.nodes[i].name), Text(PlacementName(node.placement)),
                              Texts(node.ops), OrNone(node.partition));
  }
  for (size_t i = 0; i < run.changes.size(); ++i) {
    const Change& change = run.changes[i];
    changes[i] = py::make_tuple(Text(ChangeKindName(change.kind)), OrNone(change.node_index),
                                Text(change.port), Text(change.tensor), Text(change.written),
                                Text(change.runs));
  }
  for (size_t i = 0; i < run.partitions.size(); ++i) {
    const Partition& partition = run.partitions[i];
    partitions[i] = py::make_tuple(partition.nodes, OrNone(partition.first), OrNone(partition.last));
  }
  return py::make_tuple(nodes, changes, partitions, Text(run.float_dtype), Text(run.session_fails));
}

}  // namespace

void BindReport(py::module_& module) {
  BindEdit(module);
  BindFix(module);
  BindFinding(module);
  BindNodeReport(module);
  Immutable(
      Data<Report>(module, "Report", py::module_local(), py::is_final(), "Behind quantgate.Report.")
          .def_property_readonly("mode",
                                 [](const Report& self) { return Text(ModeName(self.mode)); })
          .def_property_readonly("model", Text(&Report::model))
          .def_property_readonly("backend", Text(&Report::backend))
          .def_property_readonly("sdk", Text(&Report::sdk))
          .def_property_readonly("arch", Text(&Report::arch))
          .def_property_readonly("soc", Text(&Report::soc))
          .def_property_readonly("route", Text(&Report::route))
          .def_property_readonly("knowledge_sdk", Text(&Report::knowledge_sdk))
          .def_readonly("measured", &Report::measured)
          .def_property_readonly("basis",
                                 [](const Report& report) {
                                   const auto& of = report.basis;
                                   return py::make_tuple(of[3], of[2], of[1], of[0]);
                                 })
          .def_property_readonly("notes", Texts(&Report::notes))
          .def_property_readonly(
              "nodes", [](const std::shared_ptr<Report>& self) { return Parts(self, self->nodes); })
          .def_property_readonly(
              "findings",
              [](const std::shared_ptr<Report>& self) { return Parts(self, self->findings); })
          .def_property_readonly("summary", &Summary)
          .def_property_readonly(
              "verdict", [](const Report& self) { return Text(ConsequenceName(self.verdict)); })
          .def_readonly("failed", &Report::failed)
          .def_property_readonly("as_run", &AsRunTuple)
          .def("to_json", &ToJson, py::arg("indent"))
          .def("to_text", &ToText, py::arg("color"), py::arg("verbose"), py::arg("width")));
}

}  // namespace quantgate::python
