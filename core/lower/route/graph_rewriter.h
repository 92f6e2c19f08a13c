// Writes the backend's graph anew, op by op, as a route changes it: ops inserted, tensors copied,
// findings and changes noted at the node of the file that the op comes from.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_GRAPH_REWRITER_H_
#define QUANTGATE_CORE_LOWER_ROUTE_GRAPH_REWRITER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/rule_id.h"
#include "core/lower/resolve/resolve.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

class GraphRewriter {
 protected:
  // `source`: the note of what is reported, where the route's facts come from. Takes the ops out of the graph.
  GraphRewriter(std::string source, Resolved& resolved);
  ~GraphRewriter() = default;

  // Calls `visit` for every op in turn, which may change it, and emits it.
  template <typename Visit>
  void Rewrite(const Visit& visit) {
    for (size_t i = 0; i < old_.size(); ++i) {
      source_ = old_sources_[i];
      after_.reset();
      visit(old_[i]);
      Emit(std::move(old_[i]));
      if (after_) Emit(*std::move(after_));
    }
  }

  bool IsOutput(TensorId id) const;
  Tensor& TensorOf(TensorId id) { return graph_.tensors[static_cast<size_t>(id)]; }
  const Tensor& TensorOf(TensorId id) const { return graph_.tensors[static_cast<size_t>(id)]; }
  // Null where the port is not given or not quantized.
  const Tensor* Quantized(const Node& node, bool input, size_t i) const;
  int32_t UsesOf(TensorId id) const { return uses_[static_cast<size_t>(id)]; }

  void Emit(Node node);
  TensorId Copy(TensorId from, std::string_view suffix);
  // A node that the route puts before or after `node`, from one tensor to another.
  static Node Beside(const Node& node, std::string_view op, TensorId from, TensorId to);
  void PutBehind(Node node) { after_ = std::move(node); }

  Finding& Report(RuleId rule, Consequence consequence, const Node& node, std::string message);
  void Changed(ChangeKind kind, const Finding& f, std::string written, std::string runs);

  Resolved& resolved_;
  int32_t source_ = -1;  // the node of the file that the visited op comes from

 private:
  std::string note_;
  Model& graph_;
  std::vector<Node> old_;  // those not visited yet are whole
  std::vector<int32_t> old_sources_;
  std::vector<int32_t> uses_;  // of the tensors that came: how often ops read them
  std::optional<Node> after_;  // goes after the op that is visited
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_GRAPH_REWRITER_H_
