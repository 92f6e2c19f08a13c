#include "core/validate/cache/node_form.h"

#include <cstdint>

#include "absl/hash/hash.h"
#include "absl/strings/string_view.h"

namespace quantgate {

bool SameForm(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype || a.is_static != b.is_static || a.unknown_rank != b.unknown_rank ||
      a.sparse != b.sparse || !SameList(a.dims, b.dims)) {
    return false;
  }
  if (a.encoding.SharesWith(b.encoding)) return true;
  const Encoding &x = a.encoding, &y = b.encoding;
  if (x.kind != y.kind || x.bitwidth != y.bitwidth || x.axis != y.axis ||
      x.scales.size() != y.scales.size() || x.zero_points.size() != y.zero_points.size()) {
    return false;
  }
  if (x.kind != EncodingKind::kBlock && x.kind != EncodingKind::kLpbq) return true;
  return x.block_size == y.block_size && x.num_blocks == y.num_blocks &&
         x.block_scales.size() == y.block_scales.size() &&
         x.block_scale_bitwidth == y.block_scale_bitwidth &&
         x.block_scale_storage_bits == y.block_scale_storage_bits;
}

bool SameForm(const Model& model, const Node& a, const Node& b) {
  return SameNode(a, b, [&](TensorId x, TensorId y) {
    return SameForm(model.tensors[static_cast<size_t>(x)], model.tensors[static_cast<size_t>(y)]);
  });
}

size_t HashOfForm(const Model& model, const Node& node) {
  size_t hash = absl::HashOf(node.op, node.inputs.size(), node.params.size());
  const auto add = [&](const auto& ids) {
    for (const TensorId id : ids) {
      if (id == kNoTensor) continue;
      const Tensor& t = model.tensors[static_cast<size_t>(id)];
      hash = absl::HashOf(hash, t.dtype, t.encoding->kind, t.dims);
    }
  };
  add(node.inputs);
  add(node.outputs);
  return hash;
}

namespace {

void PrefetchTensor(const Model& model, TensorId id) {
  constexpr size_t kLine = 64;
  if (id < 0 || static_cast<size_t>(id) >= model.tensors.size()) return;
  const char* const tensor = reinterpret_cast<const char*>(&model.tensors[static_cast<size_t>(id)]);
  for (size_t at = 0; at < sizeof(Tensor); at += kLine) __builtin_prefetch(tensor + at);
}

}  // namespace

void PrefetchInputs(const Model& model, size_t begin, size_t end) {
  for (size_t n = begin; n < end; ++n) {
    for (const TensorId id : model.nodes[n].inputs) PrefetchTensor(model, id);
  }
}

void PrefetchBehind(const Model& model, size_t node) {
  if (node + kNodesAhead >= model.nodes.size()) return;
  // What a tensor refers to, once the tensor itself is there.
  for (const TensorId id : model.nodes[node + kNodesAhead / 2].outputs) {
    if (id < 0 || static_cast<size_t>(id) >= model.tensors.size()) continue;
    __builtin_prefetch(&*model.tensors[static_cast<size_t>(id)].encoding);
  }
  const Node& ahead = model.nodes[node + kNodesAhead];
  // Inputs mostly were outputs a moment ago.
  for (const TensorId id : ahead.outputs) PrefetchTensor(model, id);
}

}  // namespace quantgate
