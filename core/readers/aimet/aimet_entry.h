// One entry of an encodings file: its fields as they stand, and what they mean.
#ifndef QUANTGATE_CORE_READERS_AIMET_AIMET_ENTRY_H_
#define QUANTGATE_CORE_READERS_AIMET_AIMET_ENTRY_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "quantgate/encodings_file.h"

namespace quantgate::aimet {

// Numbers with the shape of the lists they stood in; empty dims = a single number.
template <typename T>
struct Numbers {
  std::vector<T> values;
  absl::InlinedVector<int64_t, 4> dims;
  bool given = false;
};

// The fields of all versions. 0.6.1 gives a list of objects with one number each.
struct RawEntry {
  std::string name;
  std::string enc_type, dtype;
  Numbers<double> scales, minima, maxima;
  Numbers<int64_t> offsets;  // y_zero_point in 2.x
  Numbers<int64_t> factors;
  std::optional<bool> symmetric;
  std::optional<int64_t> bitwidth, compressed_bitwidth, block;
  std::optional<int32_t> axis, factors_axis;
};

enum class Version { k061, k100, k200, k210 };

struct Meaning {
  EncodingsEntry entry;
  std::vector<EncodingsProblem> problems;
  std::string error;  // why the entry can't be used
};

// Sign conventions: 0.6.1 and 1.0.0 count from the unsigned grid, real = scale * (u + offset);
// 2.x has ONNX zero points.
Meaning MeaningOf(RawEntry raw, EncodingsSection section, Version version);

}  // namespace quantgate::aimet

#endif  // QUANTGATE_CORE_READERS_AIMET_AIMET_ENTRY_H_
