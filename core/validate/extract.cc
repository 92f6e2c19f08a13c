#include "quantgate/extract.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace quantgate {
namespace {

// Nodes that are tried one by one for being superfluous; each trial is a check of the cut-out.
constexpr size_t kMaxTrials = 200;

// What a report says of one node, without positions that depend on the rest of the model.
struct Opinion {
  std::string op, reason;
  Consequence verdict = Consequence::kAccepted;
  decltype(NodeReport::resolved) resolved;
  std::vector<std::tuple<std::string_view, std::string, std::string, std::string, std::string,
                         Consequence>>
      findings;  // code, constraint, port, tensor, found, consequence
  bool operator==(const Opinion&) const = default;
};

Opinion OpinionOf(const Report& report, int32_t node) {
  const NodeReport& n = report.nodes[static_cast<size_t>(node)];
  Opinion opinion{n.op, n.reason, n.verdict, n.resolved, {}};
  for (const Finding& f : report.findings) {
    if (f.node_index != node) continue;
    opinion.findings.emplace_back(f.rule->code, f.constraint, f.port, f.tensor, f.found,
                                  f.consequence);
  }
  return opinion;
}

class Cutter {
 public:
  Cutter(const Validator& validator, const Model& model, int32_t node)
      : validator_(validator), model_(model), node_(node), producer_(model.tensors.size(), -1) {
    readers_.resize(model.tensors.size());
    for (size_t n = 0; n < model.nodes.size(); ++n) {
      for (const TensorId id : model.nodes[n].outputs) {
        if (id != kNoTensor) producer_[static_cast<size_t>(id)] = static_cast<int32_t>(n);
      }
      for (const TensorId id : model.nodes[n].inputs) {
        if (id != kNoTensor) readers_[static_cast<size_t>(id)].push_back(static_cast<int32_t>(n));
      }
    }
  }

  Model Run() {
    wanted_ = OpinionOf(validator_.Check(model_), node_);
    std::vector<int32_t> nodes = {node_};
    while (!Holds(nodes)) {
      std::vector<int32_t> wider = Widen(nodes);
      if (wider.size() == nodes.size()) break;
      nodes = std::move(wider);
    }
    Shrink(nodes);
    return Submodel(model_, nodes);
  }

 private:
  bool Holds(const std::vector<int32_t>& nodes) const {
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), node_) - nodes.begin();
    return OpinionOf(validator_.Check(Submodel(model_, nodes)), static_cast<int32_t>(at)) ==
           wanted_;
  }

  // With the neighbours of all of them.
  std::vector<int32_t> Widen(const std::vector<int32_t>& nodes) const {
    std::vector<int32_t> wider = nodes;
    for (const int32_t n : nodes) {
      const Node& node = model_.nodes[static_cast<size_t>(n)];
      for (const TensorId id : node.inputs) {
        if (id != kNoTensor && producer_[static_cast<size_t>(id)] >= 0) {
          wider.push_back(producer_[static_cast<size_t>(id)]);
        }
      }
      for (const TensorId id : node.outputs) {
        if (id == kNoTensor) continue;
        const auto& readers = readers_[static_cast<size_t>(id)];
        wider.insert(wider.end(), readers.begin(), readers.end());
      }
    }
    std::sort(wider.begin(), wider.end());
    wider.erase(std::unique(wider.begin(), wider.end()), wider.end());
    return wider;
  }

  // Without each node that is not needed, farthest in file order first.
  void Shrink(std::vector<int32_t>& nodes) const {
    std::vector<int32_t> candidates;
    for (const int32_t n : nodes) {
      if (n != node_) candidates.push_back(n);
    }
    if (candidates.size() > kMaxTrials) return;
    std::stable_sort(candidates.begin(), candidates.end(), [&](int32_t a, int32_t b) {
      return std::abs(a - node_) > std::abs(b - node_);
    });
    for (bool again = true; again;) {
      again = false;
      for (const int32_t candidate : candidates) {
        const auto at = std::find(nodes.begin(), nodes.end(), candidate);
        if (at == nodes.end()) continue;
        std::vector<int32_t> fewer = nodes;
        fewer.erase(fewer.begin() + (at - nodes.begin()));
        if (!Holds(fewer)) continue;
        nodes = std::move(fewer);
        again = true;
      }
    }
  }

  const Validator& validator_;
  const Model& model_;
  const int32_t node_;
  std::vector<int32_t> producer_;
  std::vector<std::vector<int32_t>> readers_;
  Opinion wanted_;
};

}  // namespace

Model Submodel(const Model& model, std::span<const int32_t> nodes) {
  Model part;
  part.name = model.name;
  part.dialect = model.dialect;
  part.opset = model.opset;
  std::vector<TensorId> new_id(model.tensors.size(), kNoTensor);
  std::vector<bool> made(model.tensors.size()), read(model.tensors.size());
  std::vector<int32_t> inside_readers(model.tensors.size()), all_readers(model.tensors.size());
  for (const Node& node : model.nodes) {
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) ++all_readers[static_cast<size_t>(id)];
    }
  }
  std::vector<TensorId> order;
  const auto take = [&](TensorId id) {
    if (id == kNoTensor) return kNoTensor;
    TensorId& known = new_id[static_cast<size_t>(id)];
    if (known == kNoTensor) {
      known = static_cast<TensorId>(part.tensors.size());
      part.tensors.push_back(model.tensors[static_cast<size_t>(id)]);
      order.push_back(id);
    }
    return known;
  };
  for (const int32_t n : nodes) {
    Node node = model.nodes[static_cast<size_t>(n)];
    for (TensorId& id : node.inputs) {
      if (id == kNoTensor) continue;
      read[static_cast<size_t>(id)] = true;
      ++inside_readers[static_cast<size_t>(id)];
      id = take(id);
    }
    for (TensorId& id : node.outputs) {
      if (id == kNoTensor) continue;
      made[static_cast<size_t>(id)] = true;
      id = take(id);
    }
    part.nodes.push_back(std::move(node));
  }
  std::vector<bool> is_output(model.tensors.size());
  for (const TensorId id : model.outputs) is_output[static_cast<size_t>(id)] = true;
  for (const TensorId id : order) {
    const auto t = static_cast<size_t>(id);
    if (read[t] && !made[t] && !model.tensors[t].is_static) part.inputs.push_back(new_id[t]);
    if (made[t] && (is_output[t] || inside_readers[t] < all_readers[t])) {
      part.outputs.push_back(new_id[t]);
    }
  }
  return part;
}

Model SmallestAround(const Validator& validator, const Model& model, int32_t node) {
  return Cutter(validator, model, node).Run();
}

}  // namespace quantgate
