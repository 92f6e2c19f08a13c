// One QNN op as the rules see it: declared ports and params of the database joined with the
// tensors and values of a node. Lives on the stack, allocates nothing.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_NODE_VIEW_H_
#define QUANTGATE_CORE_RULES_SUPPORT_NODE_VIEW_H_

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/container/inlined_vector.h"
#include "core/database/view.h"
#include "core/ir/file_layout.h"
#include "quantgate/model.h"

namespace quantgate::rules {

// A port's tensors: one, or any number for a variadic port.
struct PortTensors {
  const TensorId* ids = nullptr;
  int count = 0;
};

class NodeView {
 public:
  // Declared ports and params beyond these limits don't exist in any QNN op; opdefc refuses them.
  static constexpr int kMaxPorts = 48;
  static constexpr int kMaxParams = 40;

  NodeView(const opdb::View& db, const opdb::OpRow& op, const Model& graph, const Node& node,
           int arch_index);

  const opdb::View& db() const { return db_; }
  const opdb::OpRow& op() const { return op_; }
  const Node& node() const { return node_; }
  const Model& graph() const { return graph_; }
  int arch_index() const { return arch_index_; }
  int port_count() const { return port_count_; }
  bool is_input(int port) const { return port < op_.input_count; }

  // Tensors of a declared port; absent optional ones are not among them.
  PortTensors tensors(int port) const { return {ids_[port], counts_[port]}; }
  // The first (or `element`-th) tensor of a port; null when it isn't given.
  const Tensor* tensor(int port, int element = 0) const {
    if (port < 0 || port >= port_count_ || element >= counts_[port]) return nullptr;
    const TensorId id = ids_[port][element];
    return id == kNoTensor ? nullptr : &graph_.tensors[static_cast<size_t>(id)];
  }
  bool present(int port) const { return tensor(port) != nullptr; }
  // Inputs or outputs the node has beyond the declared ones.
  int extra_inputs() const { return extra_inputs_; }
  int extra_outputs() const { return extra_outputs_; }

  // Value of a declared param, the default where it isn't given; nothing when neither is known.
  const ParamValue* given(int param) const {
    if (!params_bound_) BindParams();
    return params_[param];
  }
  // Whether it is given, with the value that it has where it isn't.
  bool at_default(int param) const;
  std::optional<int64_t> param_int(int param) const;
  // All integers of a param (a tensor param's elements). Empty when unknown. Elements of
  // narrow types are widened into `buffer` only where needed.
  std::span<const int64_t> param_ints(int param) const;
  std::optional<double> param_real(int param) const;
  // The first given param the op doesn't declare.
  const Param* unknown_param() const {
    if (!params_bound_) BindParams();
    return unknown_param_;
  }

  // Resolved::layout; may stay unset.
  void set_layout(const FileLayouts* layout) { layout_ = layout; }
  // The axis in the user's file, where it is another one.
  std::optional<int64_t> FileAxis(const Tensor& tensor, int64_t axis) const;

 private:
  // Finds the declared params by name; most constraints of a known form ask for none.
  void BindParams() const;

  const opdb::View& db_;
  const opdb::OpRow& op_;
  const Model& graph_;
  const Node& node_;
  int arch_index_;
  int port_count_ = 0;
  int extra_inputs_ = 0, extra_outputs_ = 0;
  mutable bool params_bound_ = false;
  mutable const Param* unknown_param_ = nullptr;
  std::array<const TensorId*, kMaxPorts> ids_;
  std::array<int32_t, kMaxPorts> counts_;
  mutable std::array<const ParamValue*, kMaxParams> params_;
  mutable std::array<int64_t, kMaxParams> scalars_;
  const FileLayouts* layout_ = nullptr;
};

// Significant bits of a tensor's stored values: its encoding's bitwidth, else the storage bits.
inline int EffectiveBits(const Tensor& tensor) {
  return tensor.encoding->bitwidth > 0 ? tensor.encoding->bitwidth : BitsOf(tensor.dtype);
}

// Whether a constraint on a variadic port speaks of this tensor of it.
inline bool Means(const opdb::ConstraintRow& constraint, int element) {
  return constraint.element < 0 || constraint.element == element;
}

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_NODE_VIEW_H_
