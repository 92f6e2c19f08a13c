#include "tools/quantgate/check/flags.h"

#include <algorithm>
#include <thread>

#include "tools/quantgate/cli/command_line.h"

namespace quantgate::cli {
namespace {

void AddFindingFlags(VerbFlags verb, CheckFlags& flags) {
  constexpr const char* kGroup = "Findings";
  verb.AddList({.name = "--select",
                .type = "RULE",
                .words = "Report these rules only: QG301, QG3, a name",
                .group = kGroup},
               flags.select);
  verb.AddList(
      {.name = "--ignore", .type = "RULE", .words = "Leave these rules out", .group = kGroup},
      flags.ignore);
  verb.Add({.name = "--baseline",
            .type = "FILE",
            .words = "Findings listed in this file don't fail",
            .group = kGroup},
           flags.baseline);
  verb.Add({.name = "--write-baseline",
            .type = "FILE",
            .words = "Write the findings of this run into a baseline file",
            .group = kGroup},
           flags.write_baseline);
  verb.Add({.name = "--statistics",
            .words = "Count findings per rule instead of listing",
            .group = kGroup},
           flags.statistics);
  verb.Add(
      {.name = "--exit-zero", .words = "Exit status 0 also where the model fails", .group = kGroup},
      flags.exit_zero);
}

}  // namespace

void AddCheckFlags(VerbFlags verb, CheckFlags& flags) {
  flags.parser = verb;
  verb.Add({.name = "MODEL", .words = "Model files, or folders of them; '-' = standard input"},
           flags.models);
  verb.Add({.name = "--encodings",
            .type = "FILE",
            .words = "AIMET encodings or mllm recipe for the model; see docs/guide/formats.md"},
           flags.encodings);
  AddTargetFlags(verb, flags.target);
  flags.opdefs.Add(verb);
  flags.route.Add(verb);
  flags.fail.Add(verb);
  verb.Add({.name = "--as-run",
            .words = "Show what runs instead of what was written, node by node, and where"},
           flags.as_run);
  verb.Add({.name = "--suggest",
            .words = "Try what else would run each refused node; fixes are then the cheapest "
                     "first"},
           flags.suggest);
  verb.Add(
      {.name = "--all-socs",
       .words =
           "A table of all chips: on which the model fits, falls back to the CPU or "
           "fails; the exit status is 1 where no chip passes the mode. As html: a report "
           "per chip"},
      flags.all_socs);
  AddFindingFlags(verb, flags);
  verb.Add({.name = "--format",
            .type = "FORMAT",
            .words = "text, json, html, sarif, github, junit or model-explorer"},
           flags.format);
  AddOutputFlag(verb, flags.output);
  verb.Add(
      {.name = "--save-node",
       .type = "NODE",
       .words = "Instead of a report: the smallest model in which this node gets the same "
                "findings, as Model JSON or, by the name of the output, .binpb"},
      flags.save_node);
  flags.reading.Add(verb);
  verb.Add(
      {.name = "--config",
       .type = "FILE",
       .words = "Configuration file; else quantgate.yaml or pyproject.toml upwards of the "
                "model"},
      flags.config);
  verb.Add({.name = "--isolated", .words = "Read no configuration file"}, flags.isolated);
  verb.Add({.name = "--show-config", .words = "Print what counts, and check nothing"},
           flags.show_config);
  verb.Add({.name = "--watch", .words = "Check again whenever a model changes"},
           flags.watch);
  verb.Add(
      {.name = "-j,--jobs",
       .type = "N",
       .words = "Threads that share the models, and a large one; as many as cores, at most 8",
       .most = 256},
      flags.jobs);
  verb.Add({.name = "-v,--verbose", .words = "Every finding in full, and every node"},
           flags.verbose);
  flags.color.Add(verb);
}

int JobsOf(const CheckFlags& flags) {
  return flags.jobs > 0 ? flags.jobs
                        : std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
}

GivenFlags GivenOf(const CheckFlags& flags) {
  const auto given = [&](const char* flag, const std::string& value) {
    return flags.parser->Given(flag) ? value : std::string();
  };
  return {.backend = given("--backend", flags.target.backend),
          .sdk = flags.target.sdk,
          .soc = flags.target.soc,
          .arch = flags.target.arch,
          .route = flags.route.value,
          .mode = given("--mode", flags.fail.mode),
          .fail_on = given("--fail-on", flags.fail.fail_on),
          .baseline = flags.baseline,
          .config = flags.config,
          .select = flags.select,
          .ignore = flags.ignore,
          .opdefs = flags.opdefs.folders,
          .isolated = flags.isolated};
}

Extras ExtrasOf(const CheckFlags& flags) {
  // What is left over where there are fewer models than jobs shares the work on each.
  const int models = std::max(static_cast<int>(flags.models.size()), 1);
  return {.as_run = flags.as_run,
          .suggest = flags.suggest,
          .threads = std::max(JobsOf(flags) / models, 1)};
}

}  // namespace quantgate::cli
