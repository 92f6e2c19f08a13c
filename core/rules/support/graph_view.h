// The whole graph at the end of the route, as the rules between nodes see it, and where they put
// what they find. Nodes are gone through once for what nearly every rule needs, since a large graph
// has to be fetched from memory each time; the rest is made when first needed. Each index is linear
// in the size of the graph, and so must be what a rule does with them.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_GRAPH_VIEW_H_
#define QUANTGATE_CORE_RULES_SUPPORT_GRAPH_VIEW_H_

#include <cstdint>
#include <span>
#include <string_view>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "core/database/view.h"
#include "core/ir/file_layout.h"
#include "core/rules/support/op_sets.h"
#include "core/rules/support/settings.h"
#include "quantgate/model.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate::rules {

class GraphView {
 public:
  struct Parts {
    const opdb::View& db;
    const Target& target;
    const OpSets& sets;
    const Model& graph;
    std::span<const int32_t> op_source;  // empty = identity
    const Report& report;                // with what was found before
    // Per node of the file: not handed over to the backend. Empty = none.
    const std::vector<bool>& refused;
    // Ends of the file that tensors of the graph stand for: see Resolved.
    const Model* file;
    const absl::flat_hash_map<TensorId, TensorId>& end_of;
    const FileLayouts& layouts;  // Resolved::layout
    const absl::flat_hash_map<TensorId, TensorId>& views;  // Resolved::view_of
  };
  explicit GraphView(const Parts& parts);

  const opdb::View& db() const { return parts_.db; }
  const Target& target() const { return parts_.target; }
  const OpSets& sets() const { return parts_.sets; }
  const Model& graph() const { return parts_.graph; }
  const Report& report() const { return parts_.report; }  // of the nodes alone
  std::string_view route() const;  // its name, without a release
  bool IsOnOneOf(std::span<const std::string_view> routes) const;
  // What opdefs/rules says of the rule that is running: its own struct.
  template <class S>
  const S& settings() const {
    return static_cast<const S&>(*settings_);
  }
  // Must outlive the view.
  void set_settings(const Settings& settings) { settings_ = &settings; }

  int32_t op_count() const { return static_cast<int32_t>(graph().nodes.size()); }
  const Node& op(int32_t op) const { return graph().nodes[static_cast<size_t>(op)]; }
  const Tensor& tensor(TensorId id) const { return graph().tensors[static_cast<size_t>(id)]; }
  // Null where the port isn't given.
  const Tensor* input(int32_t op, size_t port) const { return At(this->op(op).inputs, port); }
  const Tensor* output(int32_t op, size_t port = 0) const { return At(this->op(op).outputs, port); }

  const OpInfo& info(int32_t op) const { return *infos_[static_cast<size_t>(op)]; }
  SetMask sets_of(int32_t op) const { return sets_of_[static_cast<size_t>(op)]; }
  bool Is(int32_t op, SetMask sets) const { return (sets_of(op) & sets) != 0; }
  // Sets of all ops together.
  SetMask any_sets() const { return any_sets_; }

  // Ops may read a tensor in another layout or shape than it is made in: to them it is another tensor of the
  // graph, which shows the same one. That one.
  TensorId Shown(TensorId id) const { return shown_.empty() ? id : shown_[static_cast<size_t>(id)]; }
  // The op that makes a tensor, in whatever layout; -1 = none.
  int32_t Producer(TensorId id) const { return producer_[static_cast<size_t>(Shown(id))]; }
  // Ops that read it in whatever layout, one entry a port.
  std::span<const int32_t> Readers(TensorId id) const;
  // The first of them; -1 = none.
  int32_t FirstReader(TensorId id) const { return first_reader_[static_cast<size_t>(Shown(id))]; }
  // Whether an op of these sets makes what an op reads first.
  bool ReadsFrom(int32_t op, SetMask sets) const;
  // The tensor that a chain of `views`, ops that hand all of their first input on, shows.
  TensorId Behind(TensorId id, SetMask views) const;
  bool IsGraphInput(TensorId id) const;
  bool IsGraphOutput(TensorId id) const;

  // The name that a caller knows a tensor by: of the input or output of the file that it stands
  // for, else its own.
  const SharedString& EndName(TensorId id) const;

  // As in file_layout.h; empty where both have the same layout. Values of constants lie in the
  // layout of the file.
  std::span<const int8_t> FileLayout(TensorId id) const;

  int32_t SourceOf(int32_t op) const {  // node of the file
    return parts_.op_source.empty() ? op : parts_.op_source[static_cast<size_t>(op)];
  }
  const SharedString& NameOf(int32_t op) const;  // its name
  const SharedString& SourceOpOf(int32_t op) const;
  bool Refused(int32_t op) const {
    return !parts_.refused.empty() && parts_.refused[static_cast<size_t>(SourceOf(op))];
  }
  // Whether the node of the file broke a rule that `reported_by` of the running rule names.
  bool ReportedBefore(int32_t op) const;

 private:
  const Tensor* At(std::span<const TensorId> ids, size_t port) const {
    return port < ids.size() && ids[port] != kNoTensor ? &tensor(ids[port]) : nullptr;
  }
  void IndexReaders() const;
  void MarkEnds() const;

  Parts parts_;
  const Settings* settings_ = nullptr;
  std::vector<const OpInfo*> infos_;
  std::vector<SetMask> sets_of_;
  SetMask any_sets_ = 0;
  std::vector<TensorId> shown_;                   // per tensor; empty = each shows itself
  std::vector<int32_t> producer_, first_reader_;  // per tensor
  mutable bool readers_indexed_ = false, ends_marked_ = false;
  // Readers of tensor t: [begin[t], begin[t+1]).
  mutable std::vector<int32_t> reader_begin_, readers_;
  mutable std::vector<uint8_t> ends_;  // 1 = graph input, 2 = graph output
  // Nodes of the file that broke a rule of `reported_by`, of each settings that asked: rules take turns.
  mutable absl::flat_hash_map<const Settings*, absl::flat_hash_set<int32_t>> reported_;
};

// The findings of one rule.
class GraphFindings {
 public:
  GraphFindings(const GraphView& view, const Rule& rule, std::string note,
                std::vector<Finding>& findings, double amount)
      : view_(view), rule_(rule), note_(std::move(note)), findings_(findings), amount_(amount) {}

  // On an op; -1 = on the model as a whole. Texts are the caller's.
  Finding& Add(int32_t op, Consequence consequence);
  // The same, at "in[port]" or "out[port]" of the op.
  Finding& AddInput(int32_t op, size_t port, Consequence consequence);
  Finding& AddOutput(int32_t op, size_t port, Consequence consequence);
  // What the ops add up to, where the rule adds up.
  double amount() const { return amount_; }

 private:
  const GraphView& view_;
  const Rule& rule_;
  const std::string note_;
  std::vector<Finding>& findings_;
  const double amount_;
};

// Ops of a chain that a rule goes along, or readers that it looks at, from each op: more would take longer than the
// graph is large.
inline constexpr int kMostLinks = 64;

// The op at which something is largest, the first of several, and at how many it is above 0; op -1 = at none.
struct Largest {
  int32_t op = -1;
  double amount = 0;
  int64_t count = 0;
};
template <class Amount>
Largest LargestOf(const GraphView& g, const Amount& amount_at) {
  Largest largest;
  for (int32_t op = 0; op < g.op_count(); ++op) {
    const double amount = amount_at(op);
    if (!(amount > 0)) continue;
    ++largest.count;
    if (amount > largest.amount) {
      largest.op = op;
      largest.amount = amount;
    }
  }
  return largest;
}

// Elements of a tensor; dimensions that are not known count as one.
double LeastElements(const Tensor& tensor);
// Bytes of a tensor's elements; 0 where a dimension is not known.
double BytesOf(const Tensor& tensor);
// The same, in bits that carry values.
double StoredBytes(const Tensor& tensor);
std::string Bytes(double bytes);  // "1.5 MB"
// VTCM of the target's soc; 0 = not known.
int64_t VtcmMegabytes(const GraphView& g);
// `"a", "b" and 3 more`.
std::string Quoted(std::span<const std::string> names, size_t most = 4);
// Names of the ops that something was found at (each with its `op`), but for one.
template <class Found>
std::vector<std::string> OtherNames(const GraphView& g, const std::vector<Found>& found, int32_t but) {
  std::vector<std::string> names;
  for (const Found& one : found) {
    if (one.op != but) names.emplace_back(g.NameOf(one.op));
  }
  return names;
}

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_GRAPH_VIEW_H_
