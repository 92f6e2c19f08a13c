#include "core/lower/encodings/stored_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/ir/encoding_math.h"
#include "quantgate/dtype.h"

namespace quantgate {
namespace {

// Values that stand one behind the other in the same channel.
size_t InnerCount(const Tensor& constant, int64_t axis) {
  size_t count = 1;
  for (size_t i = static_cast<size_t>(axis) + 1; i < constant.dims.size(); ++i) {
    count *= static_cast<size_t>(constant.dims[i]);
  }
  return count;
}

}  // namespace

StoredValues StoreInSteps(const Tensor& constant) {
  StoredValues stored;
  const Encoding& encoding = constant.encoding;
  const bool channels = encoding.kind == EncodingKind::kPerChannel;
  if (constant.values == nullptr || constant.values->reals.empty() || encoding.scales.empty() ||
      !IsFixedPoint(constant.dtype) || (!channels && encoding.kind != EncodingKind::kPerTensor)) {
    return stored;
  }
  const std::vector<double>& reals = constant.values->reals;
  int64_t axis = encoding.axis;
  if (axis < 0) axis += constant.rank();
  if (channels && (axis < 0 || axis >= constant.rank() || reals.size() == 1)) return stored;
  const size_t inner = channels ? InnerCount(constant, axis) : reals.size();
  const auto low = static_cast<double>(StoredMin(constant.dtype, encoding.bitwidth));
  const auto high = static_cast<double>(StoredMax(constant.dtype, encoding.bitwidth));
  auto values = std::make_shared<TensorValues>();
  values->ints.reserve(reals.size());
  double signal = 0, noise = 0;
  for (size_t i = 0; i < reals.size(); ++i) {
    const size_t channel = channels ? i / inner % encoding.scales.size() : 0;
    const double scale = encoding.scales[channel];
    const double steps = reals[i] / scale + ZeroPointAt(encoding, channel);
    if (!std::isfinite(steps)) return {};
    const double kept = std::clamp(std::nearbyint(steps), low, high);
    stored.cut += std::abs(kept - steps) > 1 ? 1 : 0;
    signal += reals[i] * reals[i];
    noise += (kept - steps) * scale * ((kept - steps) * scale);
    values->ints.push_back(static_cast<int64_t>(kept));
  }
  stored.sqnr = noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
  stored.values = std::move(values);
  return stored;
}

}  // namespace quantgate
