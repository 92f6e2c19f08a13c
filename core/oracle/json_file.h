// JSON files that people hand over, read with care.
#ifndef QUANTGATE_CORE_ORACLE_JSON_FILE_H_
#define QUANTGATE_CORE_ORACLE_JSON_FILE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace quantgate::verify {

// InvalidArgument for what is no JSON or nested deeper than the parser, which recurses, may go.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text);
// What `use` makes of the bytes of a file of `most_bytes` at most, whole MiB.
absl::Status WithBytesOf(const std::string& path, size_t most_bytes,
                         const std::function<absl::Status(std::string_view)>& use);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_JSON_FILE_H_
