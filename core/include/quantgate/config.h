// The configuration of a project, which says once what its models are checked for: quantgate.yaml,
// or [tool.quantgate] of a pyproject.toml (docs/guide/configuration.md).
#ifndef QUANTGATE_CONFIG_H_
#define QUANTGATE_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/policy.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

struct ConfigTarget {
  TargetSpec spec;  // not yet held against a database: Target::Parse() does
  std::string route = {};
  // Written as in `--targets`, without its SDK (`arch:v79`): ResolveTargets() makes the spec of it.
  std::string entry;
};

struct Config {
  std::string file;                   // empty = none was found
  std::vector<ConfigTarget> targets;  // empty = the defaults
  std::optional<Mode> mode;
  std::optional<Consequence> fail_on;
  std::vector<std::string> opdefs;  // folders, as seen from the working directory: WithOverlay()
  std::string baseline;             // likewise: ReadBaseline()
  // Levels, selection and suppressions; no baseline, no day.
  PolicySettings policy;
};

// `path` is called `quantgate.yaml` or `pyproject.toml`; other names count by their ending.
// Errors say "FILE:LINE:COLUMN: reason", with did-you-mean for unknown keys and values.
absl::StatusOr<Config> LoadConfig(const std::string& path);

// The file for a model: the nearest one upwards from its folder, where a pyproject.toml counts
// only with a [tool.quantgate]. Empty = none. "-" = from the working directory.
absl::StatusOr<std::string> FindConfig(std::string_view model);

// Turns the entries of targets, if any, into specs. InvalidArgument names what is wrong with one.
absl::Status ResolveTargets(Config& config, const Database& database);

// As YAML that can be read again, with the file it came from; `json` = the same as JSON.
std::string ShowConfig(const Config& config, bool json);

}  // namespace quantgate

#endif  // QUANTGATE_CONFIG_H_
