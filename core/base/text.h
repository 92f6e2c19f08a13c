// Text that readers put into messages and models.
#ifndef QUANTGATE_CORE_BASE_TEXT_H_
#define QUANTGATE_CORE_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace quantgate {

// `name` in double quotes, on one line and at most about 100 bytes long, whatever it holds.
std::string Quoted(std::string_view name);

bool IsUtf8(std::string_view bytes);

// `bytes`, with U+FFFD for whatever is not UTF-8.
std::string Utf8(std::string_view bytes);

// "LINE:COLUMN" of a byte of `text`, both from 1; a column counts bytes.
std::string LineColumn(std::string_view text, size_t offset);

absl::Status Invalid(std::string_view message);
// "PLACE: REASON"; the reason alone when there is no place.
absl::Status InvalidAt(std::string_view place, std::string_view reason);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_TEXT_H_
