// JSON files that people hand over, read with care.
#ifndef QUANTGATE_CORE_ORACLE_JSON_FILE_H_
#define QUANTGATE_CORE_ORACLE_JSON_FILE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/readers/file_bytes.h"
#include "nlohmann/json.hpp"

namespace quantgate::verify {

// InvalidArgument for what is no JSON or nested deeper than the parser, which recurses, may go.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text);
// A file of `most_bytes` at most, whole MiB.
absl::StatusOr<FileBytes> OpenJson(const std::string& path, size_t most_bytes);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_JSON_FILE_H_
