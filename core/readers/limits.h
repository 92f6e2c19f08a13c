// The most that a model may hold, whatever its file's format; docs/guide/limits.md has the reasons.
// Beyond is an error with its place, found before memory is allocated for it.
#ifndef QUANTGATE_CORE_READERS_LIMITS_H_
#define QUANTGATE_CORE_READERS_LIMITS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quantgate {

// What a length in protozero can say. A .jsonl may be longer, its lines
// not.
inline constexpr size_t kMaxFileBytes = UINT32_MAX;
// Of what has to be held in memory.
inline constexpr size_t kMaxPipeBytes = size_t{2} << 30;
inline constexpr size_t kMaxNodes = size_t{1} << 24;
inline constexpr size_t kMaxTensors = size_t{1} << 25;
inline constexpr size_t kMaxNameBytes = size_t{64} << 10;
inline constexpr size_t kMaxRank = 64;

// Each returns what is wrong, or "". `count` is of what is there already.
std::string CheckRoomForNode(size_t count);
std::string CheckRoomForTensor(size_t count);
std::string CheckName(std::string_view name);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_LIMITS_H_
