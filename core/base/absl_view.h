// Debian builds Abseil as C++17 before it had std::string_view: its string_view is another type.
#ifndef QUANTGATE_CORE_BASE_ABSL_VIEW_H_
#define QUANTGATE_CORE_BASE_ABSL_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace quantgate {

inline absl::string_view Absl(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_ABSL_VIEW_H_
