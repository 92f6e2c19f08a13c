// Flags about input files.
#ifndef QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
#define QUANTGATE_TOOLS_QUANTGATE_INPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "quantgate/encodings_file.h"
#include "quantgate/reader.h"
#include "quantgate/validator.h"
#include "tools/quantgate/command_line.h"

namespace quantgate::cli {

struct InputFormatFlag {
  std::string value;
  void Add(VerbFlags verb);
  // Nothing = to be guessed.
  absl::StatusOr<std::optional<InputFormat>> Parse() const;
};

struct RouteFlag {
  std::string value;
  void Add(VerbFlags verb);
  // kDefault where it isn't given.
  absl::StatusOr<Route> Parse() const;
};

// Of --encodings; empty = none. The error is whole: "FILE:PLACE: reason".
absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_INPUT_H_
