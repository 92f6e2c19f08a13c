// How the values of a tensor lie in the channels of its encoding.
#ifndef QUANTGATE_CORE_IR_CHANNELS_H_
#define QUANTGATE_CORE_IR_CHANNELS_H_

#include <cstdint>
#include <optional>
#include <span>

#include "quantgate/encoding.h"

namespace quantgate {

// Element i belongs to channel (i / inner) % count.
struct Channels {
  int64_t count = 1, inner = 1;
  int64_t Of(int64_t element) const { return element / inner % count; }
};

// One channel for all of a per-tensor encoding. nullopt for encodings of blocks, and where the axis or the number of
// entries doesn't fit the dimensions.
std::optional<Channels> ChannelsOf(const Encoding& encoding, std::span<const int64_t> dims);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_CHANNELS_H_
