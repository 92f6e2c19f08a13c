// What the tensors of a node's ports have in common, found in one pass: enough to decide most
// constraints with a few ANDs.
#ifndef QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_
#define QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_

#include <array>
#include <cstdint>

#include "core/rules/node_view.h"

namespace quantgate {

// Facts that hold for all tensors of a port.
enum PortFact : uint8_t {
  kFactEncoded = 1,       // no fixed-point tensor lacks an encoding
  kFactGoodScales = 2,    // every scale is finite and above 0
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

// Scales that say nothing special: the few rules about tiny or huge ones need no look at them.
struct ScaleRange {
  float min, max;
};
inline constexpr ScaleRange kUsualScales = {1e-8F, 1e8F};

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

// Where the numbers of an encoding must lie, ends included.
struct NumberRanges {
  float least_scale, most_scale;
  int32_t least_zero_point, most_zero_point;
};

// What facts of kFactsOfNumbers come to for all tensors of the form of one that has them.
NumberRanges RangesOf(const Tensor& tensor, uint8_t facts);

// False where a number is NaN.
inline bool LieWithin(const Encoding& encoding, const NumberRanges& ranges) {
  for (const float scale : encoding.scales) {
    if (!(scale >= ranges.least_scale && scale <= ranges.most_scale)) return false;
  }
  for (const int32_t zero_point : encoding.zero_points) {
    if (zero_point < ranges.least_zero_point || zero_point > ranges.most_zero_point) return false;
  }
  return true;
}

PortFacts FactsOf(const rules::NodeView& node);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_PORT_FACTS_H_
