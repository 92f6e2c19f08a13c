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

namespace {
constexpr std::array<std::string_view, kQnnEncodingCount> kShortNames = {
    "none",          "per_tensor",     "per_channel", "bw_per_tensor",
    "bw_per_channel", "block", "lpbq"};
}  // namespace

std::string_view QnnEncodingShortName(QnnEncoding encoding) {
  return kShortNames[static_cast<size_t>(encoding)];
}

std::optional<QnnEncoding> QnnEncodingFromShortName(std::string_view name) {
  for (size_t i = 0; i < kShortNames.size(); ++i) {
    if (kShortNames[i] == name) return static_cast<QnnEncoding>(i);
  }
  return std::nullopt;
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
