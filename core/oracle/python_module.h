// Python programs of this project (tools/quantgate/python/reference), run as children.
#ifndef QUANTGATE_CORE_ORACLE_PYTHON_MODULE_H_
#define QUANTGATE_CORE_ORACLE_PYTHON_MODULE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quantgate::verify {

class PythonModule {
 public:
  // `name`: what stands behind `python -m`. `python` empty = .venv/bin/python of the source tree
  // this program was built in, else python3. NotFound where the module does not lie beside this
  // program.
  static absl::StatusOr<PythonModule> Find(std::string name, const std::string& python);

  // What it writes to standard output. An error says what the program said last; DeadlineExceeded
  // where it was stopped after so many seconds, 0 = never.
  absl::StatusOr<std::string> Run(std::string_view input, int timeout_seconds) const;

 private:
  std::string name_, python_, folder_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_PYTHON_MODULE_H_
