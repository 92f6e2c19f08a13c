#include "core/ir/channels.h"

#include <algorithm>
#include <cstddef>

#include "core/ir/encoding_math.h"

namespace quantgate {

std::optional<Channels> ChannelsOf(const Encoding& encoding, std::span<const int64_t> dims) {
  if (encoding.kind == EncodingKind::kPerTensor) return Channels{};
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t axis = encoding.axis < 0 ? encoding.axis + rank : encoding.axis;
  if (encoding.kind != EncodingKind::kPerChannel || axis < 0 || axis >= rank) return std::nullopt;
  Channels channels;
  channels.count = dims[static_cast<size_t>(axis)];
  for (size_t i = static_cast<size_t>(axis) + 1; i < dims.size(); ++i) channels.inner *= dims[i];
  const auto entries = static_cast<int64_t>(std::max<size_t>(1, EntryCount(encoding)));
  if (channels.count <= 0 || channels.inner <= 0 || (entries != 1 && entries != channels.count)) {
    return std::nullopt;
  }
  return channels;
}

}  // namespace quantgate
