// quantgate plan MODEL --precision 16a8w
#include "quantgate/plan.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

struct PlanFlags {
  std::string input, precision, weights, minimize = "converts";
  std::vector<std::string> overrides;
  TargetSpec target;
  RouteFlag route;
  ReadFlags reading;
  ViewFlags view;
};

absl::StatusOr<PlanOptions> OptionsOf(const PlanFlags& flags, const Database& database) {
  PlanOptions options;
  if (flags.precision.empty()) {
    return absl::InvalidArgumentError("--precision is missing: " + [] {
      std::string names;
      for (const std::string_view name : PlanPrecisionNames()) {
        names += (names.empty() ? "" : ", ") + std::string(name);
      }
      return names;
    }());
  }
  options.precision = flags.precision;
  options.weights = flags.weights;
  const absl::StatusOr<size_t> goal = OneOf("--minimize", flags.minimize, PlanGoalNames());
  if (!goal.ok()) return goal.status();
  options.minimize = static_cast<PlanGoal>(*goal);
  for (const std::string& text : flags.overrides) {
    const size_t at = text.rfind('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
      return absl::InvalidArgumentError("--override \"" + Printable(text, 80) +
                                        "\" is not NODE=PRECISION");
    }
    options.overrides.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  const absl::StatusOr<std::string> route = flags.route.Parse(database);
  if (!route.ok()) return route.status();
  options.route = *route;
  return options;
}

// One model; others of the file are an error.
absl::StatusOr<Model> ReadOne(const PlanFlags& flags) {
  const absl::StatusOr<ReadOptions> options = flags.reading.Parse();
  if (!options.ok()) return options.status();
  std::optional<Model> model;
  absl::Status failed = absl::OkStatus();
  size_t count = 0;
  const absl::Status status = ReadModels(flags.input, *options, [&](ReadModel read) {
    if (++count > 1) return;
    if (!read.model.ok()) {
      failed = absl::InvalidArgumentError(ParseReadError(read.model.status()).Text(read.source));
      return;
    }
    model = *std::move(read.model);
    model->name = read.source;
  });
  if (!status.ok()) {
    return absl::InvalidArgumentError(ParseReadError(status).Text(flags.input));
  }
  if (!failed.ok()) return failed;
  if (count != 1) {
    return absl::InvalidArgumentError(flags.input + ": holds " + std::to_string(count) +
                                      " models; a plan is made of one");
  }
  return *std::move(model);
}

int RunPlan(const PlanFlags& flags) {
  if (const absl::Status format = flags.view.CheckFormat(); !format.ok()) return Fail(format);
  const absl::StatusOr<const Database*> database = flags.view.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<PlanOptions> options = OptionsOf(flags, **database);
  if (!options.ok()) return Fail(options.status());
  const absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  const absl::StatusOr<Planner> planner = Planner::Make(*target, *options, **database);
  if (!planner.ok()) return Fail(planner.status());
  const absl::StatusOr<Model> model = ReadOne(flags);
  if (!model.ok()) return Fail(model.status());
  const absl::StatusOr<Plan> plan = planner->MakePlan(*model);
  if (!plan.ok()) return Fail(flags.input + ": " + std::string(plan.status().message()));
  return flags.view.Write(
      {.text = [&](const Paper& paper) { return PlanText(*plan, paper.color, paper.width); },
       .json = [&] { return Json::parse(PlanJson(*plan)); },
       .html =
           [&] {
             Page page;
             page.title = "quantgate: plan of " + model->name;
             page.body = PlanHtmlBody(*plan);
             page.style = kPlanCss;
             return HtmlPage(page);
           },
       .markdown = {}});
}

}  // namespace

void AddPlan(CommandLine& line) {
  const auto flags = std::make_shared<PlanFlags>();
  line.AddVerb(
      "plan", "Plan a float model's quantization so that it fits",
      [flags] { return RunPlan(*flags); },
      [flags](VerbFlags verb) {
        verb.Add(
            {.name = "MODEL", .words = "Float model file; '-' = standard input", .required = true},
            flags->input);
        verb.Add({.name = "--precision",
                  .type = "NAME",
                  .words = "What is wished: 16a16w, 16a8w, 16a4w, 8a8w, 8a4w or fp16"},
                 flags->precision);
        verb.Add({.name = "--weights",
                  .type = "FORM",
                  .words = "per-channel, per-tensor, int4 or lpbq:SIZE; per-channel where the op "
                           "supports it if not given"},
                 flags->weights);
        verb.Add({.name = "--override",
                  .type = "NODES=NAME",
                  .words = "Another precision for the nodes of this name or pattern (* and ?)"},
                 flags->overrides);
        verb.Add({.name = "--minimize",
                  .type = "WHAT",
                  .words = "Of equally near rows: fewest converts or bits"},
                 flags->minimize);
        AddTargetFlags(verb, flags->target);
        flags->route.Add(verb);
        flags->reading.Add(verb);
        flags->view.Add(verb);
        verb.Footer(
            "Exit status: 0 a plan was made, whatever it says; 2 unusable input or arguments.\n\n"
            "Examples:\n"
            "  quantgate plan float.onnx --precision 16a8w --soc SM8550\n"
            "  quantgate plan float.onnx --precision 8a8w --override '*/attn/*=16a8w' "
            "--format json -o plan.json");
      });
}

}  // namespace quantgate::cli
