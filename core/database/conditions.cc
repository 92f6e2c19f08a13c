#include "core/database/conditions.h"

namespace quantgate::opdb {

bool Lists(Tree list, std::string_view text) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.at(i).str() == text) return true;
  }
  return false;
}

bool Lists(Tree list, int64_t number) {
  for (size_t i = 0; i < list.size(); ++i) {
    if (list.at(i).integer() == number) return true;
  }
  return false;
}

bool IsForSdk(Tree entry, SdkKey sdk) {
  const auto bound = [&](std::string_view key, SdkKey otherwise) {
    return ParseSdk(entry[key].str()).value_or(otherwise);
  };
  return bound("since", 0) <= sdk && sdk < bound("until", kSdkOpen);
}

bool IsFor(Tree entry, const Target& target) {
  const Tree archs = entry["archs"];
  return (!archs || Lists(archs, target.arch())) && IsForSdk(entry, target.sdk_key());
}

}  // namespace quantgate::opdb
