// The Model that Python makes tensor by tensor and node by node.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_BUILDER_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_BUILDER_H_

#include <pybind11/pybind11.h>

#include <cstdint>
#include <memory>
#include <string>

#include "bindings/python/src/model.h"
#include "quantgate/model.h"
#include "quantgate/model_builder.h"

namespace quantgate::python {

// A param as a Model has it: what its Python type says, or a dict of one key as in Model JSON.
// `what` names it in errors.
ParamValue ParamOf(pybind11::handle object, const std::string& what);

// Errors are Python's, and name the argument.
class Builder {
 public:
  using object = pybind11::object;
  Builder(const object& name, const object& dialect, const object& source);

  TensorId AddTensor(const object& name, const object& dtype, const object& shape, bool is_static,
                     const object& encoding, const object& values, const object& sparse);
  int32_t AddNode(const object& op, const object& inputs, const object& outputs, const object& name,
                  const object& params, const object& dialect, const object& domain,
                  const object& location, const object& unchecked_reason);
  void AddNote(const object& note);
  std::shared_ptr<LoadedModel> Build(const object& inputs, const object& outputs);

  // The same for what has been read already.
  TensorId Add(Tensor tensor);
  int32_t Add(Node node);

  void Reserve(size_t nodes) { builder_.Reserve(2 * nodes, nodes); }
  size_t tensors() const { return builder_.model().tensors.size(); }
  size_t nodes() const { return builder_.model().nodes.size(); }

 private:
  void CheckUnused() const;

  ModelBuilder builder_;
  std::string source_;
  bool used_ = false;
};

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_BUILDER_H_
