// The flags of `quantgate check`.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CHECK_FLAGS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CHECK_FLAGS_H_

#include <optional>
#include <string>
#include <vector>

#include "quantgate/target.h"
#include "tools/quantgate/check/setup.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/verbs.h"

namespace quantgate::cli {

struct CheckFlags {
  std::optional<VerbFlags> parser;  // knows what was given
  DatabaseFlags opdefs;
  std::vector<std::string> models;
  TargetSpec target;
  RouteFlag route;
  ReadFlags reading;
  FailFlags fail;
  std::string format = "text", output, encodings, save_node;
  ColorFlag color;
  bool verbose = false;
  std::vector<std::string> select, ignore;
  std::string baseline, write_baseline;
  bool statistics = false, exit_zero = false;
  std::string config;
  bool isolated = false, show_config = false, watch = false;
  bool as_run = false, all_socs = false, suggest = false;
  int jobs = 0;
};

void AddCheckFlags(VerbFlags verb, CheckFlags& flags);

int JobsOf(const CheckFlags& flags);
GivenFlags GivenOf(const CheckFlags& flags);
Extras ExtrasOf(const CheckFlags& flags);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CHECK_FLAGS_H_
