#include "quantgate/model_builder.h"

#include <string_view>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "core/base/absl_view.h"
#include "core/base/text.h"
#include "core/ir/graph_ends.h"
#include "core/readers/graph_check.h"
#include "core/readers/model_finish.h"

namespace quantgate {
namespace {

// What is wrong with the ports of a node; "" = nothing.
template <typename Ids>
std::string CheckPorts(const Ids& ids, size_t tensors, std::string_view what) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == kNoTensor || (ids[i] >= 0 && static_cast<size_t>(ids[i]) < tensors)) continue;
    return std::string(what) + "[" + std::to_string(i) + "]: there is no tensor " +
           std::to_string(ids[i]);
  }
  return {};
}

std::string CheckParams(const Node& node) {
  for (const Param& param : node.params) {
    const auto* tensor = std::get_if<TensorParam>(&param.value);
    if (tensor == nullptr) continue;
    if (const std::string problem = CheckTensorParam(*tensor); !problem.empty()) {
      return "params[" + Quoted(param.name) + "]: " + problem;
    }
  }
  return {};
}

std::string CheckEnds(const std::vector<TensorId>& ids, size_t tensors, std::string_view what) {
  for (const TensorId id : ids) {
    if (id == kNoTensor) return "an input or output of the graph is None";
  }
  return CheckPorts(ids, tensors, what);
}

std::string CheckGraph(const Model& model) {
  absl::flat_hash_set<absl::string_view> names;
  names.reserve(model.tensors.size());
  for (const Tensor& tensor : model.tensors) {
    if (!names.insert({tensor.name.data(), tensor.name.size()}).second) {
      return "tensor " + Quoted(tensor.name) + " is given twice";
    }
  }
  const auto problem = FindGraphProblem(model, nullptr);
  if (!problem) return {};
  if (problem->node < 0) {
    return "outputs[" + std::to_string(problem->port) + "]: " + problem->reason;
  }
  std::string place = "nodes[" + std::to_string(problem->node) + "]";
  if (problem->port >= 0) {
    place += std::string(problem->is_input ? ".inputs[" : ".outputs[") +
             std::to_string(problem->port) + "]";
  }
  return place + ": " + problem->reason;
}

}  // namespace

ModelBuilder::ModelBuilder(std::string name, Dialect dialect) {
  model_.name = std::move(name);
  model_.dialect = dialect;
}

absl::StatusOr<TensorId> ModelBuilder::Add(Tensor tensor) {
  if (const std::string problem = FinishTensor(tensor, model_.tensors.size()); !problem.empty()) {
    return Invalid(problem);
  }
  model_.tensors.push_back(std::move(tensor));
  return static_cast<TensorId>(model_.tensors.size() - 1);
}

absl::StatusOr<int32_t> ModelBuilder::Add(Node node) {
  const size_t tensors = model_.tensors.size();
  if (const auto problem = CheckPorts(node.inputs, tensors, "inputs"); !problem.empty()) {
    return Invalid(problem);
  }
  if (const auto problem = CheckPorts(node.outputs, tensors, "outputs"); !problem.empty()) {
    return Invalid(problem);
  }
  if (const auto problem = CheckParams(node); !problem.empty()) return Invalid(problem);
  if (const auto problem = FinishNode(node, model_.nodes.size()); !problem.empty()) {
    return Invalid(problem);
  }
  model_.nodes.push_back(std::move(node));
  return static_cast<int32_t>(model_.nodes.size() - 1);
}

void ModelBuilder::AddNote(std::string note) { model_.notes.push_back(std::move(note)); }

void ModelBuilder::Reserve(size_t tensors, size_t nodes) {
  model_.tensors.reserve(tensors);
  model_.nodes.reserve(nodes);
}

absl::StatusOr<Model> ModelBuilder::Build(std::vector<TensorId> inputs,
                                          std::vector<TensorId> outputs) {
  const size_t tensors = model_.tensors.size();
  if (const auto problem = CheckEnds(inputs, tensors, "inputs"); !problem.empty()) {
    return Invalid(problem);
  }
  if (const auto problem = CheckEnds(outputs, tensors, "outputs"); !problem.empty()) {
    return Invalid(problem);
  }
  model_.inputs = std::move(inputs);
  model_.outputs = std::move(outputs);
  FillGraphEnds(model_);
  if (const auto problem = CheckGraph(model_); !problem.empty()) return Invalid(problem);
  return std::exchange(model_, Model());
}

}  // namespace quantgate
