// What the tensors of a node's ports have in common, found in one pass: enough to decide most
// constraints with a few ANDs.
#ifndef QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_
#define QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_

#include <array>
#include <cstdint>
#include <limits>

#include "core/rules/support/node_view.h"

namespace quantgate {

// Facts that hold for all tensors of a port.
enum PortFact : uint8_t {
  kFactEncoded = 1,       // no fixed-point tensor lacks an encoding
  kFactGoodScales = 2,    // every scale of a fixed-point tensor is finite and above 0
  kFactSymmetric = 4,     // every zero point is the middle
  kFactSigned = 8,        // no unsigned fixed-point type
  kFactStatic = 16,       // constants
  kFactFixedShape = 32,   // every dimension is known
  kFactUsualScales = 64,  // every scale of a fixed-point tensor lies in kUsualScales
  kFactInRange = 128,     // every zero point is a value of its fixed-point type
};
inline constexpr uint8_t kAllFacts = 255;
// Those that depend on more than the form of the node.
inline constexpr uint8_t kFactsOfNumbers =
    kFactGoodScales | kFactSymmetric | kFactUsualScales | kFactInRange;

// Where scales lie, ends included. NaN lies in none.
struct ScaleRange {
  float min, max;
};
inline constexpr ScaleRange kGoodScales = {std::numeric_limits<float>::denorm_min(),
                                           std::numeric_limits<float>::max()};
// Scales that say nothing special: the few rules about tiny or huge ones need no look at them.
inline constexpr ScaleRange kUsualScales = {1e-8F, 1e8F};

inline bool ScalesLieIn(const Encoding& encoding, ScaleRange range) {
  for (const float scale : encoding.scales) {
    if (!(scale >= range.min && scale <= range.max)) return false;
  }
  return true;
}

// Where zero points lie, ends included.
struct ZeroPointRange {
  int32_t min, max;
};

inline bool ZeroPointsLieIn(const Encoding& encoding, ZeroPointRange range) {
  for (const int32_t zero_point : encoding.zero_points) {
    if (zero_point < range.min || zero_point > range.max) return false;
  }
  return true;
}

// Smallest and largest value of a fixed-point type.
struct ValueRange {
  int64_t min, max;
};
ValueRange RangeOf(Dtype dtype);

struct PortFacts {
  static constexpr int kMaxPorts = rules::NodeView::kMaxPorts;
  // Dtypes of each port: the union over a variadic port, empty where it isn't given or no dtype
  // is known (an empty set fits every row).
  std::array<DtypeMask, kMaxPorts> dtypes;
  // Encodings of each port, as sets; empty = the port isn't given.
  std::array<EncodingMask, kMaxPorts> encodings;
  std::array<uint8_t, kMaxPorts> facts;              // PortFact bits
  std::array<int8_t, kMaxPorts> min_rank, max_rank;  // 0..127 where a rank is not known
  uint8_t all_facts = kAllFacts;                     // of all ports
  int count = 0;
  bool unknown_dtype = false;  // some given tensor has no dtype
  int unknown_port = -1;
};

// Where the numbers of an encoding must lie.
struct NumberRanges {
  ScaleRange scales;
  ZeroPointRange zero_points;
};

// What facts of kFactsOfNumbers come to for all tensors of the form of one that has them.
NumberRanges RangesOf(const Tensor& tensor, uint8_t facts);

inline bool LieWithin(const Encoding& encoding, const NumberRanges& ranges) {
  return ScalesLieIn(encoding, ranges.scales) && ZeroPointsLieIn(encoding, ranges.zero_points);
}

PortFacts FactsOf(const rules::NodeView& node);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_
