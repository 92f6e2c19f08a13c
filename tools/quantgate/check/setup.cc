#include "tools/quantgate/check/setup.h"

#include <algorithm>
#include <utility>

#include "quantgate/text.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"

namespace quantgate::cli {
namespace {

absl::StatusOr<Config> FromFile(const GivenFlags& flags, const std::vector<std::string>& models) {
  if (flags.isolated) return Config();
  if (!flags.config.empty()) return LoadConfig(flags.config);
  std::string file, first;
  for (const std::string& model : models.empty() ? std::vector<std::string>{"-"} : models) {
    absl::StatusOr<std::string> found = FindConfig(model);
    if (!found.ok()) return found.status();
    if (first.empty()) {
      first = model;
      file = *std::move(found);
    } else if (*found != file) {
      const auto shown = [](const std::string& name) {
        return name.empty() ? std::string("nothing") : name;
      };
      return absl::InvalidArgumentError(first + " is configured by " + shown(file) + ", " + model +
                                        " by " + shown(*found) +
                                        "; check them one by one, or name one with --config");
    }
  }
  if (file.empty()) return Config();
  return LoadConfig(file);
}

absl::Status AddRules(std::string_view flag, const std::vector<std::string>& selectors,
                      std::set<const Rule*>& rules) {
  for (const std::string& selector : selectors) {
    const absl::StatusOr<std::vector<const Rule*>> named = RulesNamed(selector);
    if (!named.ok()) {
      return absl::InvalidArgumentError(std::string(flag) + ": " +
                                        std::string(named.status().message()) +
                                        "; quantgate explain --all lists them");
    }
    rules.insert(named->begin(), named->end());
  }
  return absl::OkStatus();
}

// A chip or arch of the command line replaces both of the file: they belong together.
void LayOver(const GivenFlags& flags, ConfigTarget& target) {
  if (!flags.backend.empty() && flags.backend != target.spec.backend) {
    target = {};
    target.spec.backend = flags.backend;
  }
  if (!flags.sdk.empty()) target.spec.sdk = flags.sdk;
  if (!flags.soc.empty() || !flags.arch.empty()) {
    target.spec.soc = flags.soc;
    target.spec.arch = flags.arch;
  }
}

bool Same(const ConfigTarget& a, const ConfigTarget& b) {
  return a.spec.backend == b.spec.backend && a.spec.sdk == b.spec.sdk && a.spec.soc == b.spec.soc &&
         a.spec.arch == b.spec.arch && a.route == b.route;
}

}  // namespace

absl::StatusOr<Config> EffectiveConfig(const GivenFlags& flags,
                                       const std::vector<std::string>& models) {
  absl::StatusOr<Config> config = FromFile(flags, models);
  if (!config.ok()) return config;
  if (!flags.mode.empty()) {
    const absl::StatusOr<Mode> mode = ParseMode(flags.mode);
    if (!mode.ok()) return mode.status();
    config->mode = *mode;
  }
  if (!flags.fail_on.empty()) {
    const absl::StatusOr<Consequence> fail_on = ParseFailOn(flags.fail_on);
    if (!fail_on.ok()) return fail_on.status();
    config->fail_on = *fail_on;
  }
  if (!flags.select.empty()) {
    config->policy.select.clear();
    if (const auto status = AddRules("--select", flags.select, config->policy.select);
        !status.ok()) {
      return status;
    }
  }
  if (const auto status = AddRules("--ignore", flags.ignore, config->policy.ignore); !status.ok()) {
    return status;
  }
  config->opdefs.insert(config->opdefs.end(), flags.opdefs.begin(), flags.opdefs.end());
  if (!flags.baseline.empty()) config->baseline = flags.baseline;
  return config;
}

absl::Status SetTargets(const GivenFlags& flags, const Database& database, Config& config) {
  const absl::StatusOr<std::string> route = RouteFlag{flags.route}.Parse(database);
  if (!route.ok()) return route.status();
  if (absl::Status status = ResolveTargets(config, database); !status.ok()) return status;
  if (config.targets.empty()) config.targets.emplace_back();
  std::vector<ConfigTarget> targets;
  for (ConfigTarget target : config.targets) {
    LayOver(flags, target);
    if (!route->empty()) target.route = *route;
    const auto same = [&](const ConfigTarget& other) { return Same(target, other); };
    if (std::none_of(targets.begin(), targets.end(), same)) targets.push_back(std::move(target));
  }
  config.targets = std::move(targets);
  return absl::OkStatus();
}

ValidatorOptions OptionsOf(const Config& config, Extras extras) {
  ValidatorOptions options;
  options.mode = config.mode.value_or(options.mode);
  options.fail_on = config.fail_on.value_or(options.fail_on);
  options.as_run = extras.as_run;
  options.suggest = extras.suggest;
  options.threads = extras.threads;
  return options;
}

absl::StatusOr<Policy> PolicyOf(const Config& config) {
  PolicySettings settings = config.policy;
  settings.today = Today();
  if (!config.baseline.empty()) {
    absl::StatusOr<Baseline> baseline = ReadBaseline(config.baseline);
    if (!baseline.ok()) return baseline.status();
    settings.baseline = *std::move(baseline);
  }
  return Policy(std::move(settings));
}

absl::StatusOr<std::vector<Validator>> ValidatorsOf(const Config& config, bool all_socs,
                                                    Extras extras, const Database& database) {
  ValidatorOptions options = OptionsOf(config, extras);
  std::vector<Validator> validators;
  const auto add = [&](const ConfigTarget& target, bool must_fit) -> absl::Status {
    absl::StatusOr<Target> parsed = Target::Parse(target.spec, database);
    if (!parsed.ok()) return must_fit ? parsed.status() : absl::OkStatus();
    if (!must_fit && !parsed->unsupported().empty()) return absl::OkStatus();
    options.route = target.route;
    validators.emplace_back(*std::move(parsed), options, database);
    return absl::OkStatus();
  };
  if (!all_socs) {
    for (const ConfigTarget& target : config.targets) {
      if (const absl::Status status = add(target, true); !status.ok()) return status;
    }
    return validators;
  }
  for (const SocInfo& soc : database.Socs()) {
    ConfigTarget target = config.targets.front();
    target.spec.soc = soc.name;
    target.spec.arch.clear();
    if (const absl::Status status = add(target, false); !status.ok()) return status;
  }
  if (validators.empty()) {
    // Says what is wrong with the backend or the SDK.
    ConfigTarget target = config.targets.front();
    target.spec.soc.clear();
    if (const absl::Status status = add(target, true); !status.ok()) return status;
  }
  return validators;
}

}  // namespace quantgate::cli
