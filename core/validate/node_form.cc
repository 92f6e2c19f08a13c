#include "core/validate/node_form.h"

#include <cstring>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace quantgate {
namespace {

uint64_t Pack(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return a | (b << 16) | (c << 32) | (d << 48);
}

uint64_t Pair(uint64_t low, uint64_t high) { return (low & 0xffffffffu) | (high << 32); }

uint64_t BitsOf(double real) {
  uint64_t word;
  std::memcpy(&word, &real, sizeof word);
  return word;
}

// Writes words from `at` on; null once they don't fit.
class Words {
 public:
  Words(uint64_t* at, uint64_t* end) : at_(at), end_(end) {}
  uint64_t* at() const { return at_; }

  // Room for `count` more words.
  bool Reserve(size_t count) {
    if (at_ != nullptr && static_cast<size_t>(end_ - at_) < count) at_ = nullptr;
    return at_ != nullptr;
  }
  void Put(uint64_t word) { *at_++ = word; }

  void Add(std::string_view text) {
    const size_t words = (text.size() + 7) / 8;
    if (!Reserve(1 + words)) return;
    Put(text.size());
    if (words == 0) return;
    at_[words - 1] = 0;  // what the last word has beyond the text
    std::memcpy(at_, text.data(), text.size());
    at_ += words;
  }

  template <typename List>
  void AddList(const List& values) {
    if (!Reserve(1 + values.size())) return;
    Put(values.size());
    for (const auto& value : values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
        Put(BitsOf(value));
      } else {
        Put(static_cast<uint64_t>(value));
      }
    }
  }

  void Add(const Tensor& tensor) {
    const Encoding& e = tensor.encoding;
    if (!Reserve(8 + tensor.dims.size())) return;
    const uint64_t flags = (tensor.is_static ? 1u : 0u) | (tensor.unknown_rank ? 2u : 0u) |
                           (tensor.sparse >= 0 ? 4u : 0u);
    // More dimensions than words there are were turned away above.
    Put(Pack(static_cast<uint64_t>(tensor.dtype), static_cast<uint64_t>(e.kind), flags,
             tensor.dims.size()));
    for (const int64_t dim : tensor.dims) Put(static_cast<uint64_t>(dim));
    if (tensor.sparse >= 0) Put(static_cast<uint64_t>(tensor.sparse));
    if (e.kind == EncodingKind::kNone) return;
    Put(Pair(static_cast<uint32_t>(e.bitwidth), static_cast<uint32_t>(e.axis)));
    Put(Pair(e.scales.size(), e.zero_points.size()));
    if (e.kind == EncodingKind::kPerTensor || e.kind == EncodingKind::kPerChannel) return;
    Put(Pair(static_cast<uint32_t>(e.num_blocks), e.block_scales.size()));
    Put(Pair(static_cast<uint32_t>(e.block_scale_bitwidth),
             static_cast<uint32_t>(e.block_scale_storage_bits)));
    AddList(e.block_size);
  }

  void Add(const Param& param) {
    Add(std::string_view(param.name));
    if (!Reserve(2)) return;
    Put(param.value.index());
    std::visit(
        [&](const auto& value) {
          using T = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<T, IntParam> || std::is_same_v<T, UintParam>) {
            Put(static_cast<uint64_t>(value.value));
          } else if constexpr (std::is_same_v<T, bool>) {
            Put(value ? 1 : 0);
          } else if constexpr (std::is_same_v<T, double>) {
            Put(BitsOf(value));
          } else if constexpr (std::is_same_v<T, std::string>) {
            Add(std::string_view(value));
          } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
            Put(value.size());
            for (const std::string& text : value) Add(std::string_view(text));
          } else if constexpr (std::is_same_v<T, TensorParam>) {
            Put(static_cast<uint64_t>(value.dtype));
            AddList(value.dims);
            AddList(value.ints);
            AddList(value.reals);
          } else {
            AddList(value);
          }
        },
        param.value);
  }

 private:
  uint64_t* at_;
  uint64_t* end_;
};

}  // namespace

std::string_view NodeForm::Of(const Model& graph, const Node& node) {
  Words words(words_.data(), words_.data() + words_.size());
  words.Add(std::string_view(node.op));
  if (!words.Reserve(3 + node.inputs.size() + node.outputs.size())) return {};
  words.Put(node.inputs.size());
  words.Put(node.outputs.size());
  words.Put(node.params.size());
  const auto tensors = [&](const auto& ids) {
    for (const TensorId id : ids) {
      if (id != kNoTensor) {
        words.Add(graph.tensors[static_cast<size_t>(id)]);
      } else if (words.Reserve(1)) {
        words.Put(~uint64_t{0});
      }
    }
  };
  tensors(node.inputs);
  tensors(node.outputs);
  for (const Param& param : node.params) words.Add(param);
  if (words.at() == nullptr) return {};
  return {reinterpret_cast<const char*>(words_.data()),
          static_cast<size_t>(words.at() - words_.data()) * sizeof(uint64_t)};
}

}  // namespace quantgate
