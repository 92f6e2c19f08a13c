// What the database says as a whole, and what every chip makes of a model: plain tuples, from which
// quantgate._views makes its types.
#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/model.h"
#include "bindings/python/src/options.h"
#include "bindings/python/src/target.h"
#include "bindings/python/src/text.h"
#include "quantgate/diff.h"
#include "quantgate/matrix.h"
#include "quantgate/survey.h"
#include "quantgate/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

template <typename Items, typename Make>
py::tuple TupleOf(const Items& items, Make make) {
  py::tuple tuple(items.size());
  size_t i = 0;
  for (const auto& item : items) tuple[i++] = make(item);
  return tuple;
}

py::str Name(Consequence consequence) { return Text(ConsequenceName(consequence)); }

py::tuple SurveyModel(const LoadedModel& model, const Database& database,
                      const std::string& backend, const std::string& sdk,
                      const std::optional<std::string>& route, const std::string& mode,
                      const std::string& fail_on) {
  const ValidatorOptions options = OptionsOf(route, mode, fail_on);
  absl::StatusOr<Surveyor> surveyor = absl::InternalError("");
  Survey survey;
  {
    const py::gil_scoped_release unlocked;
    surveyor = Surveyor::Make(backend, sdk, options, database);
    if (surveyor.ok()) survey = surveyor->Check(model.model);
  }
  if (!surveyor.ok()) RaiseTargetError(surveyor.status());
  return py::make_tuple(
      Text(model.source), Text(survey.backend), Text(survey.sdk), Text(survey.route), survey.nodes,
      TupleOf(survey.archs, [](const ArchFit& fit) {
        py::dict counts;
        for (int i = 0; i < kConsequenceCount; ++i) {
          counts[Name(static_cast<Consequence>(i))] = fit.counts[static_cast<size_t>(i)];
        }
        return py::make_tuple(Text(fit.arch), Texts(fit.socs), Text(FitName(fit.fit)),
                              Text(fit.reason), counts, fit.cpu_nodes, fit.changed_nodes,
                              fit.partitions, Texts(fit.blocked), fit.failed);
      }));
}

py::tuple SocTuple(const SocInfo& soc) {
  return py::make_tuple(Text(soc.name), Texts(soc.other_names), soc.id, Text(soc.arch),
                        soc.vtcm_mb);
}

[[noreturn]] void RaiseUnknown(const absl::Status& status) {
  if (status.code() == absl::StatusCode::kNotFound) {
    RaiseUnknownName(std::string(status.message()));
  }
  RaiseTargetError(status);
}

py::tuple MatrixTuple(const Database& database, const std::string& by, const TargetSpec& target,
                      const std::vector<std::string>& ops) {
  MatrixSpec spec;
  spec.by = static_cast<MatrixBy>(OneOf("by", by, {"arch", "sdk", "backend", "soc"}));
  spec.target = target;
  spec.ops = ops;
  absl::StatusOr<Matrix> made = absl::InternalError("");
  {
    const py::gil_scoped_release unlocked;
    made = MakeMatrix(database, spec);
  }
  if (!made.ok()) RaiseUnknown(made.status());
  const Matrix& matrix = *made;
  return py::make_tuple(
      Text(MatrixByName(matrix.by)),
      TupleOf(matrix.precisions,
              [](const Precision& p) { return py::make_tuple(Text(p.id), Text(p.title)); }),
      TupleOf(matrix.columns,
              [](const Matrix::Column& column) {
                return py::make_tuple(Text(column.name), TupleOf(column.socs, SocTuple));
              }),
      TupleOf(matrix.rows,
              [&](const Matrix::Row& row) {
                const auto supported = [&](const Matrix::Supported& t) {
                  return py::make_tuple(
                      Text(matrix.Label(row, t)), Name(t.verdict), t.measured,
                      TupleOf(t.rows, [&](uint16_t id) { return Text(row.row_ids[id]); }));
                };
                return py::make_tuple(Text(row.op), TupleOf(row.cells, [&](const auto& cell) {
                                        return cell.known ? py::object(TupleOf(cell.supported, supported))
                                                          : py::object(py::none());
                                      }));
              }),
      TupleOf(matrix.unsupported, SocTuple), Texts(matrix.notes));
}

py::tuple DiffTuple(const Database& database, const std::string& from, const std::string& to,
                    const TargetSpec& shared, const std::vector<std::string>& ops) {
  DiffSpec spec;
  spec.shared = shared;
  spec.from = from;
  spec.to = to;
  spec.ops = ops;
  absl::StatusOr<Diff> made = absl::InternalError("");
  {
    const py::gil_scoped_release unlocked;
    made = MakeDiff(database, spec);
  }
  if (!made.ok()) RaiseUnknown(made.status());
  const auto what = [](Diff::What value) {
    return Text(value == Diff::What::kAdded     ? "added"
                : value == Diff::What::kRemoved ? "removed"
                                                : "changed");
  };
  const auto effect = [](Diff::Effect value) {
    return Text(value == Diff::Effect::kLoosened    ? "loosened"
                : value == Diff::Effect::kTightened ? "tightened"
                                                    : "none");
  };
  return py::make_tuple(
      Text(DiffByName(made->by)),
      TupleOf(made->ops,
              [&](const Diff::Op& op) {
                return py::make_tuple(
                    Text(op.name), what(op.what), op.measured,
                    TupleOf(op.gains,
                            [](const Diff::Gain& gain) {
                              return py::make_tuple(Text(gain.precision), gain.lost, gain.measured,
                                                    Name(gain.verdict), Text(gain.archs));
                            }),
                    TupleOf(op.changes, [&](const Diff::Change& change) {
                      return py::make_tuple(
                          what(change.what), effect(change.effect), change.is_row, Text(change.id),
                          Text(change.text), Text(change.port), Text(change.rule),
                          Text(change.archs), Name(change.before), Name(change.after),
                          change.measured, Texts(change.sources), Text(change.note));
                    }));
              }),
      Texts(made->notes));
}

}  // namespace

void BindViews(py::module_& module) {
  module.def("survey", &SurveyModel, py::arg("model"), py::arg("database"), py::arg("backend"),
             py::arg("sdk"), py::arg("route"), py::arg("mode"), py::arg("fail_on"));
  module.def(
      "matrix",
      [](const Database& database, const std::string& by, const std::string& soc,
         const std::string& arch, const std::string& sdk, const std::string& backend,
         const std::vector<std::string>& ops) {
        return MatrixTuple(database, by, {.backend = backend, .sdk = sdk, .soc = soc, .arch = arch},
                           ops);
      },
      py::arg("database"), py::arg("by"), py::arg("soc"), py::arg("arch"), py::arg("sdk"),
      py::arg("backend"), py::arg("ops"));
  module.def(
      "diff",
      [](const Database& database, const std::string& from, const std::string& to,
         const std::string& soc, const std::string& arch, const std::string& sdk,
         const std::string& backend, const std::vector<std::string>& ops) {
        return DiffTuple(database, from, to,
                         {.backend = backend, .sdk = sdk, .soc = soc, .arch = arch}, ops);
      },
      py::arg("database"), py::arg("from_"), py::arg("to"), py::arg("soc"), py::arg("arch"),
      py::arg("sdk"), py::arg("backend"), py::arg("ops"));
}

}  // namespace quantgate::python
