// Layout of a database image: a header, a table of sections, the sections (each 8-aligned).
#ifndef QUANTGATE_CORE_DATABASE_IMAGE_H_
#define QUANTGATE_CORE_DATABASE_IMAGE_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/database/tables.h"

namespace quantgate::opdb {

// Sections in the order they stand in the image.
enum class SectionId : uint32_t {
  kStrings,
  kStrs,
  kInts,
  kReals,
  kU16s,
  kMasks,
  kExprOps,
  kExprs,
  kSources,
  kSocs,
  kEnums,
  kPorts,
  kParams,
  kVariants,
  kConds,
  kArgs,
  kAlts,
  kConstraints,
  kAlternatives,  // ConstraintRow too: those inside of any_of
  kOps,
  kBackends,
  kTree,
  kDocuments,
  kRenames,
};
inline constexpr size_t kSectionCount = static_cast<size_t>(SectionId::kRenames) + 1;

struct SectionEntry {
  uint64_t offset = 0;  // from the beginning of the image
  uint32_t count = 0;   // of rows
  uint32_t row_size = 0;
};

struct ImageHeader {
  std::array<char, 8> magic{};
  uint32_t version = 0;
  uint32_t sections = 0;
  uint64_t size = 0;  // of the whole image
};

inline constexpr std::array<char, 8> kImageMagic = {'Q', 'G', 'O', 'P', 'D', 'B', '\r', '\n'};
// Raised with every change of the rows or of what they mean.
inline constexpr uint32_t kImageVersion = 8;
inline constexpr size_t kImageAlign = 8;

// Bounds that the checks of rules rely on (their stacks are arrays of this size).
inline constexpr uint32_t kMaxPorts = 48;
inline constexpr uint32_t kMaxParams = 40;
inline constexpr uint32_t kMaxExprDepth = 16;
inline constexpr uint32_t kMaxGroups = 64;
inline constexpr uint32_t kMaxArchs = 32;
inline constexpr uint32_t kMaxFeatures = 8;

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_IMAGE_H_
