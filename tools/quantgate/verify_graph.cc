#include "tools/quantgate/verify_graph.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "tools/quantgate/common.h"
#include "tools/quantgate/python_program.h"

namespace quantgate::cli {

int RunVerifyGraph(const VerifyGraph& asked) {
  if (asked.models.size() != 1 || asked.models.front() == "-") {
    return Fail("--graph: takes one ONNX file");
  }
  if (asked.target.backend != "htp") return Fail("--graph: ONNX Runtime's provider runs on htp only");
  const absl::StatusOr<std::string> python = FindPython(asked.python);
  if (!python.ok()) {
    const std::string why(python.status().message());
    if (absl::IsNotFound(python.status())) return Fail(why + "; --python names another");
    return Fail("--graph needs the Python package, which " + why +
                " doesn't have: pip install 'quantgate[provider]', or name another with --python");
  }
  std::vector<std::string> command = {*python, "-m", "quantgate", "graph"};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) command.push_back(std::string(flag) + "=" + value);
  };
  add("--soc", asked.target.soc);
  add("--arch", asked.target.arch);
  add("--sdk", asked.target.sdk);
  add("--inputs", asked.inputs);
  add("--format", asked.format);
  add("--output", asked.output);
  add("--seed", std::to_string(asked.seed));
  if (asked.timeout_seconds > 0) add("--timeout", std::to_string(asked.timeout_seconds));
  if (asked.reduce) command.emplace_back("--reduce");
  if (asked.verbose) command.emplace_back("--verbose");
  command.emplace_back("--");
  command.push_back(asked.models.front());
  ::execvp(python->c_str(), Pointers(command).data());
  return Fail(*python + ": " + std::strerror(errno));
}

}  // namespace quantgate::cli
