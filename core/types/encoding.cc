#include "quantgate/encoding.h"

#include <array>

namespace quantgate {

std::string_view QnnEncodingName(QnnEncoding encoding) {
  static constexpr std::array<std::string_view, kQnnEncodingCount> kNames = {
      "UNDEFINED",          "SCALE_OFFSET",         "AXIS_SCALE_OFFSET",
      "BW_SCALE_OFFSET",    "BW_AXIS_SCALE_OFFSET", "BLOCK",
      "BLOCKWISE_EXPANSION"};
  return kNames[static_cast<size_t>(encoding)];
}

QnnEncoding QnnEncodingOf(const Encoding& encoding) {
  switch (encoding.kind) {
    case EncodingKind::kNone:
      return QnnEncoding::kUndefined;
    case EncodingKind::kPerTensor:
      return encoding.bitwidth ? QnnEncoding::kBwScaleOffset : QnnEncoding::kScaleOffset;
    case EncodingKind::kPerChannel:
      return encoding.bitwidth ? QnnEncoding::kBwAxisScaleOffset : QnnEncoding::kAxisScaleOffset;
    case EncodingKind::kBlock:
      return QnnEncoding::kBlock;
    case EncodingKind::kLpbq:
      return QnnEncoding::kBlockwiseExpansion;
  }
  return QnnEncoding::kUndefined;
}

std::string_view EncodingKindName(EncodingKind kind) {
  switch (kind) {
    case EncodingKind::kNone:
      return "no encoding";
    case EncodingKind::kPerTensor:
      return "per-tensor";
    case EncodingKind::kPerChannel:
      return "per-channel";
    case EncodingKind::kBlock:
      return "block";
    case EncodingKind::kLpbq:
      return "LPBQ";
  }
  return "";
}

}  // namespace quantgate
