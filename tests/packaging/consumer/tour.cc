// Uses what the umbrella header leaves out, each header once: what is installed links.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/compare_runs.h"
#include "quantgate/config.h"
#include "quantgate/diff.h"
#include "quantgate/extract.h"
#include "quantgate/fix.h"
#include "quantgate/lower.h"
#include "quantgate/matrix.h"
#include "quantgate/model_builder.h"
#include "quantgate/overlay.h"
#include "quantgate/plan.h"
#include "quantgate/policy.h"
#include "quantgate/quantgate.h"
#include "quantgate/report_formats.h"
#include "quantgate/rule_evidence.h"
#include "quantgate/survey.h"
#include "quantgate/text.h"
#include "quantgate/verify.h"

namespace {

int failures = 0;

void Expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "not so: %s\n", what);
  ++failures;
}

quantgate::Model Relu() {
  quantgate::ModelBuilder builder("made by hand");
  for (const char* name : {"x", "y"}) {
    quantgate::Tensor tensor;
    tensor.name = name;
    tensor.dtype = quantgate::Dtype::kUfixedPoint8;
    tensor.dims = {1, 8};
    tensor.encoding.Edit().kind = quantgate::EncodingKind::kPerTensor;
    tensor.encoding.Edit().scales = {0.0F};  // with which all values are lost
    tensor.encoding.Edit().zero_points = {0};
    Expect(builder.Add(std::move(tensor)).ok(), "a tensor is added");
  }
  quantgate::Node node;
  node.op = "Relu";
  node.inputs = {0};
  node.outputs = {1};
  Expect(builder.Add(std::move(node)).ok(), "a node is added");
  return builder.Build().value();
}

void TourPlan(const quantgate::Target& target) {
  const auto planner = quantgate::Planner::Make(target, {.precision = "16a8w"});
  Expect(planner.ok() && !planner->MakePlan(Relu()).ok(), "a quantized model has no plan");
  Expect(!quantgate::PlanPrecisionNames().empty(), "precisions have names");
}

void TourReports(const quantgate::Validator& validator, const quantgate::Model& model) {
  quantgate::PolicySettings settings;
  settings.today = quantgate::Today();
  const auto all = quantgate::RulesNamed("ALL");
  Expect(all.ok(), "all rules have a name");
  for (const quantgate::Rule* rule : *all) settings.levels[rule] = quantgate::RuleLevel::kWarning;
  quantgate::Policy policy(std::move(settings));
  quantgate::Checked checked{validator.Check(model)};
  Expect(checked.report.failed, "a scale of 0 fails");
  policy.Apply(validator.options(), "m", checked);
  Expect(!checked.report.failed, "warnings don't");
  checked.graph = quantgate::Lower(model, validator.target());
  for (const std::string_view name : quantgate::ReportFormatNames()) {
    auto reporter = quantgate::MakeReporter(*quantgate::ReportFormatFromName(name),
                                            {.rules = quantgate::AllRules()});
    Expect(reporter.ok(), "every format has a reporter");
    const std::string text = (*reporter)->Add(checked);
    Expect(!(text + (*reporter)->Finish()).empty(), "which writes something");
  }
  quantgate::BaselineWriter baseline("");
  baseline.Add(checked);
  Expect(baseline.count() == checked.report.findings.size(), "a baseline holds all findings");
}

}  // namespace

int main() {
  const quantgate::Validator validator(quantgate::Target::Parse({.soc = "SM8550"}).value());
  const quantgate::Model model = Relu();
  TourPlan(validator.target());
  TourReports(validator, model);
  Expect(quantgate::SmallestAround(validator, model, 0).nodes.size() == 1, "a case is cut out");
  Expect(!quantgate::LoadConfig("no such file.yaml").ok(), "there is no such configuration");
  Expect(quantgate::FindConfig("/").ok(), "configurations are looked for");
  const auto surveyor =
      quantgate::Surveyor::Make("htp", "", {}, quantgate::Database::Embedded());
  Expect(surveyor.ok() && !surveyor->Check(model).archs.empty(), "there are chips");
  const std::vector<std::string> ops = {"Conv2d", "Relu"};
  Expect(quantgate::DidYouMeanOf("Conv2s", ops) == " (did you mean Conv2d?)", "near names are found");
  Expect(!quantgate::EvidenceOf(*quantgate::FindRule("QG301")).reported.empty() ||
             !quantgate::EvidenceOf(*quantgate::FindRule("QG301")).judged.empty(),
         "a rule has evidence");
  Expect(!quantgate::FixableFile::Open("no such file.onnx").ok(), "there is nothing to fix");
  const auto inputs = quantgate::InputValuesOf(model);
  Expect(!inputs.ok(), "fixed-point inputs are not drawn");
  Expect(!quantgate::CompareRuns("a", "b", {}, {.python = "no such program"}).ok(),
         "nothing runs without Python");
  Expect(!quantgate::verify::Verifier::Open("no such library", {.soc = "SM8550"}).ok(),
         "there is no such library");
  Expect(quantgate::verify::KnownDifferences::Parse("{\"differences\": []}").ok(),
         "known differences are read");
  return failures == 0 ? 0 : 1;
}
