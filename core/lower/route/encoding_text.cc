#include "core/lower/route/encoding_text.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/ir/encoding_math.h"

namespace quantgate {

std::string Describe(const Tensor& t) {
  if (t.encoding->kind != EncodingKind::kPerTensor) {
    return std::string(EncodingKindName(t.encoding->kind));
  }
  const int32_t zero = t.encoding->zero_points.empty() ? 0 : t.encoding->zero_points[0];
  return absl::StrFormat("scale %.7g, zero_point %d (offset %d)", t.encoding->scales[0], zero,
                         ToQnnOffset(zero));
}

namespace {

std::string Numbers(const absl::InlinedVector<float, 1>& values) {
  std::string text;
  for (const float value : values)
    absl::StrAppendFormat(&text, "%s%.9g", text.empty() ? "" : ", ", value);
  return text;
}

}  // namespace

std::vector<Edit> Write(std::string_view tensor, const Encoding& wanted) {
  const std::string path = absl::StrCat("tensors/", std::string(tensor), "/encoding/");
  const int32_t zero = wanted.zero_points.empty() ? 0 : wanted.zero_points[0];
  switch (wanted.kind) {
    case EncodingKind::kPerTensor:
      return {{"set", path + "perTensor/scale", Numbers(wanted.scales)},
              {"set", path + "perTensor/zeroPoint", absl::StrCat(zero)}};
    case EncodingKind::kPerChannel:
      return {{"set", path + "perChannel/axis", absl::StrCat(wanted.axis)},
              {"set", path + "perChannel/scales", absl::StrCat("[", Numbers(wanted.scales), "]")}};
    default:
      return {};
  }
}

}  // namespace quantgate
