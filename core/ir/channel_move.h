// Permutations that bring the channels from one end of a tensor to the other, and do nothing else.
#ifndef QUANTGATE_CORE_IR_CHANNEL_MOVE_H_
#define QUANTGATE_CORE_IR_CHANNEL_MOVE_H_

#include <cstddef>
#include <cstdint>
#include <span>

namespace quantgate {

enum class ChannelMove : uint8_t { kNone, kToFirst, kToLast };  // first: right behind the batch

// Of three dimensions both ways are one: kToLast.
inline ChannelMove ChannelMoveOf(std::span<const int64_t> perm) {
  const auto rank = static_cast<int64_t>(perm.size());
  if (rank < 3 || perm[0] != 0) return ChannelMove::kNone;
  bool to_last = true, to_first = true;
  for (int64_t i = 1; i < rank; ++i) {
    to_last &= perm[static_cast<size_t>(i)] == i % (rank - 1) + 1;
    to_first &= perm[static_cast<size_t>(i)] == (i + rank - 3) % (rank - 1) + 1;
  }
  return to_last ? ChannelMove::kToLast : to_first ? ChannelMove::kToFirst : ChannelMove::kNone;
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_CHANNEL_MOVE_H_
