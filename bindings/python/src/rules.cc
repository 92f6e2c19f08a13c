#include <vector>

#include "bindings/python/src/bind.h"
#include "bindings/python/src/errors.h"
#include "bindings/python/src/text.h"
#include "quantgate/rule.h"
#include "quantgate/rule_evidence.h"
#include "quantgate/text.h"

namespace quantgate::python {
namespace {

namespace py = pybind11;

py::tuple ToTuple(const RuleEvidence& evidence) {
  py::list reported, judged;
  for (const RuleEvidence::Reported& r : evidence.reported) {
    reported.append(py::make_tuple(Text(r.where), Text(r.what)));
  }
  for (const RuleEvidence::Judged& j : evidence.judged) {
    judged.append(py::make_tuple(Text(j.example), Text(j.by), Text(j.said)));
  }
  return py::make_tuple(Text(evidence.basis), py::tuple(reported), py::tuple(judged));
}

py::tuple ToTuple(const Rule& rule) {
  return py::make_tuple(Text(rule.code), Text(rule.slug), Text(RuleStatusName(rule.status)),
                        Text(rule.summary), Text(rule.explanation), ToTuple(EvidenceOf(rule)));
}

py::tuple Rules() {
  py::list rules;
  for (const Rule* rule : AllRules()) rules.append(ToTuple(*rule));
  return py::tuple(rules);
}

py::tuple Explain(const std::string& name) {
  if (const Rule* rule = FindRule(name)) return ToTuple(*rule);
  std::vector<std::string_view> names;
  for (const Rule* known : AllRules()) {
    names.push_back(known->code);
    names.push_back(known->slug);
  }
  RaiseUnknownName("unknown rule '" + Printable(name, 80) + "'" + DidYouMean(name, names));
}

}  // namespace

void BindRules(py::module_& module) {
  module.def("rules", &Rules);
  module.def("explain", &Explain, py::arg("rule"));
}

}  // namespace quantgate::python
