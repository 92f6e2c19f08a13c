// Values of node outputs that follow from small constants, as an ONNX runtime folds them.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_FOLD_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_FOLD_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::onnx {

// Computes one node after the other; producers come before consumers.
class Folder {
 public:
  explicit Folder(Model& model) : model_(model) {}

  // Sets the values of the first output where every given input has values and the shape of the
  // output is fixed and small. Anything else is left as it is: what can't be computed exactly
  // stays unknown. True where this settles what is known of the values.
  bool Fold(const Node& node);

 private:
  Model& model_;
  // Elements that may still be computed: a hostile file has many nodes.
  int64_t budget_ = int64_t{1} << 22;
};

namespace fold {

// An input whose values are known. One value may stand for all.
struct Input {
  std::span<const int64_t> dims;
  const TensorValues* values = nullptr;
  Dtype dtype = Dtype::kUndefined;
  int64_t count = 0;  // elements

  bool is_real() const;
  int64_t Int(int64_t k) const;
  double Real(int64_t k) const;  // of integers too
};

// What a node computes: its inputs (absent ones have no values), the shape and type of the output.
struct Task {
  const Node& node;
  std::span<const Input> inputs;
  std::span<const int64_t> dims;
  Dtype dtype = Dtype::kUndefined;
  int64_t count = 0;

  int64_t Attribute(std::string_view name, int64_t otherwise) const;
  const std::vector<int64_t>* Attributes(std::string_view name) const;
};

// What computes an operator; nullopt for a form that isn't computed.
using Compute = std::optional<TensorValues> (*)(const Task&);
// A row of a table that is sorted by operator.
using Computed = std::pair<std::string_view, Compute>;
constexpr bool ByOperator(const Computed& a, const Computed& b) { return a.first < b.first; }
inline Compute Find(std::span<const Computed> table, std::string_view op) {
  const auto row = std::lower_bound(table.begin(), table.end(), Computed{op, nullptr}, ByOperator);
  return row != table.end() && row->first == op ? row->second : nullptr;
}
// Null for operators that it doesn't know.
Compute FindMovement(std::string_view op);    // only moves elements
Compute FindArithmetic(std::string_view op);  // element by element, or from a few numbers

}  // namespace fold
}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_FOLD_H_
