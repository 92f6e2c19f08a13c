#include "quantgate/as_run.h"

namespace quantgate {

std::string_view PlacementName(Placement placement) {
  switch (placement) {
    case Placement::kQuantized:
      return "npu_quantized";
    case Placement::kFloat:
      return "npu_float";
    case Placement::kInteger:
      return "npu_integer";
    case Placement::kCpu:
      return "cpu";
    case Placement::kRefused:
      return "refused";
    case Placement::kInto:
      return "into";
    case Placement::kOutside:
      return "outside";
    case Placement::kUnknown:
      return "unknown";
  }
  return "";
}

std::string_view ChangeKindName(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::kFloat:
      return "float";
    case ChangeKind::kEncoding:
      return "encoding";
    case ChangeKind::kDtype:
      return "dtype";
    case ChangeKind::kBias:
      return "bias";
    case ChangeKind::kConvert:
      return "convert";
    case ChangeKind::kFolded:
      return "folded";
    case ChangeKind::kHalf:
      return "half";
    case ChangeKind::kRead:
      return "read";
  }
  return "";
}

}  // namespace quantgate
