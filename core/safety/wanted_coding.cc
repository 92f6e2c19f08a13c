#include "core/safety/wanted_coding.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace quantgate::fix {
namespace {

// A JSON number or a list of them, as edits write it.
using NumberList = absl::InlinedVector<double, 4>;
std::optional<NumberList> Numbers(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "[") && !absl::ConsumeSuffix(&text, "]")) return std::nullopt;
  NumberList numbers;
  for (const absl::string_view item : absl::StrSplit(text, ',')) {
    if (!absl::SimpleAtod(item, &numbers.emplace_back())) return std::nullopt;
  }
  return numbers;
}

// A JSON string without escapes.
std::optional<Dtype> DtypeOf(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "\"") || !absl::ConsumeSuffix(&text, "\"")) return std::nullopt;
  return DtypeFromName(std::string_view(text.data(), text.size()));
}

// `path` after "encoding/": "perTensor/scale".
bool Set(std::string_view path, absl::string_view value, Encoding& encoding) {
  const size_t slash = path.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view kind = path.substr(0, slash), field = path.substr(slash + 1);
  if (kind == "perTensor") {
    encoding.kind = EncodingKind::kPerTensor;
  } else if (kind == "perChannel") {
    encoding.kind = EncodingKind::kPerChannel;
  } else {
    return false;
  }
  const auto numbers = Numbers(value);
  if (!numbers) return false;
  if (field == "scale" || field == "scales") {
    encoding.scales.clear();
    for (const double n : *numbers) encoding.scales.push_back(static_cast<float>(n));
  } else if (field == "zeroPoint" || field == "zeroPoints") {
    encoding.zero_points.clear();
    for (const double n : *numbers) encoding.zero_points.push_back(static_cast<int32_t>(n));
  } else if (field == "axis" && numbers->size() == 1) {
    encoding.axis = static_cast<int32_t>((*numbers)[0]);
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<Coding> WantedCoding(const Fix& fix, std::string_view tensor, const Coding& now) {
  Coding wanted = now;
  bool any = false;
  constexpr std::string_view kTensors = "tensors/", kEncoding = "encoding/";
  for (const Edit& edit : fix.edits) {
    std::string_view what = edit.path;
    for (const std::string_view part : {kTensors, tensor, std::string_view("/")}) {
      if (!what.starts_with(part)) return std::nullopt;
      what.remove_prefix(part.size());
    }
    if (edit.op != "set") return std::nullopt;
    if (what == "dtype") {
      const auto dtype = DtypeOf(edit.value);
      if (!dtype || !IsFixedPoint(*dtype)) return std::nullopt;
      // In the same width it is the other sign: the values stay.
      const Coding other = OtherSign(wanted);
      if (*dtype != other.dtype) return std::nullopt;
      wanted = other;
    } else if (!what.starts_with(kEncoding) ||
               !Set(what.substr(kEncoding.size()), edit.value, wanted.encoding.Edit())) {
      return std::nullopt;
    }
    any = true;
  }
  if (!any || Same(wanted, now)) return std::nullopt;
  return wanted;
}

}  // namespace quantgate::fix
