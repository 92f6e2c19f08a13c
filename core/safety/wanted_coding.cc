#include "core/safety/wanted_coding.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace quantgate::fix {
namespace {

using Json = nlohmann::json;

// One number or a list of them.
std::optional<std::vector<double>> Numbers(const Json& value) {
  std::vector<double> numbers;
  for (const Json& item : value.is_array() ? value : Json::array({value})) {
    if (!item.is_number()) return std::nullopt;
    numbers.push_back(item.get<double>());
  }
  if (numbers.empty()) return std::nullopt;
  return numbers;
}

// `path` behind "encoding/": "perTensor/scale".
bool Set(std::string_view path, const Json& value, Encoding& encoding) {
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
  const std::string own = "tensors/" + std::string(tensor) + "/";
  for (const Edit& edit : fix.edits) {
    if (edit.op != "set" || !edit.path.starts_with(own)) return std::nullopt;
    const std::string_view what = std::string_view(edit.path).substr(own.size());
    const Json value = Json::parse(edit.value, nullptr, false);
    constexpr std::string_view kEncoding = "encoding/";
    if (what == "dtype" && value.is_string()) {
      const auto dtype = DtypeFromName(value.get<std::string>());
      if (!dtype || !IsFixedPoint(*dtype)) return std::nullopt;
      // In the same width it is the other sign: the values stay.
      const Coding other = OtherSign(wanted);
      if (*dtype != other.dtype) return std::nullopt;
      wanted = other;
    } else if (!what.starts_with(kEncoding) ||
               !Set(what.substr(kEncoding.size()), value, wanted.encoding.Edit())) {
      return std::nullopt;
    }
    any = true;
  }
  if (!any || Same(wanted, now)) return std::nullopt;
  return wanted;
}

}  // namespace quantgate::fix
