#include "core/readers/aimet/aimet_entry.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/base/text.h"

namespace quantgate::aimet {
namespace {

using Kind = EncodingsProblem::Kind;

// AIMET's strict symmetric grids have one step less than their bitwidth allows.
constexpr double kRangeSlack = 1.5;  // steps
constexpr int kFactorStorageBits = 8;

Dtype FixedPoint(bool is_signed, int64_t bits) {
  if (bits <= 8) return is_signed ? Dtype::kSfixedPoint8 : Dtype::kUfixedPoint8;
  if (bits <= 16) return is_signed ? Dtype::kSfixedPoint16 : Dtype::kUfixedPoint16;
  return is_signed ? Dtype::kSfixedPoint32 : Dtype::kUfixedPoint32;
}

int32_t BitwidthIn(Dtype dtype, int64_t bits) {
  return BitsOf(dtype) == bits ? 0 : static_cast<int32_t>(bits);
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// "uint8" -> "uint", 8.
bool SplitDtype(std::string_view text, std::string_view* name, int64_t* bits) {
  const size_t digits = text.find_first_of("0123456789");
  if (digits == std::string_view::npos) return false;
  *name = text.substr(0, digits);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + digits, end, *bits);
  return error == std::errc() && stop == end;
}

class Reading {
 public:
  Reading(RawEntry raw, EncodingsSection section, Version version)
      : raw_(std::move(raw)), version_(version) {
    out_.entry.name = std::move(raw_.name);
    out_.entry.section = section;
  }

  Meaning Run() {
    bool is_float = false;
    if (out_.entry.name.empty()) {
      out_.error = "an entry needs a \"name\"";
    } else {
      ReadType(&is_float);
    }
    if (!out_.error.empty() || is_float) return std::move(out_);
    if (raw_.scales.values.empty()) {
      out_.error = "an integer encoding needs a scale";
    } else {
      ReadKind();
    }
    if (!out_.error.empty()) return std::move(out_);
    offsets_ = raw_.offsets.values;
    const size_t scales = raw_.scales.values.size();
    if (offsets_.size() > 1 && offsets_.size() != scales) {
      Problem(Kind::kInconsistent, fmt::format("{} for {} scales", offsets_.size(), scales),
              "one for each scale", fmt::format("the number of {}s differs", OffsetWord()));
      offsets_.resize(1);
    }
    if (Counted()) {
      ReadCountedOffsets();
    } else {
      ReadZeroPoints();
    }
    Encoding& e = out_.entry.encoding.Edit();
    e.scales.reserve(scales);
    for (const double scale : raw_.scales.values) e.scales.push_back(static_cast<float>(scale));
    KeepZeroPoints();
    return std::move(out_);
  }

 private:
  void Problem(Kind kind, std::string found, std::string allowed, std::string message) {
    out_.problems.push_back({kind, -1, std::move(found), std::move(allowed), std::move(message)});
  }

  // Offsets of the unsigned grid, as against zero points.
  bool Counted() const { return version_ == Version::k061 || version_ == Version::k100; }
  std::string_view OffsetWord() const { return Counted() ? "offset" : "y_zero_point"; }
  bool IsLpbq() const { return out_.entry.encoding->kind == EncodingKind::kLpbq; }
  int64_t OffsetAt(size_t i) const {
    return offsets_.empty() ? 0 : offsets_[offsets_.size() == 1 ? 0 : i];
  }
  int64_t Half() const { return int64_t{1} << (bits_ - 1); }
  int64_t Steps() const { return (int64_t{1} << bits_) - 1; }

  void ReadType(bool* is_float) {
    const std::string text = Lower(raw_.dtype);
    std::string_view name = text;
    if (Counted()) {
      if (!raw_.bitwidth) {
        out_.error = version_ == Version::k061 ? "\"bitwidth\" is missing" : "\"bw\" is missing";
        return;
      }
      bits_ = *raw_.bitwidth;
    } else if (!SplitDtype(text, &name, &bits_)) {
      out_.error =
          text.empty()
              ? "\"output_dtype\" is missing"
              : fmt::format(
                    "no QNN datatype for output_dtype {} (int4, uint8, int16, float16, ...)",
                    Quoted(raw_.dtype));
      return;
    }
    *is_float = name == "float";
    if (*is_float) {
      if (bits_ != 16 && bits_ != 32) {
        out_.error = fmt::format("no float of {} bits is known", bits_);
      }
      out_.entry.dtype = bits_ == 16 ? Dtype::kFloat16 : Dtype::kFloat32;
      return;
    }
    const bool known = Counted() ? name == "int" || name.empty() : name == "int" || name == "uint";
    if (!known) {
      out_.error = fmt::format("no QNN datatype for {}", Quoted(raw_.dtype));
    } else if (bits_ < 1 || bits_ > 32) {
      out_.error = fmt::format("{} bits are outside 1..32", bits_);
    }
    is_signed_ = !Counted() && name == "int";
  }

  void ReadKind() {
    EncodingsEntry& entry = out_.entry;
    Encoding& e = entry.encoding.Edit();
    const size_t count = raw_.scales.values.size();
    if (raw_.block && *raw_.block < 0) {
      out_.error = fmt::format("block_size {} is negative", *raw_.block);
      return;
    }
    entry.block = raw_.block.value_or(0);
    if (raw_.factors.given || raw_.enc_type == "LPBQ") {
      e.kind = EncodingKind::kLpbq;
      ReadFactors();
    } else if (entry.block > 0) {
      e.kind = EncodingKind::kBlock;
      if (raw_.axis) entry.block_axis = raw_.axis;
      entry.factors_dims = raw_.scales.dims;
    } else if (raw_.enc_type == "PER_BLOCK") {
      out_.error = "enc_type PER_BLOCK needs a \"block_size\"";
    } else if (raw_.enc_type == "PER_CHANNEL" || count > 1 || raw_.axis) {
      e.kind = EncodingKind::kPerChannel;
      entry.has_axis = raw_.axis.has_value();
      e.axis = raw_.axis.value_or(0);
      if (raw_.enc_type == "PER_TENSOR") {
        Problem(Kind::kInconsistent, fmt::format("PER_TENSOR with {} scales", count), "one scale",
                "enc_type and the number of scales disagree");
      }
    } else {
      e.kind = EncodingKind::kPerTensor;
    }
  }

  void ReadFactors() {
    EncodingsEntry& entry = out_.entry;
    Encoding& e = entry.encoding.Edit();
    if (!raw_.factors.given) {
      out_.error = "enc_type LPBQ needs \"per_block_int_scale\"";
      return;
    }
    if (entry.block == 0) {
      out_.error = "an LPBQ encoding needs a \"block_size\"";
      return;
    }
    int64_t expanded = bits_;
    if (Counted()) {
      // Here bw is the width that factors expand to.
      if (!raw_.compressed_bitwidth) {
        out_.error = "enc_type LPBQ needs \"compressed_bw\"";
        return;
      }
      bits_ = *raw_.compressed_bitwidth;
    } else {
      expanded = 2 * bits_;
    }
    if (bits_ < 1 || bits_ > 16 || expanded <= bits_ || expanded > 32) {
      out_.error = fmt::format("an LPBQ encoding of {} bits can't expand to {}", bits_, expanded);
      return;
    }
    expanded_half_ = int64_t{1} << (expanded - 1);
    e.block_scale_bitwidth = static_cast<int32_t>(expanded - bits_);
    e.block_scale_storage_bits = kFactorStorageBits;
    entry.factors_dims = raw_.factors.dims;
    entry.block_axis = raw_.axis;
    entry.has_axis = raw_.factors_axis.has_value();
    e.axis = raw_.factors_axis.value_or(0);
    e.block_scales.reserve(raw_.factors.values.size());
    for (const int64_t factor : raw_.factors.values) {
      if (factor < 0 || factor > std::numeric_limits<int32_t>::max()) {
        out_.error = fmt::format("{} is no factor of a block", factor);
        return;
      }
      e.block_scales.push_back(static_cast<int32_t>(factor));
    }
  }

  // A symmetric grid around 0, of all steps or one less.
  static bool IsCentre(int64_t offset, int64_t half) {
    return offset == -half || offset == 1 - half;
  }

  // A grid of one step less ends at half - 1 steps on both sides. One that begins there and goes on
  // to `half` has all steps and another middle: no symmetric one.
  void CheckStrictGrid(int64_t half) {
    const size_t count = std::min(raw_.scales.values.size(), raw_.maxima.values.size());
    for (size_t i = 0; i < count; ++i) {
      const double steps = raw_.maxima.values[i] / raw_.scales.values[i];
      if (OffsetAt(i) != 1 - half || !(steps > static_cast<double>(half) - 0.5)) continue;
      Problem(Kind::kInconsistent, fmt::format("is_sym with offset {} and all steps", 1 - half),
              fmt::format("offset {}", -half),
              fmt::format("the range ends {:.0f} steps above 0 and {} below: the flag says "
                          "symmetric and the range does not; converters stop there",
                          steps, half - 1));
      return;
    }
  }

  void ReadCountedOffsets() {
    const size_t count = raw_.scales.values.size();
    const int64_t half = IsLpbq() ? expanded_half_ : Half();
    const bool param = out_.entry.section == EncodingsSection::kParams || IsLpbq();
    bool centred = true, all_zero = true, positive = false;
    for (size_t i = 0; i < count; ++i) {
      centred &= IsCentre(OffsetAt(i), half);
      all_zero &= OffsetAt(i) == 0;
      positive |= OffsetAt(i) > 0;
    }
    const bool symmetric = raw_.symmetric.value_or(IsLpbq() || (param && centred));
    if (symmetric && all_zero && param && !StartsAtZero()) {
      Problem(Kind::kOffsetSign, "offset 0 in a symmetric encoding", fmt::format("{}", -half),
              fmt::format("version {} counts from the unsigned grid, where a symmetric one has "
                          "offset {}; 0 is taken for the signed grid's",
                          version_ == Version::k061 ? "0.6.1" : "1.0.0", -half));
      centred = true;
    } else if (symmetric && !centred && !all_zero && !positive) {
      Problem(Kind::kInconsistent, fmt::format("is_sym with offset {}", FirstOffCentre(half)),
              fmt::format("offset {}", -half), "the flag says symmetric and the offset does not");
    }
    if (symmetric && param && !IsLpbq()) CheckStrictGrid(half);
    is_signed_ = param && symmetric && centred;
    if (is_signed_) {
      CheckRange(half, bits_, /*centred=*/true);
      return;
    }
    if (positive) {
      const bool proven = RangeSaysZeroPoint();
      Problem(Kind::kOffsetSign, fmt::format("offset {}", FirstPositive()),
              fmt::format("-{}..0", Steps()),
              proven ? "min is -scale * offset: the offset is a zero point"
                     : "an offset is never positive; it is taken for a zero point");
    }
    zero_points_.reserve(offsets_.size());
    for (const int64_t offset : offsets_) {
      if (offset < -Steps() || offset > Steps()) {
        Problem(Kind::kInconsistent, fmt::format("offset {}", offset),
                fmt::format("-{}..0", Steps()),
                fmt::format("the offset is outside of the grid of {} bits", bits_));
        break;
      }
    }
    for (const int64_t offset : offsets_) {
      zero_points_.push_back(offset > 0 ? offset : -std::max(offset, -kMaxZeroPoint));
    }
    if (!positive) CheckRange(0, bits_, /*centred=*/false);
  }

  int64_t FirstOffCentre(int64_t half) const {
    for (const int64_t offset : offsets_) {
      if (!IsCentre(offset, half)) return offset;
    }
    return 0;
  }
  int64_t FirstPositive() const {
    for (const int64_t offset : offsets_) {
      if (offset > 0) return offset;
    }
    return 0;
  }

  // min is given and says that the values begin at 0.
  bool StartsAtZero() const {
    if (raw_.minima.values.size() != raw_.scales.values.size()) return false;
    for (size_t i = 0; i < raw_.scales.values.size(); ++i) {
      if (raw_.minima.values[i] < -kRangeSlack * std::abs(raw_.scales.values[i])) return false;
    }
    return true;
  }

  bool RangeSaysZeroPoint() const {
    if (raw_.minima.values.size() != raw_.scales.values.size()) return false;
    for (size_t i = 0; i < raw_.scales.values.size(); ++i) {
      const double scale = raw_.scales.values[i];
      const double low = -scale * static_cast<double>(OffsetAt(i));
      if (!(std::abs(raw_.minima.values[i] - low) <= kRangeSlack * std::abs(scale))) return false;
    }
    return true;
  }

  // min and max against scale and offset, where all are given.
  void CheckRange(int64_t half, int64_t bits, bool centred) {
    const size_t count = raw_.scales.values.size();
    if (raw_.minima.values.size() != count || raw_.maxima.values.size() != count || IsLpbq()) {
      return;
    }
    const auto steps = static_cast<double>((int64_t{1} << bits) - 1);
    size_t wrong = 0;
    std::string found, allowed;
    for (size_t i = 0; i < count; ++i) {
      const double scale = raw_.scales.values[i];
      const auto offset = static_cast<double>(centred ? -half : OffsetAt(i));
      const double low = scale * offset, high = scale * (offset + steps);
      const double slack = kRangeSlack * std::abs(scale);
      const double min = raw_.minima.values[i], max = raw_.maxima.values[i];
      if (std::abs(min - low) <= slack && std::abs(max - high) <= slack) continue;
      if (wrong++ > 0) continue;
      found = fmt::format("min {:.6g}, max {:.6g}", min, max);
      allowed = fmt::format("min {:.6g}, max {:.6g}", low, high);
    }
    if (wrong == 0) return;
    if (wrong > 1) found += fmt::format(" (and {} more)", wrong - 1);
    Problem(Kind::kInconsistent, std::move(found), std::move(allowed),
            "min and max are not those of scale and offset");
  }

  void ReadZeroPoints() {
    const Dtype dtype = FixedPoint(is_signed_, bits_);
    const int64_t low = StoredMin(dtype, BitwidthIn(dtype, bits_));
    const int64_t high = StoredMax(dtype, BitwidthIn(dtype, bits_));
    bool outside = false, negated_fits = true;
    int64_t example = 0;
    for (const int64_t zero_point : offsets_) {
      if (zero_point < low || zero_point > high) {
        if (!outside) example = zero_point;
        outside = true;
      }
      // -INT64_MIN does not exist.
      negated_fits &= zero_point >= -high && zero_point <= -low;
    }
    zero_points_ = offsets_;
    if (!outside) return;
    const std::string found = fmt::format("y_zero_point {}", example);
    const std::string allowed = fmt::format("{}..{}", low, high);
    if (negated_fits) {
      for (int64_t& zero_point : zero_points_) zero_point = -zero_point;
      Problem(Kind::kOffsetSign, found, allowed,
              "the zero point is outside of its type and its negative is inside: it is taken for "
              "QNN's offset");
    } else {
      Problem(Kind::kInconsistent, found, allowed, "the zero point is outside of its type");
      for (int64_t& zero_point : zero_points_) {
        zero_point = std::clamp(zero_point, -kMaxZeroPoint, kMaxZeroPoint);
      }
    }
  }

  void KeepZeroPoints() {
    Encoding& e = out_.entry.encoding.Edit();
    const Dtype dtype = FixedPoint(is_signed_ || (IsLpbq() && Counted()), bits_);
    out_.entry.dtype = dtype;
    e.bitwidth = BitwidthIn(dtype, bits_);
    const bool all_equal =
        std::all_of(zero_points_.begin(), zero_points_.end(),
                    [&](int64_t zero_point) { return zero_point == zero_points_[0]; });
    if (zero_points_.empty() || (all_equal && zero_points_[0] == 0)) return;
    // One stands for all.
    if (all_equal) zero_points_.resize(1);
    e.zero_points.reserve(zero_points_.size());
    for (const int64_t zero_point : zero_points_) {
      e.zero_points.push_back(static_cast<int32_t>(zero_point));
    }
  }

  static constexpr int64_t kMaxZeroPoint = std::numeric_limits<int32_t>::max();

  RawEntry raw_;
  Version version_;
  Meaning out_;
  int64_t bits_ = 0;
  int64_t expanded_half_ = 0;
  bool is_signed_ = false;
  std::vector<int64_t> offsets_, zero_points_;
};

}  // namespace

Meaning MeaningOf(RawEntry raw, EncodingsSection section, Version version) {
  return Reading(std::move(raw), section, version).Run();
}

}  // namespace quantgate::aimet
