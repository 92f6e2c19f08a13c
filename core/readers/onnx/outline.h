// An ONNX file without its weights, for systems that can't map a file into memory.
#ifndef QUANTGATE_CORE_READERS_ONNX_OUTLINE_H_
#define QUANTGATE_CORE_READERS_ONNX_OUTLINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quantgate::onnx {

// Fills `out` with `size` bytes of the file from `at` on; false where they can't be read.
using ReadAt = std::function<bool(uint64_t at, char* out, size_t size)>;

// Data of constants that is longer than this.
inline constexpr size_t kStaysInFile = size_t{64} << 10;

// The bytes of an ONNX file of `size` bytes in which long data of constants (raw_data) is declared
// to be external, in the file `location`: the file itself, where it is read when it is wanted.
// Everything else stays as it is. InvalidArgument with "byte N: reason" where the file ends early
// or is no protobuf.
absl::StatusOr<std::string> Outline(uint64_t size, std::string_view location, const ReadAt& read,
                                    size_t longest = kStaysInFile);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_OUTLINE_H_
