#include "core/validate/node_form.h"

#include <cstring>
#include <type_traits>
#include <variant>

namespace quantgate {
namespace {

// A Conv2d takes 60 words; what is far longer (a Concat of hundreds, long lists in params) seldom
// comes twice.
constexpr size_t kMaxWords = 1024;

uint64_t Pack(uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
  return a | (b << 16) | (c << 32) | (d << 48);
}

uint64_t Pair(uint64_t low, uint64_t high) { return (low & 0xffffffffu) | (high << 32); }

}  // namespace

void NodeForm::Add(std::string_view text) {
  words_.push_back(text.size());
  const size_t at = words_.size();
  words_.resize(at + (text.size() + 7) / 8);
  if (!text.empty()) std::memcpy(words_.data() + at, text.data(), text.size());
}

void NodeForm::Add(const Tensor& tensor) {
  const Encoding& e = tensor.encoding;
  const uint64_t flags = (tensor.is_static ? 1u : 0u) | (tensor.unknown_rank ? 2u : 0u);
  words_.push_back(Pack(static_cast<uint64_t>(tensor.dtype), static_cast<uint64_t>(e.kind), flags,
                        static_cast<uint16_t>(tensor.dims.size())));
  words_.insert(words_.end(), tensor.dims.begin(), tensor.dims.end());
  words_.push_back(static_cast<uint64_t>(tensor.sparse));
  if (e.kind == EncodingKind::kNone) return;
  words_.push_back(Pair(static_cast<uint32_t>(e.bitwidth), static_cast<uint32_t>(e.axis)));
  words_.push_back(Pair(e.scales.size(), e.zero_points.size()));
  if (e.kind == EncodingKind::kPerTensor || e.kind == EncodingKind::kPerChannel) return;
  words_.push_back(Pair(static_cast<uint32_t>(e.num_blocks), e.block_scales.size()));
  words_.push_back(Pair(static_cast<uint32_t>(e.block_scale_bitwidth),
                        static_cast<uint32_t>(e.block_scale_storage_bits)));
  words_.push_back(e.block_size.size());
  words_.insert(words_.end(), e.block_size.begin(), e.block_size.end());
}

void NodeForm::Add(const Param& param) {
  Add(param.name);
  words_.push_back(param.value.index());
  const auto bits = [](double real) {
    uint64_t word;
    std::memcpy(&word, &real, sizeof word);
    return word;
  };
  const auto list = [&](const auto& values) {
    words_.push_back(values.size());
    if (values.size() > kMaxWords) return;
    for (const auto& value : values) {
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
        words_.push_back(bits(value));
      } else {
        words_.push_back(static_cast<uint64_t>(value));
      }
    }
  };
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, IntParam> || std::is_same_v<T, UintParam>) {
          words_.push_back(static_cast<uint64_t>(value.value));
        } else if constexpr (std::is_same_v<T, bool>) {
          words_.push_back(value ? 1 : 0);
        } else if constexpr (std::is_same_v<T, double>) {
          words_.push_back(bits(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
          Add(std::string_view(value));
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          words_.push_back(value.size());
          for (const std::string& text : value) Add(std::string_view(text));
        } else if constexpr (std::is_same_v<T, TensorParam>) {
          words_.push_back(static_cast<uint64_t>(value.dtype));
          list(value.dims);
          list(value.ints);
          list(value.reals);
        } else {
          list(value);
        }
      },
      param.value);
}

std::string_view NodeForm::Of(const Model& graph, const Node& node) {
  words_.clear();
  if (node.inputs.size() + node.outputs.size() > kMaxWords / 8) return {};
  Add(std::string_view(node.op));
  words_.push_back(Pack(node.inputs.size(), node.outputs.size(), node.params.size() & 0xffff, 0));
  const auto tensors = [&](const auto& ids) {
    for (const TensorId id : ids) {
      if (id == kNoTensor) {
        words_.push_back(~uint64_t{0});
      } else {
        Add(graph.tensors[static_cast<size_t>(id)]);
      }
    }
  };
  tensors(node.inputs);
  tensors(node.outputs);
  for (const Param& param : node.params) {
    if (words_.size() > kMaxWords) break;
    Add(param);
  }
  if (words_.size() > kMaxWords) return {};
  return {reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(uint64_t)};
}

}  // namespace quantgate
