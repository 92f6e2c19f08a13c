// What resolve makes of a Model and routes change: QNN ops with encodings, and which node of
// the file each of them serves.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_RESOLVED_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_RESOLVED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/database/view.h"
#include "core/ir/file_layout.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// One node of the file.
struct SourceNode {
  enum class State : uint8_t {
    kOps,        // became one or more ops of the graph (maybe one that serves several nodes)
    kAbsorbed,   // became part of another node: encoding, static tensor, fused activation
    kUnchecked,  // nothing is known: `reason`
    kRefused,    // no QNN op stands for it: its finding is in `findings`
  };
  State state = State::kOps;
  // kAbsorbed: the node that took it in (index into the file's nodes), -1 = none (a graph end).
  int32_t into = -1;
  // kAbsorbed: true = shares the verdict of `into` (a fused Relu), false = `accepted` (a Q/DQ).
  bool shares_verdict = false;
  // kAbsorbed: dequantizes a constant, and nothing that it belongs to is translated with it.
  bool separate_constant = false;
  // kRefused: too late for another side to take it (routes: `fatal`).
  bool fatal = false;
  // kOps: the route builds it from other ops; what is known of it is in `findings`.
  bool replaced = false;
  SharedString reason;
};

struct Resolved {
  // The QNN graph, never null. Not owned: the validator's input itself where nothing had to be
  // resolved, else `owned`.
  const Model* graph = nullptr;
  const Model* file = nullptr;  // what was resolved; not owned
  std::unique_ptr<Model> owned;
  std::vector<int32_t> op_source;   // per graph->nodes: the file node it serves; empty = identity
  std::vector<SourceNode> sources;  // per node of the file; empty = all kOps
  FileLayouts layout;  // of tensors of the graph
  // Per tensor of the graph that shows another one in another layout or shape: that one, which shows none.
  absl::flat_hash_map<TensorId, TensorId> view_of;
  // Per tensor of the graph that stands for an end of the file, with the Quantize or Dequantize
  // between them merged into it: that end, a tensor of the file.
  absl::flat_hash_map<TensorId, TensorId> end_of;
  // Found on the way (QG1xx, QG6xx), node_index and the texts set; levels are set later.
  std::vector<Finding> findings;
  // The same on some archs only, which `archs` lists.
  std::vector<std::pair<opdb::Tree, Finding>> arch_findings;
  // What the route changes, where it is more than a finding.
  std::vector<Change> changes;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_RESOLVED_H_
