// AIMET encodings files -> EncodingsFile; docs/guide/formats.md says what each version holds.
#ifndef QUANTGATE_CORE_READERS_AIMET_ENCODINGS_READER_H_
#define QUANTGATE_CORE_READERS_AIMET_ENCODINGS_READER_H_

#include <cstddef>
#include <functional>
#include <string_view>

#include "absl/status/statusor.h"
#include "quantgate/encodings_file.h"

namespace quantgate {

// The text is read entry by entry: memory is in proportion to the largest entry and to what is
// kept. `consumed`, which may be empty, is called now and then with how much of the text is not needed any more.
absl::StatusOr<EncodingsFile> ReadEncodings(std::string_view json,
                                            const std::function<void(size_t)>& consumed);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_AIMET_ENCODINGS_READER_H_
