// The form of a node: all that a rule may read of it except its numbers. Two nodes of the same
// form differ in scales, zero points, block factors and stored values only; networks are many
// nodes of few forms.
#ifndef QUANTGATE_CORE_VALIDATE_CACHE_NODE_FORM_H_
#define QUANTGATE_CORE_VALIDATE_CACHE_NODE_FORM_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <variant>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

// A tensor of a node by its place: inputs first, then outputs.
inline TensorId TensorAt(const Node& node, size_t place) {
  const size_t inputs = node.inputs.size();
  return place < inputs ? node.inputs[place] : node.outputs[place - inputs];
}

// Dtype, shape, kind and sizes of the encoding.
bool SameForm(const Tensor& a, const Tensor& b);

template <typename Word>
bool SameWord(const char* a, const char* b) {
  Word p = 0, q = 0;
  std::memcpy(&p, a, sizeof p);
  std::memcpy(&q, b, sizeof q);
  return p == q;
}

// As == tells, without a call for the few bytes that names and shapes have. The last word overlaps
// the one before.
inline bool SameBytes(const void* a, const void* b, size_t size) {
  const auto* x = static_cast<const char*>(a);
  const auto* y = static_cast<const char*>(b);
  if (size >= sizeof(uint64_t)) {
    const size_t last = size - sizeof(uint64_t);
    for (size_t at = 0; at < last; at += sizeof(uint64_t)) {
      if (!SameWord<uint64_t>(x + at, y + at)) return false;
    }
    return SameWord<uint64_t>(x + last, y + last);
  }
  if (size >= sizeof(uint32_t)) {
    const size_t last = size - sizeof(uint32_t);
    return SameWord<uint32_t>(x, y) && SameWord<uint32_t>(x + last, y + last);
  }
  for (size_t at = 0; at < size; ++at) {
    if (x[at] != y[at]) return false;
  }
  return true;
}

// As == tells, but for numbers that are none: those are equal here where their bits are.
template <typename List>
bool SameList(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  const auto *x = a.data(), *y = b.data();
  if constexpr (sizeof *x == sizeof(uint64_t)) {
    for (size_t i = 0, count = a.size(); i < count; ++i) {
      if (std::bit_cast<uint64_t>(x[i]) != std::bit_cast<uint64_t>(y[i])) return false;
    }
    return true;
  } else {
    return SameBytes(x, y, a.size() * sizeof *x);
  }
}
inline bool SameValue(const ParamValue& a, const ParamValue& b) {
  if (a.index() != b.index()) return false;
  const auto* x = std::get_if<TensorParam>(&a);
  if (x == nullptr) return a == b;
  const auto* y = std::get_if<TensorParam>(&b);
  return x->dtype == y->dtype && SameList(x->dims, y->dims) && SameList(x->ints, y->ints) &&
         SameList(x->reals, y->reals);
}

inline bool SameParams(const Params& one, const Params& other) {
  if (one.SharesWith(other)) return true;
  const std::vector<Param>&a = one, &b = other;
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!SameList(a[i].name, b[i].name) || !SameValue(a[i].value, b[i].value)) return false;
  }
  return true;
}

// Op, params, and which tensors are one and the same; the tensors themselves as `same_tensor`
// (of two ids) tells.
template <typename SameTensor>
bool SameNode(const Node& a, const Node& b, SameTensor&& same_tensor) {
  if (a.inputs.size() != b.inputs.size() || a.outputs.size() != b.outputs.size() ||
      a.op != b.op || !SameParams(a.params, b.params)) {
    return false;
  }
  const auto same = [&](std::span<const TensorId> x, std::span<const TensorId> y) {
    for (size_t i = 0; i < x.size(); ++i) {
      // One tensor at two ports is another form than two tensors.
      for (size_t k = 0; k < i; ++k) {
        if ((x[i] == x[k]) != (y[i] == y[k])) return false;
      }
      if (x[i] == y[i]) continue;
      if (x[i] == kNoTensor || y[i] == kNoTensor || !same_tensor(x[i], y[i])) return false;
    }
    return true;
  };
  return same(a.inputs, b.inputs) && same(a.outputs, b.outputs);
}

bool SameForm(const Model& model, const Node& a, const Node& b);

// Equal for nodes of one form.
size_t HashOfForm(const Model& model, const Node& node);

// A node with more tensors or params than this (a Concat of hundreds) seldom comes twice, and
// comparing two of them takes long.
inline constexpr size_t kMaxFormParts = 64;
inline bool HasShortForm(const Node& node) {
  return node.inputs.size() + node.outputs.size() + node.params.size() <= kMaxFormParts;
}

// Fetches what the node `kNodesAhead` after `node` refers to: it is all over the heap, and waiting
// for it is what a large graph costs.
inline constexpr size_t kNodesAhead = 8;
inline constexpr size_t kNodesNearby = 4096;  // a graph of fewer stays in the processor's cache
void PrefetchBehind(const Model& model, size_t node);
// Fetches what nodes `begin` to `end` read, all at once, before several rules go through them in turn: a
// million nodes of a transformer take 90 ms less in the rules between nodes (of 370).
void PrefetchInputs(const Model& model, size_t begin, size_t end);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CACHE_NODE_FORM_H_
