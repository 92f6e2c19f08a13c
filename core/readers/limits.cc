#include "core/readers/limits.h"

#include <fmt/core.h>

#include "core/base/text.h"

namespace quantgate {

std::string CheckRoomForNode(size_t count) {
  return count < kMaxNodes ? std::string() : fmt::format("more than {} nodes", kMaxNodes);
}

std::string CheckRoomForTensor(size_t count) {
  return count < kMaxTensors ? std::string() : fmt::format("more than {} tensors", kMaxTensors);
}

std::string CheckName(std::string_view name) {
  return name.size() <= kMaxNameBytes ? std::string()
                                      : fmt::format("the name {} has {} bytes; {} are the most",
                                                    Quoted(name), name.size(), kMaxNameBytes);
}

}  // namespace quantgate
