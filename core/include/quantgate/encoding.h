// The quantization encoding of one tensor.
#ifndef QUANTGATE_ENCODING_H_
#define QUANTGATE_ENCODING_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

enum class EncodingKind : uint8_t {
  kNone = 0,        // none given
  kPerTensor = 1,   // QNN SCALE_OFFSET, with a bitwidth BW_SCALE_OFFSET
  kPerChannel = 2,  // QNN AXIS_SCALE_OFFSET, with a bitwidth BW_AXIS_SCALE_OFFSET
  kBlock = 3,       // QNN BLOCK
  kLpbq = 4,        // QNN BLOCKWISE_EXPANSION
};

// The names the op tables use, as bits of an encoding set.
enum class QnnEncoding : uint8_t {
  kUndefined = 0,
  kScaleOffset,
  kAxisScaleOffset,
  kBwScaleOffset,
  kBwAxisScaleOffset,
  kBlock,
  kBlockwiseExpansion,
};
inline constexpr int kQnnEncodingCount = 7;
using EncodingMask = uint32_t;
constexpr EncodingMask MaskOf(QnnEncoding e) { return EncodingMask{1} << static_cast<int>(e); }
std::string_view QnnEncodingName(QnnEncoding encoding);  // "AXIS_SCALE_OFFSET"
// "per_channel", "bw_per_tensor", "lpbq": as the files of the database write them.
std::string_view QnnEncodingShortName(QnnEncoding encoding);
std::optional<QnnEncoding> QnnEncodingFromShortName(std::string_view name);

// real = scale * (q - zero_point). QNN's offset is -zero_point: see ToQnnOffset.
struct Encoding {
  EncodingKind kind = EncodingKind::kNone;
  // Significant bits; 0 = not given. Any other value, 8 too, means QNN's BW_ form.
  int32_t bitwidth = 0;
  // Channel axis of kPerChannel and kLpbq, in the layout of the model the tensor is in.
  int32_t axis = 0;
  // One entry, or one per channel (kPerChannel, kLpbq) or block (kBlock).
  absl::InlinedVector<float, 1> scales;
  // Like `scales`; empty = 0 everywhere.
  absl::InlinedVector<int32_t, 1> zero_points;
  // kBlock: block size per dimension; scales row-major over the grid of blocks.
  std::vector<int64_t> block_size;
  // kLpbq: blocks per channel along the input-channel axis; integer factors, channel-major,
  // one = all equal, empty = unknown.
  int32_t num_blocks = 0;
  std::vector<int32_t> block_scales;
  int32_t block_scale_bitwidth = 0;
  int32_t block_scale_storage_bits = 0;

  bool operator==(const Encoding&) const = default;
};

QnnEncoding QnnEncodingOf(const Encoding& encoding);

// QNN stores offset = -zero_point. The only two places where the sign changes.
constexpr int32_t ToQnnOffset(int32_t zero_point) { return -zero_point; }
constexpr int32_t FromQnnOffset(int32_t offset) { return -offset; }

// "per-tensor", "per-channel", "block", "LPBQ", "no encoding".
std::string_view EncodingKindName(EncodingKind kind);

}  // namespace quantgate

#endif  // QUANTGATE_ENCODING_H_
