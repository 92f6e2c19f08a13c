// What the user wants: a precision, a form of weights.
#ifndef QUANTGATE_CORE_PLAN_WISH_H_
#define QUANTGATE_CORE_PLAN_WISH_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/plan.h"

namespace quantgate::plan {

enum class WeightForm : uint8_t { kAny, kPerTensor, kPerChannel, kLpbq };

struct Wish {
  int activation_bits = 8;  // 0 = float
  int weight_bits = 8;      // 0 = float
  WeightForm form = WeightForm::kAny;
  int block_size = 0;     // kLpbq
  bool few_bits = false;  // PlanGoal::kBits

  bool is_float() const { return activation_bits == 0; }
  bool operator==(const Wish&) const = default;
};

// `flag` is what the precision was given to, for the error.
absl::StatusOr<Wish> ParseWish(std::string_view precision, std::string_view weights, PlanGoal goal);
std::string WishName(int activation_bits, int weight_bits);  // "16a8w", "16a", "fp16"

// How far a dtype of an activation is from the wish: 0 = as wished; another width counts as a step,
// float as several. `Preference` orders those that are equally far.
int Distance(const Wish& wish, Dtype dtype);
int Preference(Dtype dtype);

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_WISH_H_
