#include "core/lower/resolve/releases.h"

#include <algorithm>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "core/base/absl_view.h"

namespace quantgate {
namespace {

// "1.5.1" as its numbers.
std::vector<int> NumbersOf(std::string_view version) {
  std::vector<int> numbers;
  for (const absl::string_view part : absl::StrSplit(Absl(version), '.')) {
    int number = 0;
    if (!absl::SimpleAtoi(part, &number)) break;
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

Releases::Releases(opdb::Tree releases, SdkKey sdk, std::string_view release) : releases_(releases) {
  const auto sdk_of = [&](size_t i) { return ParseSdk(releases.at(i)["sdk"].str()).value_or(0); };
  const auto is_older = [&, wanted = NumbersOf(release)](size_t i) {
    return release.empty() ? sdk_of(i) <= sdk : NumbersOf(releases.at(i)["name"].str()) <= wanted;
  };
  while (end_ < releases.size() && is_older(end_)) ++end_;
  end_ = std::min(std::max<size_t>(end_, 1), releases.size());
  if (end_ == 0) return;
  first_ = end_ - 1;
  while (release.empty() && sdk_of(first_) == sdk && first_ > 0 && sdk_of(first_ - 1) == sdk) --first_;
}

size_t Releases::Find(std::string_view name, size_t otherwise) const {
  for (size_t i = 0; !name.empty() && i < releases_.size(); ++i) {
    if (releases_.at(i)["name"].str() == name) return i;
  }
  return otherwise;
}

Releases::Share Releases::In(std::string_view first, std::string_view end) const {
  const size_t from = Find(first, 0), to = Find(end, releases_.size());
  if (from <= first_ && end_ <= to) return Share::kAll;
  return std::max(from, first_) < std::min(to, end_) ? Share::kSome : Share::kNone;
}

std::string Releases::Range(std::string_view first, std::string_view end) const {
  if (first.empty()) return end.empty() ? std::string() : absl::StrCat("before ", Absl(end));
  const size_t to = Find(end, 0);
  if (to == 0) return absl::StrCat("from ", Absl(first));
  const std::string_view last = releases_.at(to - 1)["name"].str();
  return last == first ? std::string(first) : absl::StrCat(Absl(first), " to ", Absl(last));
}

}  // namespace quantgate
