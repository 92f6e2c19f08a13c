// Flags about input files.
#ifndef QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
#define QUANTGATE_TOOLS_QUANTGATE_INPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/readers/reader.h"
#include "quantgate/encodings_file.h"

namespace quantgate::cli {

// Of --input-format; empty = to be guessed.
absl::StatusOr<std::optional<InputFormat>> ParseInputFormat(std::string_view text);

// Of --encodings; empty = none. The error is whole: "FILE:PLACE: reason".
absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
