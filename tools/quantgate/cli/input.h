// Flags about input files.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_INPUT_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_INPUT_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/encodings_file.h"
#include "quantgate/reader.h"
#include "quantgate/validator.h"
#include "tools/quantgate/cli/command_line.h"

namespace quantgate::cli {

struct ReadFlags {
  std::string format, external_data;
  int time_limit = 0;
  void Add(VerbFlags verb);
  // The time limit runs from here.
  absl::StatusOr<ReadOptions> Parse() const;
};

// ReadInput(), and .pt2 files of PyTorch, which the Python package reads.
absl::Status ReadModels(const std::string& path, const ReadOptions& options,
                        const std::function<void(ReadModel)>& use);

// The model of a file that holds one. Errors name the file and, where it is known, the place.
absl::StatusOr<Model> ReadOnlyModel(const std::string& path, const ReadOptions& options);

struct RouteFlag {
  std::string value;
  void Add(VerbFlags verb);
  // kDefault where it isn't given.
  absl::StatusOr<std::string> Parse(const Database& database) const;
};

// Of --encodings; empty = none. The error is whole: "FILE:PLACE: reason".
absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_INPUT_H_
