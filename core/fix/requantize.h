// Stored integers in another encoding: which integer stands for the same real value.
#ifndef QUANTGATE_CORE_FIX_REQUANTIZE_H_
#define QUANTGATE_CORE_FIX_REQUANTIZE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/ir/channels.h"
#include "core/safety/coding.h"
#include "quantgate/model.h"

namespace quantgate::fix {

class Requantizer {
 public:
  // Both codings are per-tensor or per-channel; nullopt where they or the dimensions don't allow
  // it, with the reason in `problem`.
  static std::optional<Requantizer> Make(const Coding& from, const Coding& to,
                                         std::span<const int64_t> dims, std::string* problem);

  // The nearest stored value, which may lie outside of the type's range.
  int64_t Map(int64_t stored, int64_t element) const;
  // Each of all values of the tensor.
  std::shared_ptr<const TensorValues> MapAll(const std::vector<int64_t>& stored) const;
  // Real value of the difference between `stored` and what Map() makes of it.
  double Error(int64_t stored, int64_t element) const;
  int64_t low() const { return low_; }
  int64_t high() const { return high_; }
  // Half of the largest new step: no value moves by more, unless it doesn't fit.
  double bound() const;
  // Values stay equal: the scales do.
  bool shifts_only() const;
  // No new step is larger than the old one.
  bool finer() const;

 private:
  struct Row {
    double from_scale, to_scale;
    int64_t from_zero, to_zero;
  };
  const Row& RowOf(int64_t element) const;

  std::vector<Row> rows_;
  Channels channels_;
  int64_t low_ = 0, high_ = 0;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_FIX_REQUANTIZE_H_
