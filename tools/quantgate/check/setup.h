// What a check is made of: flags of the command line laid over the configuration file.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_SETUP_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_SETUP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/config.h"
#include "quantgate/database.h"
#include "quantgate/policy.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace quantgate::cli {

// Flags as given; empty = not given.
struct GivenFlags {
  std::string backend, sdk, soc, arch, route, mode, fail_on, baseline, config;
  std::vector<std::string> select, ignore, opdefs;
  bool isolated = false;
};

// What a check yields besides findings: see ValidatorOptions.
struct Extras {
  bool as_run = false, suggest = false;
  int threads = 1;
};

// The configuration that counts for these models, but for its targets. Flags win; --ignore and
// --opdefs add to what the file says. InvalidArgument where models are configured by different files.
absl::StatusOr<Config> EffectiveConfig(const GivenFlags& flags,
                                       const std::vector<std::string>& models);

// Targets of the configuration with the flags laid over them; at least one.
absl::Status SetTargets(const GivenFlags& flags, const Database& database, Config& config);

ValidatorOptions OptionsOf(const Config& config, Extras extras);

absl::StatusOr<Policy> PolicyOf(const Config& config);

// A validator per target of the configuration; with `all_socs` per chip that the backend of the
// first one runs on.
absl::StatusOr<std::vector<Validator>> ValidatorsOf(const Config& config, bool all_socs,
                                                    Extras extras, const Database& database);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_SETUP_H_
