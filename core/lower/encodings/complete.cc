#include "core/lower/encodings/complete.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/rules/support/format.h"

namespace quantgate {
namespace {

class Completion {
 public:
  Completion(const EncodingsEntry& entry, const Tensor& tensor, std::optional<int64_t> channel,
             std::optional<int64_t> block, bool last_first)
      : entry_(entry),
        tensor_(tensor),
        channel_(channel),
        block_(block),
        last_first_(last_first),
        rank_(tensor.rank()) {
    out_.encoding = entry.encoding;
  }

  Completed Run() {
    // Without a shape nothing can be completed or checked.
    if (tensor_.unknown_rank) return std::move(out_);
    switch (out_.encoding->kind) {
      case EncodingKind::kPerChannel:
        PerChannel();
        break;
      case EncodingKind::kBlock:
        Block();
        break;
      case EncodingKind::kLpbq:
        Lpbq();
        break;
      case EncodingKind::kNone:
      case EncodingKind::kPerTensor:
        break;
    }
    if (!out_.found.empty()) {
      // The rest of the checks go on with one value; the wrong number is reported once.
      Encoding one;
      one.kind = EncodingKind::kPerTensor;
      one.bitwidth = out_.encoding->bitwidth;
      one.scales.push_back(out_.encoding->scales[0]);
      if (!out_.encoding->zero_points.empty()) {
        one.zero_points.push_back(out_.encoding->zero_points[0]);
      }
      out_.encoding = std::move(one);
    }
    return std::move(out_);
  }

 private:
  int64_t Scales() const { return static_cast<int64_t>(out_.encoding->scales.size()); }
  int64_t Dim(int64_t axis) const { return tensor_.dims[static_cast<size_t>(axis)]; }
  std::string Shape() const { return rules::Dims(tensor_); }
  bool InRange(int64_t axis) const { return axis >= 0 && axis < rank_; }
  int64_t Normal(int64_t axis) const { return axis < 0 ? axis + rank_ : axis; }
  void Wrong(std::string found, std::string allowed) {
    if (!out_.found.empty()) return;
    out_.found = std::move(found);
    out_.allowed = std::move(allowed);
  }

  // An axis whose size is the number of scales; -1 = none.
  int64_t FittingAxis() const {
    int64_t fitting = -1;
    for (int64_t axis = 0; axis < rank_; ++axis) {
      if (Dim(axis) == Scales() && (fitting < 0 || last_first_)) fitting = axis;
    }
    return fitting;
  }

  // Given, by the operator, by the shape; -1 = none.
  int64_t ChannelAxis() {
    if (entry_.has_axis) {
      const int64_t axis = Normal(out_.encoding->axis);
      if (InRange(axis)) return axis;
      Wrong(fmt::format("axis {} of {}", out_.encoding->axis, Shape()),
            fmt::format("an axis below {}", rank_));
      return -1;
    }
    if (channel_ && InRange(*channel_)) return *channel_;
    return FittingAxis();
  }

  void PerChannel() {
    const int64_t axis = ChannelAxis();
    if (axis < 0) {
      Wrong(fmt::format("{} scales for {}", Scales(), Shape()),
            "as many scales as one dimension has channels");
      return;
    }
    out_.encoding.Edit().axis = static_cast<int32_t>(axis);
    CheckChannels(axis);
  }

  void CheckChannels(int64_t axis) {
    if (Scales() == 1 || Dim(axis) == kDynamicDim || Scales() == Dim(axis)) return;
    const int64_t other = FittingAxis();
    Wrong(fmt::format("{} scales for {} channels, axis {} of {}{}", Scales(), Dim(axis), axis,
                      Shape(), other >= 0 ? fmt::format(" (axis {} has as many)", other) : ""),
          fmt::format("{} scales", Dim(axis)));
  }

  // Given, by the operator; -1 = none.
  int64_t BlockAxis() {
    if (!entry_.block_axis) return block_ && InRange(*block_) ? *block_ : -1;
    const int64_t axis = Normal(*entry_.block_axis);
    if (InRange(axis)) return axis;
    Wrong(fmt::format("block axis {} of {}", *entry_.block_axis, Shape()),
          fmt::format("an axis below {}", rank_));
    return -1;
  }

  bool Divides(int64_t axis) {
    if (axis < 0) {
      Wrong(fmt::format("blocks of {} along an axis that is not given", entry_.block),
            "a weight whose operator is known, or an axis");
      return false;
    }
    if (Dim(axis) == kDynamicDim) return false;
    if (Dim(axis) % entry_.block == 0) return true;
    Wrong(fmt::format("blocks of {} along axis {} of {}", entry_.block, axis, Shape()),
          fmt::format("a block size that divides {}", Dim(axis)));
    return false;
  }

  void Block() {
    const int64_t axis = BlockAxis();
    if (!Divides(axis)) return;
    Encoding& e = out_.encoding.Edit();
    e.block_size.assign(static_cast<size_t>(rank_), 1);
    const bool shaped = entry_.factors_dims.size() == static_cast<size_t>(rank_);
    const int64_t channel = channel_.value_or(-1);
    int64_t blocks = 1;
    for (int64_t i = 0; i < rank_; ++i) {
      const auto at = static_cast<size_t>(i);
      // Kernel positions share a block; channels don't.
      bool whole = i != axis && i != channel;
      if (shaped) whole = i != axis && entry_.factors_dims[at] == 1;
      e.block_size[at] = i == axis ? entry_.block : whole ? std::max<int64_t>(Dim(i), 1) : 1;
      if (Dim(i) == kDynamicDim) return;
      blocks *= std::max<int64_t>(Dim(i), 1) / e.block_size[at];
    }
    if (Scales() != blocks) {
      Wrong(fmt::format("{} scales for {} blocks of {} in {}", Scales(), blocks, entry_.block,
                        Shape()),
            fmt::format("{} scales", blocks));
      return;
    }
    if (rank_ == 2 && axis < channel && !entry_.block_axis) {
      const int64_t per_channel = Dim(axis) / entry_.block;
      Reorder(e.scales, Dim(channel), per_channel);
      Reorder(e.zero_points, Dim(channel), per_channel);
    }
  }

  void Lpbq() {
    const int64_t block_axis = BlockAxis();
    if (!Divides(block_axis)) return;
    int64_t channel = -1;
    if (entry_.has_axis || channel_) {
      channel = ChannelAxis();
    } else if (rank_ > 1) {
      // AIMET's own assumption where the file has nothing else.
      channel = Normal(block_axis - 1);
      if (Dim(channel) != Scales()) channel = FittingAxis();
    }
    if (channel < 0 || channel == block_axis) {
      Wrong(fmt::format("{} channel scales for {}", Scales(), Shape()),
            "as many scales as one dimension has channels");
      return;
    }
    Encoding& e = out_.encoding.Edit();
    e.axis = static_cast<int32_t>(channel);
    e.num_blocks = static_cast<int32_t>(
        std::min<int64_t>(Dim(block_axis) / entry_.block, std::numeric_limits<int32_t>::max()));
    CheckChannels(channel);
    if (Dim(channel) == kDynamicDim) return;
    const auto factors = static_cast<int64_t>(e.block_scales.size());
    if (factors != 1 && factors / std::max<int64_t>(e.num_blocks, 1) != Dim(channel)) {
      Wrong(fmt::format("{} factors for {} channels of {} blocks", factors, Dim(channel),
                        e.num_blocks),
            fmt::format("one factor for each block of {}", entry_.block));
      return;
    }
    if (BlocksFirst(block_axis, channel)) Reorder(e.block_scales, e.num_blocks, Dim(channel));
  }

  // Lists of 2.x are as deep as the weight and follow its axes. Those of 1.0.0 go channel by
  // channel for matrices, whichever axis comes first, and else follow the axes too.
  bool BlocksFirst(int64_t block_axis, int64_t channel) const {
    return block_axis < channel && (entry_.block_axis.has_value() || rank_ > 2);
  }

  // A matrix of `rows` x `columns` becomes its transpose.
  template <typename List>
  static void Reorder(List& list, int64_t rows, int64_t columns) {
    const auto r = static_cast<size_t>(rows), c = static_cast<size_t>(columns);
    if (list.size() <= 1 || r * c != list.size()) return;
    List ordered(list.size());
    for (size_t i = 0; i < r; ++i) {
      for (size_t k = 0; k < c; ++k) ordered[k * r + i] = list[i * c + k];
    }
    list = std::move(ordered);
  }

  const EncodingsEntry& entry_;
  const Tensor& tensor_;
  const std::optional<int64_t> channel_, block_;
  const bool last_first_;
  const int64_t rank_;
  Completed out_;
};

}  // namespace

Completed Complete(const EncodingsEntry& entry, const Tensor& tensor,
                   std::optional<int64_t> channel, std::optional<int64_t> block, bool last_first) {
  return Completion(entry, tensor, channel, block, last_first).Run();
}

}  // namespace quantgate
