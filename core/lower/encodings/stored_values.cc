#include "core/lower/encodings/stored_values.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/ir/channels.h"
#include "core/ir/encoding_math.h"
#include "quantgate/dtype.h"

namespace quantgate {
StoredValues StoreInSteps(const Tensor& constant) {
  StoredValues stored;
  const Encoding& encoding = constant.encoding;
  if (constant.values == nullptr || encoding.scales.empty() || !IsFixedPoint(constant.dtype)) return stored;
  const std::vector<double>& reals = constant.values->reals;
  const auto channels = ChannelsOf(encoding, {constant.dims.data(), constant.dims.size()});
  // Of a number that stands for all, each channel would make another one.
  if (reals.empty() || !channels || (channels->count > 1 && reals.size() == 1)) return stored;
  auto values = std::make_shared<TensorValues>();
  values->ints.reserve(reals.size());
  double signal = 0, noise = 0;
  for (size_t i = 0; i < reals.size(); ++i) {
    const auto channel = static_cast<size_t>(channels->Of(static_cast<int64_t>(i)));
    const double scale = ScaleAt(encoding, channel), zero = ZeroPointAt(encoding, channel);
    const double steps = reals[i] / scale + zero;
    if (!std::isfinite(steps)) return {};
    const double kept = NearestStored(reals[i], encoding, constant.dtype, channel);
    const double lost = (kept - steps) * scale;
    stored.cut += std::abs(kept - steps) > 1 ? 1 : 0;
    signal += reals[i] * reals[i];
    noise += lost * lost;
    values->ints.push_back(static_cast<int64_t>(kept));
  }
  stored.sqnr = noise > 0 ? 10 * std::log10(signal / noise) : std::numeric_limits<double>::infinity();
  stored.values = std::move(values);
  return stored;
}

}  // namespace quantgate
