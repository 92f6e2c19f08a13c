// One node of a QNN model as the backend interface expects it.
#ifndef QUANTGATE_CORE_ORACLE_OP_CONFIG_H_
#define QUANTGATE_CORE_ORACLE_OP_CONFIG_H_

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/oracle/qnn_api.h"
#include "quantgate/model.h"

namespace quantgate::verify {

// What constants without values contain.
enum class ConstantData : uint8_t {
  kZeros,   // shared zero pages, no memory: enough for op validation
  kRandom,  // drawn with the seed: for preparation and execution
};

// Owns everything the configuration points at. Names of the model are not copied: the model
// must outlive it.
class OpConfig {
 public:
  // InvalidArgument where the node can't be put to a library at all: a tensor without dtype
  // or rank, an encoding whose arrays don't fit its tensor, a param of another dialect.
  static absl::StatusOr<OpConfig> Build(const Model& model, const Node& node, ConstantData data,
                                        uint64_t seed);
  OpConfig(OpConfig&&) = default;
  OpConfig& operator=(OpConfig&&) = default;

  // Points into this object.
  qnn::OpConfig View();
  // Inputs without trailing absent ones, then outputs.
  std::vector<qnn::Tensor>& inputs() { return inputs_; }
  std::vector<qnn::Tensor>& outputs() { return outputs_; }
  std::vector<qnn::Param>& params() { return params_; }
  // Tensor of each entry of inputs() and outputs(); kNoTensor for an absent one.
  const std::vector<TensorId>& input_ids() const { return input_ids_; }
  const std::vector<TensorId>& output_ids() const { return output_ids_; }
  // Bytes of constants that were drawn or given, by tensor.
  const std::map<TensorId, std::vector<uint8_t>>& constants() const { return constants_; }

 private:
  class Builder;
  OpConfig() = default;

  const Node* node_ = nullptr;
  std::vector<qnn::Tensor> inputs_, outputs_;
  std::vector<qnn::Param> params_;
  std::vector<TensorId> input_ids_, output_ids_;
  std::map<TensorId, std::vector<uint8_t>> constants_;
  // Arrays the structures point at; a deque never moves its elements.
  std::deque<std::vector<uint32_t>> words_;
  std::deque<std::vector<uint8_t>> bytes_;
  std::deque<std::vector<qnn::ScaleOffset>> scale_offsets_;
  std::deque<std::vector<float>> floats_;
  std::deque<std::vector<int32_t>> ints_;
  std::deque<qnn::BlockwiseExpansion> expansions_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_OP_CONFIG_H_
