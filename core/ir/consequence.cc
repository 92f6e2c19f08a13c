#include "quantgate/consequence.h"

#include <algorithm>
#include <array>

namespace quantgate {
namespace {
constexpr std::array<std::string_view, kConsequenceCount> kNames = {
    "accepted",     "advice",        "undocumented", "altered",
    "wrong_values", "prepare_fails", "rejected",     "unchecked"};
}  // namespace

std::string_view ConsequenceName(Consequence consequence) {
  return kNames[static_cast<size_t>(consequence)];
}

std::optional<Consequence> ConsequenceFromName(std::string_view name) {
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it == kNames.end()) return std::nullopt;
  return static_cast<Consequence>(it - kNames.begin());
}

Consequence Worse(Consequence a, Consequence b) {
  if (a == Consequence::kUnchecked) return b == Consequence::kAccepted ? a : b;
  if (b == Consequence::kUnchecked) return a == Consequence::kAccepted ? b : a;
  return std::max(a, b);
}

}  // namespace quantgate
