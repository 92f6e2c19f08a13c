// Models of a single node.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_ONE_NODE_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_ONE_NODE_H_

#include <string>
#include <utility>
#include <vector>

#include "quantgate/dtype.h"
#include "quantgate/model.h"

namespace quantgate {

inline Tensor PerTensor(Dtype dtype, const std::vector<int64_t>& dims, float scale,
                        int32_t zero_point) {
  Tensor t;
  t.dtype = dtype;
  t.dims.assign(dims.begin(), dims.end());
  t.encoding.Edit().kind = EncodingKind::kPerTensor;
  t.encoding.Edit().scales = {scale};
  t.encoding.Edit().zero_points = {zero_point};
  return t;
}

// The node is "n", and the last tensor is its output. Tensors without a name become "t0", "t1", ...
inline Model OneNode(std::string op, std::vector<Tensor> tensors) {
  Model model;
  Node node;
  node.name = "n";
  node.op = std::move(op);
  for (Tensor& tensor : tensors) {
    const auto id = static_cast<TensorId>(model.tensors.size());
    if (tensor.name.empty()) tensor.name = "t" + std::to_string(id);
    (model.tensors.size() + 1 < tensors.size() ? model.inputs : model.outputs).push_back(id);
    model.tensors.push_back(std::move(tensor));
  }
  node.inputs.assign(model.inputs.begin(), model.inputs.end());
  node.outputs.assign(model.outputs.begin(), model.outputs.end());
  model.nodes = {std::move(node)};
  return model;
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_ONE_NODE_H_
