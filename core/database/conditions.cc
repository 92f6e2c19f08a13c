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

bool IsFor(Tree entry, const Target& target) {
  const auto sdk = [&](std::string_view key, SdkKey otherwise) {
    const absl::StatusOr<SdkKey> parsed = ParseSdk(entry[key].str());
    return parsed.ok() ? *parsed : otherwise;
  };
  const Tree archs = entry["archs"];
  return (!archs || Lists(archs, target.arch())) && sdk("since", 0) <= target.sdk_key() &&
         target.sdk_key() < sdk("until", kSdkOpen);
}

}  // namespace quantgate::opdb
