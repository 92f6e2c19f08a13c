// quantgate sweep PATHS… : runs `python -m quantgate sweep`, which writes Parquet and knows Dask.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/config.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/program/python_program.h"

namespace quantgate::cli {
namespace {

struct SweepFlags {
  std::optional<VerbFlags> parser;
  std::vector<std::string> paths, opdefs;
  std::string targets, sdk, backend, route, mode, fail_on, output, against, shard, engine,
      scheduler, python, probe, library, count, seed, config;
  bool resume = false, merge = false, nodes = false, quiet = false, isolated = false;
  int jobs = 0;
};

// The flags that have a value and are handed on as they are.
struct ValueFlag {
  FlagSpec spec;
  std::string SweepFlags::*value;
};

const std::vector<ValueFlag>& ValueFlags() {
  static const auto& flags = *new std::vector<ValueFlag>{
      {{.name = "--targets",
        .type = "LIST",
        .words = "SM8550,arch:v79@2.25,cpu: chips, archs, BACKEND:ARCH, backends without archs; "
                 "@SDK where it differs from --sdk"},
       &SweepFlags::targets},
      {{.name = "--sdk", .type = "LIST", .words = "SDKs, each for every target; the newest"},
       &SweepFlags::sdk},
      {{.name = "--backend", .type = "NAME", .words = "Of arch:ARCH; htp"}, &SweepFlags::backend},
      {{.name = "--route", .type = "ROUTE", .words = "As of check; by kind of input"},
       &SweepFlags::route},
      {{.name = "--mode", .type = "MODE", .words = "strict or warn"}, &SweepFlags::mode},
      {{.name = "--fail-on", .type = "CONSEQUENCE", .words = "As of check"}, &SweepFlags::fail_on},
      {{.name = "-o,--output",
        .type = "OUT",
        .words = "Folder for the tables, summary.txt and index.html; a URL of fsspec too"},
       &SweepFlags::output},
      {{.name = "--against", .type = "OLD", .words = "A sweep to compare with"},
       &SweepFlags::against},
      {{.name = "--shard", .type = "K/N", .words = "Only the K-th of N shares of the models"},
       &SweepFlags::shard},
      {{.name = "--engine", .type = "ENGINE", .words = "local or dask"}, &SweepFlags::engine},
      {{.name = "--scheduler", .type = "ADDRESS", .words = "Of Dask: tcp://HOST:PORT"},
       &SweepFlags::scheduler},
      {{.name = "--probe",
        .type = "BACKEND",
        .words = "Put configurations to a real library instead of checking models: htp"},
       &SweepFlags::probe},
      {{.name = "--backend-lib", .type = "LIB", .words = "That library"}, &SweepFlags::library},
      {{.name = "--count", .type = "N", .words = "Configurations of --probe; 20000"},
       &SweepFlags::count},
      {{.name = "--seed", .type = "N", .words = "They are drawn by; 1"}, &SweepFlags::seed},
  };
  return flags;
}

std::string LongName(const std::string& name) { return name.substr(name.rfind(',') + 1); }

std::vector<std::string> ArgumentsOf(const SweepFlags& flags) {
  std::vector<std::string> arguments;
  for (const ValueFlag& flag : ValueFlags()) {
    const std::string name = LongName(flag.spec.name);
    if (flags.parser->Given(name)) arguments.push_back(name + "=" + flags.*flag.value);
  }
  for (const std::string& folder : flags.opdefs) arguments.push_back("--opdefs=" + folder);
  if (flags.resume) arguments.push_back("--resume");
  if (flags.merge) arguments.push_back("--merge");
  if (flags.nodes) arguments.push_back("--nodes");
  if (flags.quiet) arguments.push_back("--quiet");
  if (flags.jobs > 0) arguments.push_back("--jobs=" + std::to_string(flags.jobs));
  arguments.push_back("--");
  arguments.insert(arguments.end(), flags.paths.begin(), flags.paths.end());
  return arguments;
}

// An entry of --targets. What a configuration says field by field becomes one too.
std::string EntryOf(const ConfigTarget& target) {
  std::string entry = target.entry;
  if (entry.empty()) entry = target.spec.soc;
  if (entry.empty()) {
    entry = target.spec.backend;
    if (!target.spec.arch.empty()) entry += ":" + target.spec.arch;
  }
  return target.spec.sdk.empty() ? entry : entry + "@" + target.spec.sdk;
}

// What the configuration of the working directory says, as the flags that would say it. --merge and
// flags that are given win.
absl::StatusOr<std::vector<std::string>> Configured(const SweepFlags& flags) {
  std::vector<std::string> arguments;
  if (flags.merge || flags.isolated) return arguments;
  absl::StatusOr<std::string> file = flags.config;
  if (file->empty()) file = FindConfig("-");
  if (!file.ok()) return file.status();
  if (file->empty()) return arguments;
  const absl::StatusOr<Config> config = LoadConfig(*file);
  if (!config.ok()) return config.status();
  const auto add = [&](const std::string& name, std::string_view value) {
    if (!flags.parser->Given(name)) arguments.push_back(name + "=" + std::string(value));
  };
  std::string targets;
  const std::string route = config->targets.empty() ? "" : config->targets.front().route;
  for (const ConfigTarget& target : config->targets) {
    if (target.route != route && !flags.parser->Given("--route")) {
      return absl::InvalidArgumentError(*file + ": its targets have several routes, a sweep has " +
                                        "one; name it with --route");
    }
    targets += (targets.empty() ? "" : ",") + EntryOf(target);
  }
  // The route belongs to the targets.
  if (!targets.empty() && !flags.parser->Given("--targets")) {
    add("--targets", targets);
    if (!route.empty()) add("--route", route);
  }
  if (config->mode) add("--mode", ModeName(*config->mode));
  if (config->fail_on) add("--fail-on", ConsequenceName(*config->fail_on));
  for (const std::string& folder : config->opdefs) arguments.push_back("--opdefs=" + folder);
  return arguments;
}

int RunSweep(const SweepFlags& flags) {
  absl::StatusOr<std::vector<std::string>> configured = Configured(flags);
  if (!configured.ok()) return Fail(configured.status());
  std::vector<std::string> arguments = {"sweep"};
  for (std::string& argument : *configured) arguments.push_back(std::move(argument));
  for (std::string& argument : ArgumentsOf(flags)) arguments.push_back(std::move(argument));
  return BecomePythonPackage(flags.python, "sweep", "sweep", arguments);
}

}  // namespace

void AddSweep(CommandLine& line) {
  const auto flags = std::make_shared<SweepFlags>();
  line.AddVerb(
      "sweep", "Check many models on many targets, into tables", [flags] { return RunSweep(*flags); },
      [flags](VerbFlags verb) {
        flags->parser = verb;
        verb.Add({.name = "PATH",
                  .words = "Models, folders, globs, .jsonl files, archives, URLs of fsspec; with "
                           "--merge: shards"},
                 flags->paths);
        for (const ValueFlag& flag : ValueFlags()) verb.Add(flag.spec, (*flags).*flag.value);
        verb.Add({.name = "--config",
                  .type = "FILE",
                  .words = "Its targets, mode, fail-on and opdefs count; quantgate.yaml or "
                           "pyproject.toml here or above"},
                 flags->config);
        verb.Add({.name = "--isolated", .words = "Read no configuration"}, flags->isolated);
        verb.Add({.name = "--opdefs", .type = "DIR", .words = "YAML of your own over the database"},
                 flags->opdefs);
        verb.Add({.name = "--nodes", .words = "Also a table of all nodes"}, flags->nodes);
        verb.Add({.name = "--resume", .words = "Go on with what was interrupted"}, flags->resume);
        verb.Add({.name = "--merge", .words = "Put finished shards together"}, flags->merge);
        verb.Add({.name = "-j,--jobs", .type = "N", .words = "As many as cores", .most = 1024},
                 flags->jobs);
        verb.Add({.name = "-q,--quiet", .words = "Show no progress"}, flags->quiet);
        verb.Add({.name = "--python",
                  .type = "PROGRAM",
                  .words = "The Python that has the package quantgate; else one beside this "
                           "program, else python3"},
                 flags->python);
        verb.Footer(
            "Examples:\n"
            "  quantgate sweep zoo --targets SM8350,SM8550,arch:v79 -o out\n"
            "  quantgate sweep 'zoo/**/*.onnx' --targets SM8550 --sdk 2.25,2.51 -o new --against old\n"
            "  quantgate sweep zoo --targets SM8550 -o out --resume\n"
            "  quantgate sweep s3://bucket/zoo --targets SM8550 -o s3://bucket/out --engine dask\n"
            "  quantgate sweep zoo --targets SM8550 -o part3 --shard 3/64\n"
            "  quantgate sweep --merge part* -o out\n\n"
            "Exit status: 0 fine, 1 findings that fail the mode, 2 unusable input or arguments, or "
            "models that can't be read.");
      });
}

}  // namespace quantgate::cli
