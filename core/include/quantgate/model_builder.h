// Models made by hand, tensor by tensor and node by node, and held to what readers promise.
//
//   quantgate::ModelBuilder builder("my network");
//   const auto x = builder.Add(quantgate::Tensor{.name = "x", .dtype = Dtype::kFloat32});
//   const auto y = builder.Add(quantgate::Tensor{.name = "y", .dtype = Dtype::kFloat32});
//   if (!x.ok() || !y.ok()) …
//   if (const auto node = builder.Add(quantgate::Node{.op = "Relu", .inputs = {*x}, .outputs = {*y}});
//       !node.ok()) …
//   absl::StatusOr<quantgate::Model> model = builder.Build();
#ifndef QUANTGATE_MODEL_BUILDER_H_
#define QUANTGATE_MODEL_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/export.h"
#include "quantgate/model.h"

namespace QUANTGATE_EXPORT quantgate {

// Errors are InvalidArgument with a sentence that names the tensor, port or param; what was refused
// is not added. Not for use by several threads at once.
class ModelBuilder {
 public:
  explicit ModelBuilder(std::string name = "model", Dialect dialect = Dialect::kQnn);

  // The number of the tensor, by which nodes refer to it. Refused: a name that is empty or no
  // UTF-8, dimensions below kDynamicDim, values that are not one or as many as the tensor has
  // elements.
  absl::StatusOr<TensorId> Add(Tensor tensor);
  // The index of the node. A nameless one is called `<op>_<index>`. Refused: an op without a name,
  // ports that are no tensor of the builder, params given twice or that contradict themselves.
  absl::StatusOr<int32_t> Add(Node node);
  // Says in the head of reports what could not be looked at.
  void AddNote(std::string note);

  void Reserve(size_t tensors, size_t nodes);
  // What has been added so far.
  const Model& model() const { return model_; }

  // The model; the builder is empty afterwards. `inputs` and `outputs` are those of the graph;
  // empty = what nothing produces, what nothing consumes. Refused, and the builder as it was: a
  // tensor name that comes twice, a tensor that two nodes produce or that is consumed and nothing
  // produces, a cycle.
  absl::StatusOr<Model> Build(std::vector<TensorId> inputs = {},
                              std::vector<TensorId> outputs = {});

 private:
  Model model_;
};

}  // namespace quantgate

#endif  // QUANTGATE_MODEL_BUILDER_H_
