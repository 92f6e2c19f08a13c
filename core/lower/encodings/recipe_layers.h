// The linear layers of a model as a recipe's document (opdefs/recipes) knows them, and what they are
// built as.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_LAYERS_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_LAYERS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/database/view.h"
#include "quantgate/database.h"
#include "quantgate/model.h"

namespace quantgate {

struct LinearLayer {
  size_t node = 0;                                // of the model
  opdb::Tree form;                                // what it is built as
  int64_t in = kDynamicDim, out = kDynamicDim;  // channels
};

// In the order of the model's nodes.
std::vector<LinearLayer> LinearLayersOf(const Model& model, opdb::Tree document,
                                        const Database& database);

std::vector<int64_t> NumbersOf(opdb::Tree list);

// Replaces nodes of a model, which must stay, by the ops that layers are built as.
class LayerBuilder {
 public:
  LayerBuilder(Model& model, opdb::Tree document) : model_(model), document_(document) {}

  // A name that new tensors must not have.
  void Reserve(std::string_view name) { names_.insert(std::string(name)); }
  // Of weights in groups of `block` input channels, which divide the layer's.
  void Build(const LinearLayer& layer, int64_t block, opdb::Tree precision);

 private:
  Tensor& AddTensor(const LinearLayer& layer, std::string_view port, opdb::Tree shape);
  TensorId AddActivation(const LinearLayer& layer, std::string_view port, opdb::Tree shape,
                         opdb::Tree form);
  TensorId AddWeight(const LinearLayer& layer, int64_t block, opdb::Tree form);
  TensorId Last() const { return static_cast<TensorId>(model_.tensors.size() - 1); }
  float Scale() const { return static_cast<float>(document_["scale"].real().value_or(1)); }

  Model& model_;
  const opdb::Tree document_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_LAYERS_H_
