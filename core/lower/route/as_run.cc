// What runs of a model, from the graph at the end of the route and the verdicts of its nodes.
#include "quantgate/as_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/database/conditions.h"
#include "core/lower/route/route.h"
#include "core/rules/raise.h"

namespace quantgate {
namespace {

using State = SourceNode::State;

class Describer {
 public:
  Describer(opdb::Tree document, const Model& file, const Resolved& resolved, const Report& report)
      : document_(document), file_(file), resolved_(resolved), report_(report) {}

  AsRun Run() && {
    run_.nodes.resize(file_.nodes.size());
    run_.float_dtype = std::string(document_["float_dtype"].str());
    Place();
    Changes();
    if (document_["partitions"]) {
      PartitionsByLevel();
    } else {
      PartitionsInOrder();
    }
    Session();
    for (const RunNode& node : run_.nodes) {
      ++run_.placements[static_cast<size_t>(node.placement)];
    }
    return std::move(run_);
  }

 private:
  static bool OnNpu(Placement p) {
    return p == Placement::kQuantized || p == Placement::kFloat || p == Placement::kInteger;
  }

  State StateOf(size_t node) const {
    return resolved_.sources.empty() ? State::kOps : resolved_.sources[node].state;
  }
  int32_t SourceOf(size_t op) const {
    return resolved_.op_source.empty() ? static_cast<int32_t>(op) : resolved_.op_source[op];
  }

  // By the first result of its op in the middle: what is inserted around it may be of another type.
  static Placement ByDtype(const Model& graph, const Node& op) {
    for (const TensorId id : op.outputs) {
      if (id == kNoTensor) continue;
      const Dtype dtype = graph.tensors[static_cast<size_t>(id)].dtype;
      if (IsFloat(dtype)) return Placement::kFloat;
      // A comparison, an index of fixed-point values counts as quantized.
      bool fixed = IsFixedPoint(dtype);
      for (const TensorId in : op.inputs) {
        if (in == kNoTensor) continue;
        const Dtype input = graph.tensors[static_cast<size_t>(in)].dtype;
        if (IsFloat(input) && !fixed) return Placement::kFloat;
        fixed |= IsFixedPoint(input);
      }
      return fixed ? Placement::kQuantized : Placement::kInteger;
    }
    return Placement::kUnknown;
  }

  void Place() {
    const Model& graph = *resolved_.graph;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      RunNode& node = run_.nodes[static_cast<size_t>(SourceOf(i))];
      node.ops.push_back(graph.nodes[i].op);
      const Placement placement = ByDtype(graph, graph.nodes[i]);
      // Float anywhere in it makes it a float node.
      if (node.placement == Placement::kUnknown || placement == Placement::kFloat) {
        node.placement = placement;
      }
    }
    const Placement outside =
        document_["cpu_fallback"].flag().value_or(false) ? Placement::kCpu : Placement::kRefused;
    for (size_t i = 0; i < run_.nodes.size(); ++i) {
      RunNode& node = run_.nodes[i];
      switch (report_.nodes[i].verdict) {
        case Consequence::kUnchecked:
          node.placement = Placement::kUnknown;
          break;
        case Consequence::kRejected:
          node.placement = outside;
          break;
        default:
          break;
      }
      if (StateOf(i) == State::kAbsorbed) {
        node.placement = resolved_.sources[i].into >= 0 ? Placement::kInto : Placement::kOutside;
      }
    }
  }

  void Add(ChangeKind kind, int32_t node, std::string port, std::string tensor, std::string written,
           std::string runs) {
    run_.changes.push_back(
        {kind, node, std::move(port), std::move(tensor), std::move(written), std::move(runs)});
  }

  // "UFIXED_POINT_8" of a quantized neighbour of the node in the file.
  std::string WrittenDtype(const Node& node) const {
    for (const auto& ids : {std::vector<TensorId>(node.outputs.begin(), node.outputs.end()),
                            std::vector<TensorId>(node.inputs.begin(), node.inputs.end())}) {
      for (const TensorId id : ids) {
        if (id == kNoTensor) continue;
        const SharedString& name = file_.tensors[static_cast<size_t>(id)].name;
        const auto found = quantized_.find(name);
        if (found != quantized_.end()) return std::string(DtypeName(found->second));
      }
    }
    return "quantized";
  }

  // Float tensors of the file next to a Q or DQ, and the datatype on its other side.
  void FindQuantized() {
    for (size_t i = 0; i < resolved_.graph->nodes.size(); ++i) {
      const Node& op = resolved_.graph->nodes[i];
      if (op.inputs.size() != 1 || op.outputs.size() != 1) continue;
      if (op.inputs[0] == kNoTensor || op.outputs[0] == kNoTensor) continue;
      const Tensor& in = resolved_.graph->tensors[static_cast<size_t>(op.inputs[0])];
      const Tensor& out = resolved_.graph->tensors[static_cast<size_t>(op.outputs[0])];
      if (IsFloat(in.dtype) && IsFixedPoint(out.dtype)) quantized_[in.name] = out.dtype;
      if (IsFixedPoint(in.dtype) && IsFloat(out.dtype)) quantized_[out.name] = in.dtype;
    }
  }

  void Changes() {
    const std::string half = run_.float_dtype.empty() ? "FLOAT_32" : run_.float_dtype;
    FindQuantized();
    std::vector<bool> in_float(run_.nodes.size());
    for (const Finding& f : report_.findings) {
      if (f.node_index < 0 || !rules::IsOf(f, rules::kHalfQuantizedUnit)) continue;
      const auto i = static_cast<size_t>(f.node_index);
      if (run_.nodes[i].placement != Placement::kFloat) continue;
      in_float[i] = true;
      Add(ChangeKind::kFloat, f.node_index, "", "", WrittenDtype(file_.nodes[i]), half);
    }
    for (const Change& change : resolved_.changes) {
      if (OnNpu(run_.nodes[static_cast<size_t>(change.node_index)].placement)) {
        run_.changes.push_back(change);
      }
    }
    // Constants in float that arrive as integers.
    absl::flat_hash_map<std::string_view, const Tensor*> constants;
    for (const Tensor& t : file_.tensors) {
      if (t.is_static && IsFloat(t.dtype)) constants.emplace(t.name, &t);
    }
    for (size_t k = 0; k < resolved_.graph->nodes.size() && resolved_.owned != nullptr; ++k) {
      const Node& op = resolved_.graph->nodes[k];
      const int32_t source = SourceOf(k);
      if (!OnNpu(run_.nodes[static_cast<size_t>(source)].placement)) continue;
      for (size_t p = 0; p < op.inputs.size(); ++p) {
        if (op.inputs[p] == kNoTensor) continue;
        const Tensor& t = resolved_.graph->tensors[static_cast<size_t>(op.inputs[p])];
        if (!t.is_static || !IsFixedPoint(t.dtype) || t.encoding->scales.empty()) continue;
        const auto at = constants.find(t.name);
        if (at == constants.end()) continue;
        Add(ChangeKind::kBias, source, fmt::format("in[{}]", p), t.name,
            std::string(DtypeName(at->second->dtype)),
            fmt::format("{}, scale {:.9g}{}", DtypeName(t.dtype), t.encoding->scales[0],
                        t.encoding->scales.size() > 1 ? " in channel 0" : ""));
      }
    }
    for (size_t i = 0; i < run_.nodes.size(); ++i) {
      const auto index = static_cast<int32_t>(i);
      if (run_.nodes[i].placement == Placement::kInto && resolved_.sources[i].shares_verdict) {
        const auto host = static_cast<size_t>(resolved_.sources[i].into);
        if (OnNpu(run_.nodes[host].placement)) {
          Add(ChangeKind::kFolded, index, "", "", "an op of its own",
              fmt::format("part of \"{}\"", file_.nodes[host].name));
        }
      }
      if (run_.nodes[i].placement == Placement::kFloat && !in_float[i] &&
          !run_.float_dtype.empty() && run_.float_dtype != "FLOAT_32" && !IsQuantizer(i)) {
        Add(ChangeKind::kHalf, index, "", "", "FLOAT_32", run_.float_dtype);
      }
    }
    std::stable_sort(run_.changes.begin(), run_.changes.end(),
                     [](const Change& a, const Change& b) { return a.node_index < b.node_index; });
  }

  // A Q or DQ that stands alone moves values between float and integers: no arithmetic of its own.
  bool IsQuantizer(size_t node) const {
    return run_.nodes[node].ops.size() == 1 &&
           opdb::Lists(document_["never_alone"], run_.nodes[node].ops[0]);
  }

  using Units = absl::InlinedVector<int32_t, 2>;
  // Who reads whom, seen through nodes that became part of others.
  struct Edges {
    std::vector<Units> sources, readers;
    std::vector<bool> counts;      // nodes that didn't become part of another
    std::vector<bool> reads_ends;  // it reads an input of the model
  };

  Edges FindEdges() const {
    const size_t count = file_.nodes.size();
    Edges edges{std::vector<Units>(count), std::vector<Units>(count), std::vector<bool>(count),
                std::vector<bool>(count)};
    // Nodes that a tensor of the file depends on, and whether an input of the model is among them.
    std::vector<Units> behind(file_.tensors.size());
    std::vector<bool> end(file_.tensors.size());
    for (const TensorId id : file_.inputs) end[static_cast<size_t>(id)] = true;
    for (size_t i = 0; i < count; ++i) {
      Units from;
      bool reads_end = false;
      for (const TensorId id : file_.nodes[i].inputs) {
        if (id == kNoTensor) continue;
        reads_end = reads_end || end[static_cast<size_t>(id)];
        for (const int32_t unit : behind[static_cast<size_t>(id)]) {
          if (std::find(from.begin(), from.end(), unit) == from.end()) from.push_back(unit);
        }
      }
      const bool absorbed = StateOf(i) == State::kAbsorbed;
      int32_t self = static_cast<int32_t>(i);
      if (absorbed && resolved_.sources[i].shares_verdict) self = resolved_.sources[i].into;
      if (!absorbed) {
        edges.counts[i] = true;
        edges.sources[i] = from;
        edges.reads_ends[i] = reads_end;
        for (const int32_t unit : from) edges.readers[static_cast<size_t>(unit)].push_back(self);
      }
      const bool transparent = absorbed && !resolved_.sources[i].shares_verdict;
      for (const TensorId id : file_.nodes[i].outputs) {
        if (id == kNoTensor) continue;
        behind[static_cast<size_t>(id)] = transparent ? from : Units{self};
        end[static_cast<size_t>(id)] = transparent && reads_end;
      }
    }
    return edges;
  }

  bool IsTaken(int32_t node) const {
    return OnNpu(run_.nodes[static_cast<size_t>(node)].placement);
  }

  // What isn't known may be accepted: nothing is said of a cut that is not certain.
  bool Cuts(int32_t node) const {
    return !IsTaken(node) && run_.nodes[static_cast<size_t>(node)].placement != Placement::kUnknown;
  }

  // What makes a constant for a node on the CPU is handed over too; with the level that it runs in.
  std::vector<std::pair<int32_t, int32_t>> ConstantMakers(const Edges& edges, const std::vector<int32_t>& level) const {
    std::vector<int32_t> latest(file_.tensors.size(), -1);
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      if (!edges.counts[i] || !Cuts(static_cast<int32_t>(i))) continue;
      for (const TensorId id : file_.nodes[i].inputs) {
        if (id != kNoTensor) latest[static_cast<size_t>(id)] = std::max(latest[static_cast<size_t>(id)], level[i]);
      }
    }
    std::vector<std::pair<int32_t, int32_t>> makers;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      const Node& node = file_.nodes[i];
      if (StateOf(i) != State::kAbsorbed || !node.inputs.empty() || node.outputs.size() != 1) continue;
      const int32_t at = latest[static_cast<size_t>(node.outputs[0])];
      if (at >= 0) makers.emplace_back(static_cast<int32_t>(i), at);
    }
    return makers;
  }

  // Nodes on the CPU that read a constant in integers: its Dequantize is handed over alone. A scalar comes behind a
  // Reshape, and of a node that is several ops another one may be what was refused.
  std::vector<int32_t> ReadersOfDequantizedConstants() const {
    std::vector<int32_t> readers;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      const RunNode& node = run_.nodes[i];
      if (node.placement != Placement::kCpu || node.ops.size() != 1) continue;
      if (std::any_of(file_.nodes[i].inputs.begin(), file_.nodes[i].inputs.end(), [&](TensorId id) {
            if (id == kNoTensor) return false;
            const Tensor& tensor = file_.tensors[static_cast<size_t>(id)];
            return tensor.is_static && IsFixedPoint(tensor.dtype) && tensor.rank() > 0;
          })) {
        readers.push_back(static_cast<int32_t>(i));
      }
    }
    return readers;
  }

  // All that can run as one without a cycle is one partition: what is left out on the way cuts
  // the graph into levels, counted from its end.
  void PartitionsByLevel() {
    const Edges edges = FindEdges();
    std::vector<int32_t> level(file_.nodes.size(), 0);
    for (size_t i = file_.nodes.size(); i-- > 0;) {
      const bool cuts = Cuts(static_cast<int32_t>(i));
      for (const int32_t reader : edges.readers[i]) {
        const int32_t cut = cuts && !Cuts(reader) ? 1 : 0;
        level[i] = std::max(level[i], level[static_cast<size_t>(reader)] + cut);
      }
    }
    struct Part {
      std::vector<int32_t> nodes;
      bool has_input = false;
    };
    std::map<int32_t, Part, std::greater<>> parts;  // in the order that they run in
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      const auto node = static_cast<int32_t>(i);
      if (!edges.counts[i] || !IsTaken(node)) continue;
      Part& part = parts[level[i]];
      part.nodes.push_back(node);
      part.has_input = part.has_input || edges.reads_ends[i] ||
                       std::any_of(edges.sources[i].begin(), edges.sources[i].end(),
                                   [&](int32_t source) {
                                     return !IsTaken(source) ||
                                            level[static_cast<size_t>(source)] != level[i];
                                   });
    }
    for (const auto& [node, at] : ConstantMakers(edges, level)) {
      if (!parts.contains(at)) without_input_.push_back(node);
    }
    for (const auto& [at, part] : parts) {
      for (const int32_t node : part.nodes) {
        run_.nodes[static_cast<size_t>(node)].partition = static_cast<int32_t>(run_.partitions.size());
      }
      run_.partitions.push_back(
          {static_cast<int32_t>(part.nodes.size()), part.nodes.front(), part.nodes.back()});
      if (!part.has_input) without_input_.insert(without_input_.end(), part.nodes.begin(), part.nodes.end());
    }
  }

  // Those that read a constant whose Dequantize belongs to nothing: it is ready before everything else.
  std::vector<int32_t> ReadersOfSeparateConstants() const {
    std::vector<bool> dequantized(file_.tensors.size());
    std::vector<int32_t> readers;
    for (size_t i = 0; i < resolved_.sources.size(); ++i) {
      const Node& node = file_.nodes[i];
      if (resolved_.sources[i].separate_constant && StateOf(i) != State::kRefused) {
        dequantized[static_cast<size_t>(node.outputs[0])] = true;
      }
      if (std::any_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
            return id != kNoTensor && dequantized[static_cast<size_t>(id)];
          })) {
        readers.push_back(static_cast<int32_t>(i));
      }
    }
    return readers;
  }

  // The graph is cut as the tool does it: in topological order a partition gets all nodes for the
  // NPU that become ready; an unsupported one that reads of the partition waits until it is closed.
  void PartitionsInOrder() {
    const size_t count = file_.nodes.size();
    const Edges edges = FindEdges();
    const std::vector<Units>& readers = edges.readers;
    std::vector<int32_t> waiting(count, 0);
    std::deque<int32_t> ready, next;
    for (size_t i = 0; i < count; ++i) {
      waiting[i] = static_cast<int32_t>(edges.sources[i].size());
      if (edges.counts[i] && waiting[i] == 0) ready.push_back(static_cast<int32_t>(i));
    }
    std::vector<int32_t> partition;
    // The partition that the node reads of: the first one where a constant is dequantized for it.
    std::vector<int32_t> border(count, -1);
    for (const int32_t reader : ReadersOfSeparateConstants()) border[static_cast<size_t>(reader)] = 0;
    int32_t number = 0;
    const auto close = [&] {
      ++number;
      const bool single = partition.size() == 1 && IsQuantizer(static_cast<size_t>(partition[0]));
      if (!partition.empty() && !single) {
        const auto [first, last] = std::minmax_element(partition.begin(), partition.end());
        for (const int32_t node : partition) {
          run_.nodes[static_cast<size_t>(node)].partition = static_cast<int32_t>(run_.partitions.size());
        }
        run_.partitions.push_back({static_cast<int32_t>(partition.size()), *first, *last});
      }
      partition.clear();
    };
    while (!ready.empty() || !next.empty()) {
      if (ready.empty()) {
        close();
        ready.swap(next);
        continue;
      }
      const int32_t node = ready.front();
      ready.pop_front();
      const auto at = static_cast<size_t>(node);
      const bool taken = OnNpu(run_.nodes[at].placement);
      if (!taken && border[at] == number) {
        next.push_back(node);
        continue;
      }
      if (taken) partition.push_back(node);
      for (const int32_t reader : readers[at]) {
        if (taken) border[static_cast<size_t>(reader)] = number;
        if (--waiting[static_cast<size_t>(reader)] == 0) ready.push_back(reader);
      }
    }
    close();
  }

  void Session() {
    const opdb::Tree fatal = document_["session_failure"];
    const auto kill = [&](std::string why, auto&& holds) {
      for (size_t i = 0; i < run_.nodes.size(); ++i) {
        if (holds(i)) run_.session_killers.push_back(static_cast<int32_t>(i));
      }
      if (!run_.session_killers.empty()) run_.session_fails = std::move(why);
    };
    kill("graph preparation fails", [&](size_t i) {
      return report_.nodes[i].verdict == Consequence::kPrepareFails &&
             StateOf(i) != State::kAbsorbed;
    });
    if (!run_.session_killers.empty()) return;
    if (!without_input_.empty()) {
      run_.session_killers = without_input_;
      run_.session_fails = std::string(document_["partitions"]["constants_alone"].str());
      return;
    }
    if (const opdb::Tree why = document_["partitions"]["dequantized_constants"]) {
      run_.session_killers = ReadersOfDequantizedConstants();
      if (!run_.session_killers.empty()) {
        run_.session_fails = std::string(why.str());
        return;
      }
    }
    std::vector<bool> refused_before(run_.nodes.size());
    for (const Finding& f : report_.findings) {
      if (f.node_index < 0 || f.consequence != Consequence::kRejected) continue;
      const auto i = static_cast<size_t>(f.node_index);
      // A finding without a constraint is the tool's own refusal.
      if ((f.constraint.empty() && (resolved_.sources.empty() || !resolved_.sources[i].fatal)) ||
          opdb::Lists(fatal["unless_refused_by"], f.rule->slug)) {
        refused_before[i] = true;
      }
    }
    const auto listed = [&](size_t i) {
      const RunNode& node = run_.nodes[i];
      return std::any_of(node.ops.begin(), node.ops.end(),
                         [&](const std::string& op) { return opdb::Lists(fatal["ops"], op); });
    };
    kill(std::string(fatal["reason"].str()), [&](size_t i) {
      return run_.nodes[i].placement == Placement::kCpu && !refused_before[i] && listed(i);
    });
    if (!run_.session_killers.empty() || resolved_.sources.empty()) return;
    kill("what belongs to it was handed over before it was refused", [&](size_t i) {
      return run_.nodes[i].placement == Placement::kCpu && resolved_.sources[i].fatal && !listed(i);
    });
  }

  opdb::Tree document_;
  const Model& file_;
  const Resolved& resolved_;
  const Report& report_;
  AsRun run_;
  absl::flat_hash_map<SharedString, Dtype> quantized_;
  std::vector<int32_t> without_input_;  // nodes of partitions that read constants alone
};

}  // namespace

AsRun DescribeRun(opdb::Tree route, const Model& file, const Resolved& resolved, const Report& report) {
  return Describer(route, file, resolved, report).Run();
}

}  // namespace quantgate
