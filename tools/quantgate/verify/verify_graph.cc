#include "tools/quantgate/verify/verify_graph.h"

#include <string>
#include <vector>

#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/program/python_program.h"

namespace quantgate::cli {

int RunVerifyGraph(const VerifyGraph& asked) {
  if (asked.models.size() != 1 || asked.models.front() == "-") {
    return Fail("--graph: takes one ONNX file");
  }
  std::vector<std::string> arguments = {"graph"};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) arguments.push_back(std::string(flag) + "=" + value);
  };
  add("--backend", asked.target.backend);
  add("--soc", asked.target.soc);
  add("--arch", asked.target.arch);
  add("--sdk", asked.target.sdk);
  add("--inputs", asked.inputs);
  add("--format", asked.format);
  add("--output", asked.output);
  add("--seed", std::to_string(asked.seed));
  if (asked.timeout_seconds > 0) add("--timeout", std::to_string(asked.timeout_seconds));
  if (asked.reduce) arguments.emplace_back("--reduce");
  if (asked.verbose) arguments.emplace_back("--verbose");
  arguments.emplace_back("--");
  arguments.push_back(asked.models.front());
  return BecomePythonPackage(asked.python, "--graph", "provider", arguments);
}

}  // namespace quantgate::cli
