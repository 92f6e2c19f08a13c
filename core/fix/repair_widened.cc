#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/fix/repair.h"
#include "core/fix/requantize.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

// The smallest scales with which all values of the constant fit around the wanted zero points.
absl::Status Widen(const Editor& editor, TensorId id, const Coding& from, Coding& to) {
  const Tensor& tensor = editor.model().tensors[static_cast<size_t>(id)];
  const auto channels =
      ChannelsOf(from.encoding, {tensor.dims.data(), static_cast<size_t>(tensor.dims.size())});
  if (!channels) return absl::FailedPreconditionError("its scales don't fit its shape");
  const auto count = static_cast<size_t>(channels->count);
  std::vector<double> scales(count);
  for (size_t i = 0; i < count; ++i) scales[i] = ScaleAt(from.encoding, i);
  const int64_t low = StoredMin(to.dtype), high = StoredMax(to.dtype);
  const absl::Status read =
      editor.Values(id, [&](std::span<const int64_t> values, int64_t element) {
        for (const int64_t value : values) {
          const auto i = static_cast<size_t>(channels->Of(element++));
          const int64_t zero = ZeroPointAt(to.encoding, i);
          const auto steps = static_cast<double>(value - ZeroPointAt(from.encoding, i));
          const double room = static_cast<double>(steps < 0 ? low - zero : high - zero);
          if (room == 0) continue;
          scales[i] = std::max(scales[i], steps / room * ScaleAt(from.encoding, i));
        }
      });
  if (!read.ok()) return read;
  to.encoding.Edit().scales.assign(count, 0);
  for (size_t i = 0; i < count; ++i) {
    // Rounded up, so that the largest value still fits.
    float scale = static_cast<float>(scales[i]);
    if (scale < scales[i]) scale = std::nextafter(scale, INFINITY);
    to.encoding.Edit().scales[i] = scale;
  }
  return absl::OkStatus();
}

}  // namespace

void RepairWidened(const Case& c, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor || !c.editor.model().tensors[static_cast<size_t>(id)].is_static) return;
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  for (const Fix& fix : c.finding.fixes) {
    const std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
    // Only zero points: a scale that is asked for is not another one.
    if (!wanted || wanted->encoding->scales != now->encoding->scales ||
        wanted->encoding->zero_points == now->encoding->zero_points) {
      continue;
    }
    Proposal proposal;
    proposal.what = fmt::format("{}, with scales that its values fit", fix.summary);
    proposal.apply = [id, from = *now, to = *wanted, rounding = c.rounding](Editor& editor) {
      Coding wide = to;
      const absl::Status widened = Widen(editor, id, from, wide);
      return widened.ok() ? editor.Encode(id, wide, rounding) : widened;
    };
    proposals.push_back(std::move(proposal));
  }
}

}  // namespace quantgate::fix
