#include "core/fix/requantize.h"

#include <algorithm>
#include <cmath>

namespace quantgate::fix {

std::optional<Requantizer> Requantizer::Make(const Coding& from, const Coding& to,
                                             std::span<const int64_t> dims, std::string* problem) {
  const std::optional<Channels> a = ChannelsOf(from.encoding, dims);
  const std::optional<Channels> b = ChannelsOf(to.encoding, dims);
  if (!a || !b) {
    *problem = "its scales don't fit its shape";
    return std::nullopt;
  }
  if (from.encoding->kind == to.encoding->kind && a->inner != b->inner) {
    *problem = "its values would have to move to another axis";
    return std::nullopt;
  }
  Requantizer made;
  made.channels_ = to.encoding->kind == EncodingKind::kPerChannel ? *b : *a;
  const size_t entries = std::max(EntryCount(from.encoding), EntryCount(to.encoding));
  for (size_t i = 0; i < entries; ++i) {
    const Row row{ScaleAt(from.encoding, i), ScaleAt(to.encoding, i), ZeroPointAt(from.encoding, i),
                  ZeroPointAt(to.encoding, i)};
    if (!std::isfinite(row.from_scale) || !std::isfinite(row.to_scale) || row.from_scale <= 0 ||
        row.to_scale <= 0) {
      *problem = "a scale of it is not a number above 0";
      return std::nullopt;
    }
    made.rows_.push_back(row);
  }
  made.low_ = StoredMin(to.dtype, to.encoding->bitwidth);
  made.high_ = StoredMax(to.dtype, to.encoding->bitwidth);
  return made;
}

const Requantizer::Row& Requantizer::RowOf(int64_t element) const {
  return rows_[rows_.size() == 1 ? 0 : static_cast<size_t>(channels_.Of(element))];
}

int64_t Requantizer::Map(int64_t stored, int64_t element) const {
  const Row& row = RowOf(element);
  const int64_t steps = stored - row.from_zero;
  if (row.from_scale == row.to_scale) return steps + row.to_zero;
  const double moved = std::nearbyint(static_cast<double>(steps) * row.from_scale / row.to_scale);
  constexpr double kLimit = 4e18;  // of what 64 bits hold, with room for the zero point
  return static_cast<int64_t>(std::clamp(moved, -kLimit, kLimit)) + row.to_zero;
}

std::shared_ptr<const TensorValues> Requantizer::MapAll(const std::vector<int64_t>& stored) const {
  auto values = std::make_shared<TensorValues>();
  values->ints.reserve(stored.size());
  for (size_t i = 0; i < stored.size(); ++i) {
    values->ints.push_back(Map(stored[i], static_cast<int64_t>(i)));
  }
  return values;
}

double Requantizer::Error(int64_t stored, int64_t element) const {
  const Row& row = RowOf(element);
  const int64_t mapped = std::clamp(Map(stored, element), low_, high_);
  return std::abs(static_cast<double>(stored - row.from_zero) * row.from_scale -
                  static_cast<double>(mapped - row.to_zero) * row.to_scale);
}

double Requantizer::bound() const {
  double bound = 0;
  for (const Row& row : rows_) {
    if (row.from_scale != row.to_scale) bound = std::max(bound, row.to_scale / 2);
  }
  return bound;
}

bool Requantizer::shifts_only() const {
  return std::all_of(rows_.begin(), rows_.end(),
                     [](const Row& row) { return row.from_scale == row.to_scale; });
}

bool Requantizer::finer() const {
  return std::all_of(rows_.begin(), rows_.end(),
                     [](const Row& row) { return row.to_scale <= row.from_scale; });
}

}  // namespace quantgate::fix
