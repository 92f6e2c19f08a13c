// quantgate verify INPUT… --backend-lib LIB: what its flags say, and what runs it.
#ifndef QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_H_
#define QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantgate/target.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"
#include "tools/quantgate/cli/input.h"

namespace quantgate::cli {

struct VerifyFlags {
  DatabaseFlags opdefs;
  std::vector<std::string> models;
  std::string library, inputs, known, python, record;
  TargetSpec target;
  RouteFlag route;
  ReadFlags reading;
  bool prepare = false, execute = false, verbose = false, graph = false, reduce = false;
  std::optional<VerbFlags> parser;
  int jobs = 1, timeout = 30;
  uint64_t seed = 1;
  std::string format = "text", output;
  ColorFlag color;
};

// The exit status. In verify.cc; in verify_beside.cc where the tool can load no library itself.
int RunVerify(const VerifyFlags& flags);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_VERIFY_VERIFY_H_
