// Makes the tensors of the QNN graph from those of the file.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_GRAPH_BUILDER_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_GRAPH_BUILDER_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/lower/expression/value.h"
#include "core/lower/resolve/resolved.h"

namespace quantgate {

// A tensor of the file becomes one tensor of the graph per encoding and layout it is used with.
// No Transpose stands between two layouts of one tensor: converters insert and cancel them, and
// what decides is the shape, the parameters and the axes that each op's port sees.
class GraphBuilder {
 public:
  GraphBuilder(const Model& file, Resolved& resolved);

  // As it stands, without encoding.
  TensorId Plain(TensorId id);
  TensorId PlainConstant(TensorId id);
  // With an encoding; `encoding` and `dtype` of the same `id` are compared by value.
  TensorId Fixed(TensorId id, Dtype dtype, const Shared<Encoding>& encoding, bool is_static);
  // The first that was made of `id` with an encoding; kNoTensor = none.
  TensorId FirstFixed(TensorId id) const { return fixed_[static_cast<size_t>(id)]; }
  // `graph_id` with its dims permuted (dims[i] = old dims[perm[i]], the encoding follows), then a
  // dimension of size 1 inserted at `unsqueeze` (-1 = none). kNoTensor when perm doesn't fit.
  TensorId Permuted(TensorId graph_id, std::span<const int64_t> perm, int unsqueeze);
  // A copy with other dims.
  TensorId Reshaped(TensorId graph_id, const mapping::Ints& dims);
  TensorId Add(Tensor tensor);

  const Tensor& tensor(TensorId graph_id) const {
    return graph_->tensors[static_cast<size_t>(graph_id)];
  }
  Model& graph() { return *graph_; }

 private:
  void NoteView(TensorId view, TensorId of);

  const Model* file_;
  Resolved* resolved_;
  Model* graph_;
  std::vector<TensorId> plain_, fixed_;  // per tensor of the file: its first form
  // Further encodings of a tensor, which are rare.
  absl::flat_hash_map<TensorId, absl::InlinedVector<TensorId, 1>> more_fixed_;
  // (graph tensor, permutation as digits) -> its view.
  absl::flat_hash_map<std::pair<TensorId, uint64_t>, TensorId> views_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_GRAPH_BUILDER_H_
