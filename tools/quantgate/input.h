// Flags about input files.
#ifndef QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
#define QUANTGATE_TOOLS_QUANTGATE_INPUT_H_

#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/readers/reader.h"

namespace quantgate::cli {

// Of --input-format; empty = to be guessed.
absl::StatusOr<std::optional<InputFormat>> ParseInputFormat(std::string_view text);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
