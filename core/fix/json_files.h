// Files in JSON written again with changed encodings: order, unknown fields and values that are
// not changed stay.
#ifndef QUANTGATE_CORE_FIX_JSON_FILES_H_
#define QUANTGATE_CORE_FIX_JSON_FILES_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/fix/editor.h"
#include "quantgate/encodings_file.h"

namespace quantgate::fix {

// Model JSON: encodings, types, and values where they stand in the file.
absl::StatusOr<std::string> ModelJsonWith(std::string_view json, const Editor& editor);

// An encodings file in the version that it has. `codings`: by name of the entry.
absl::StatusOr<std::string> EncodingsWith(std::string_view json, const EncodingsFile& file,
                                          const std::map<std::string, Coding>& codings);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_JSON_FILES_H_
