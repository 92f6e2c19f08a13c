// Errors of the library as Python exceptions of quantgate._errors.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_ERRORS_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_ERRORS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace quantgate::python {

// Each throws and so returns to Python with the exception set; the GIL must be held.
[[noreturn]] void RaiseInputError(std::string_view source, const absl::Status& status);
[[noreturn]] void RaiseTargetError(const absl::Status& status);
[[noreturn]] void RaiseOpdefsError(const absl::Status& status);
[[noreturn]] void RaiseUnknownName(std::string_view message);

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_ERRORS_H_
