#include "core/lower/resolve/graph_builder.h"

#include <algorithm>

#include "core/lower/resolve/encodings.h"

namespace quantgate {

GraphBuilder::GraphBuilder(const Model& file, Resolved& resolved)
    : file_(&file),
      resolved_(&resolved),
      graph_(resolved.owned.get()),
      plain_(file.tensors.size(), kNoTensor),
      fixed_(file.tensors.size(), kNoTensor) {
  graph_->tensors.reserve(2 * file.tensors.size());
  graph_->nodes.reserve(file.nodes.size());
  resolved.op_source.reserve(file.nodes.size());
}

TensorId GraphBuilder::Add(Tensor tensor) {
  // QNN has no scalars: a tensor of one element has rank 1.
  if (!tensor.unknown_rank && tensor.dims.empty()) tensor.dims.push_back(1);
  graph_->tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(graph_->tensors.size()) - 1;
}

TensorId GraphBuilder::Plain(TensorId id) {
  TensorId& known = plain_[static_cast<size_t>(id)];
  if (known == kNoTensor) {
    known = Add(file_->tensors[static_cast<size_t>(id)]);
    Tensor& t = graph_->tensors.back();
    if (HasOwnEncoding(t)) {
      // The file's type is the one it is given where it is quantized.
      t.dtype = Dtype::kFloat32;
      t.encoding = {};
    }
    t.dtype = PlainOf(t.dtype);
  }
  return known;
}

TensorId GraphBuilder::PlainConstant(TensorId id) {
  const TensorId result = Plain(id);
  graph_->tensors[static_cast<size_t>(result)].is_static = true;
  return result;
}

TensorId GraphBuilder::Fixed(TensorId id, Dtype dtype, const Shared<Encoding>& encoding,
                             bool is_static) {
  const auto same = [&](TensorId other) {
    const Tensor& t = tensor(other);
    return t.dtype == dtype && t.encoding == encoding;
  };
  TensorId& first = fixed_[static_cast<size_t>(id)];
  absl::InlinedVector<TensorId, 1>* others = nullptr;
  if (first != kNoTensor) {
    if (same(first)) return first;
    others = &more_fixed_[id];
    for (const TensorId other : *others) {
      if (same(other)) return other;
    }
  }
  const Tensor& from = file_->tensors[static_cast<size_t>(id)];
  const TensorId result = Add(from);
  Tensor& t = graph_->tensors.back();
  t.dtype = dtype;
  t.encoding = encoding;
  t.is_static = is_static;
  if (others != nullptr) {
    others->push_back(result);
  } else {
    first = result;
  }
  return result;
}

TensorId GraphBuilder::Permuted(TensorId graph_id, std::span<const int64_t> perm, int unsqueeze) {
  const Tensor& from = tensor(graph_id);
  if (!perm.empty() && from.rank() != static_cast<int>(perm.size())) return kNoTensor;
  // 15 = no axis. Ranks above 14 don't fit the key, and no backend accepts them.
  if (perm.size() > 14) return kNoTensor;
  uint64_t key = static_cast<uint64_t>(unsqueeze + 1);
  uint32_t seen = 0;
  bool identity = unsqueeze < 0;
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] < 0 || static_cast<size_t>(perm[i]) >= perm.size()) return kNoTensor;
    seen |= 1u << perm[i];
    identity &= perm[i] == static_cast<int64_t>(i);
    key = key << 4 | static_cast<uint64_t>(perm[i] + 1);
  }
  if (seen != (1u << perm.size()) - 1) return kNoTensor;
  if (identity) return graph_id;
  const auto [it, added] = views_.try_emplace({graph_id, key}, kNoTensor);
  TensorId& view = it->second;
  if (!added) return view;

  Tensor t = from;
  FileLayout layout;
  for (int i = 0; i < from.rank(); ++i) {
    layout.push_back(static_cast<int8_t>(perm.empty() ? i : perm[static_cast<size_t>(i)]));
  }
  if (unsqueeze > static_cast<int>(layout.size())) return kNoTensor;
  if (unsqueeze >= 0) layout.insert(layout.begin() + unsqueeze, -1);
  t.dims.clear();
  for (const int8_t axis : layout) {
    t.dims.push_back(axis < 0 ? 1 : from.dims[static_cast<size_t>(axis)]);
  }
  const Encoding& old = from.encoding;
  if (old.kind == EncodingKind::kPerChannel || old.kind == EncodingKind::kLpbq) {
    const auto at = std::find(layout.begin(), layout.end(), static_cast<int8_t>(old.axis));
    if (at != layout.end()) t.encoding.Edit().axis = static_cast<int32_t>(at - layout.begin());
  } else if (old.kind == EncodingKind::kBlock && old.block_size.size() == from.dims.size()) {
    std::vector<int64_t>& block_size = t.encoding.Edit().block_size;
    block_size.clear();
    for (const int8_t axis : layout) {
      block_size.push_back(axis < 0 ? 1 : old.block_size[static_cast<size_t>(axis)]);
    }
  }
  view = Add(std::move(t));
  resolved_->layout.emplace(view, std::move(layout));
  NoteView(view, graph_id);
  return view;
}

TensorId GraphBuilder::Reshaped(TensorId graph_id, const mapping::Ints& dims) {
  Tensor t = tensor(graph_id);
  if (!t.unknown_rank && std::equal(dims.begin(), dims.end(), t.dims.begin(), t.dims.end())) {
    return graph_id;
  }
  t.unknown_rank = false;
  t.dims.assign(dims.begin(), dims.end());
  const TensorId view = Add(std::move(t));
  NoteView(view, graph_id);
  return view;
}

void GraphBuilder::NoteView(TensorId view, TensorId of) {
  const auto shown = resolved_->view_of.find(of);
  const TensorId root = shown == resolved_->view_of.end() ? of : shown->second;
  resolved_->view_of.emplace(view, root);
}

}  // namespace quantgate
