#include "core/plan/wish.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

struct NamedPrecision {
  std::string_view name;
  int activation_bits, weight_bits;
};

// 0 = float.
constexpr std::array<NamedPrecision, 6> kPrecisions = {{{"16a16w", 16, 16},
                                                        {"16a8w", 16, 8},
                                                        {"16a4w", 16, 4},
                                                        {"8a8w", 8, 8},
                                                        {"8a4w", 8, 4},
                                                        {"fp16", 0, 0}}};
constexpr std::string_view kLpbq = "lpbq:";
constexpr int kMaxBlock = 1 << 20;

std::optional<int> BlockSize(std::string_view text) {
  int size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return size >= 1 && size <= kMaxBlock ? std::optional(size) : std::nullopt;
}

}  // namespace

std::vector<std::string_view> PlanPrecisionNames() {
  std::vector<std::string_view> names;
  for (const NamedPrecision& precision : kPrecisions) names.push_back(precision.name);
  return names;
}

namespace plan {

absl::StatusOr<Wish> ParseWish(std::string_view precision, std::string_view weights,
                               PlanGoal goal) {
  Wish wish;
  const auto named = std::find_if(kPrecisions.begin(), kPrecisions.end(),
                                  [&](const NamedPrecision& p) { return p.name == precision; });
  if (named == kPrecisions.end()) {
    const std::vector<std::string_view> names = PlanPrecisionNames();
    return absl::InvalidArgumentError(
        fmt::format("no precision \"{}\"{}; known: {}", Printable(precision, 60),
                    DidYouMeanOf(precision, names),
                    Join(std::vector<std::string>(names.begin(), names.end()))));
  }
  wish.activation_bits = named->activation_bits;
  wish.weight_bits = named->weight_bits;
  wish.few_bits = goal == PlanGoal::kBits;
  if (weights.empty()) return wish;
  if (wish.is_float()) {
    return absl::InvalidArgumentError(
        fmt::format("weights \"{}\" and precision {} contradict each other: floats have no "
                    "quantized weights",
                    Printable(weights, 60), precision));
  }
  if (weights == "per-tensor" || weights == "per-channel") {
    wish.form = weights == "per-tensor" ? WeightForm::kPerTensor : WeightForm::kPerChannel;
  } else if (weights == "int4") {
    wish.weight_bits = 4;
  } else if (const auto size = weights.starts_with(kLpbq) ? BlockSize(weights.substr(kLpbq.size()))
                                                          : std::nullopt) {
    wish.weight_bits = 4;
    wish.form = WeightForm::kLpbq;
    wish.block_size = *size;
  } else {
    return absl::InvalidArgumentError(
        fmt::format("no form of weights \"{}\"; known: per-channel, per-tensor, int4, lpbq:SIZE "
                    "(lpbq:64)",
                    Printable(weights, 60)));
  }
  return wish;
}

std::string WishName(int activation_bits, int weight_bits) {
  if (activation_bits == 0) return "fp16";
  return weight_bits == 0 ? fmt::format("{}a", activation_bits)
                          : fmt::format("{}a{}w", activation_bits, weight_bits);
}

int Distance(const Wish& wish, Dtype dtype) {
  constexpr int kOtherWidth = 2, kOtherKind = 8, kNoActivation = 16;
  if (wish.is_float()) return IsFloat(dtype) ? 0 : kOtherKind;
  if (IsFloat(dtype)) return kOtherKind;
  const int bits = BitsOf(dtype);
  if (!IsFixedPoint(dtype) || bits < 8 || bits > 16) return kNoActivation;
  if (bits == wish.activation_bits) return 0;
  return wish.few_bits && bits > wish.activation_bits ? kOtherWidth + 1 : kOtherWidth;
}

int Preference(Dtype dtype) {
  // The rows for unsigned activations are the documented ones.
  if (ClassOf(dtype) == DtypeClass::kUfixed) return 0;
  return dtype == Dtype::kFloat32 || IsFixedPoint(dtype) ? 3 : 1;
}

}  // namespace plan
}  // namespace quantgate
