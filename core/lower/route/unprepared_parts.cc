#include "core/lower/route/unprepared_parts.h"

#include <utility>

#include "core/database/conditions.h"
#include "quantgate/rule.h"

namespace quantgate {

int32_t SourceOf(const Resolved& resolved, size_t op) {
  return resolved.op_source.empty() ? static_cast<int32_t>(op) : resolved.op_source[op];
}

bool IsOutside(const Resolved& resolved, const Report& report, size_t op) {
  const Consequence verdict =
      report.nodes[static_cast<size_t>(SourceOf(resolved, op))].verdict;
  return verdict == Consequence::kRejected || verdict == Consequence::kUnchecked;
}

bool HasDtype(opdb::Tree dtypes, const Model& graph, absl::Span<const TensorId> ports) {
  if (!dtypes) return true;
  return !ports.empty() && ports[0] != kNoTensor &&
         opdb::Lists(dtypes, DtypeName(graph.tensors[static_cast<size_t>(ports[0])].dtype));
}

Finding& AddFailure(Finding finding, size_t op, const Resolved& resolved, Report& report) {
  finding.node_index = SourceOf(resolved, op);
  NodeReport& node = report.nodes[static_cast<size_t>(finding.node_index)];
  finding.node = node.name;
  finding.op = resolved.graph->nodes[op].op;
  node.verdict = Worse(node.verdict, finding.consequence);
  return report.findings.emplace_back(std::move(finding));
}

const Ends& EndsByName::Of(std::string_view name) {
  static constexpr Ends kNone;
  if (!filled_) Fill();
  const auto at = ends_.find(name);
  return at == ends_.end() ? kNone : at->second;
}

int32_t EndsByName::OnlyReader(std::string_view name) {
  const Ends& ends = Of(name);
  return ends.readers == 1 ? ends.reader : -1;
}

void EndsByName::Fill() {
  filled_ = true;
  const auto of = [this](TensorId id) -> Ends& {
    return ends_[graph_.tensors[static_cast<size_t>(id)].name];
  };
  absl::flat_hash_map<std::string_view, TensorId> read_as;
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      Ends& ends = of(id);
      read_as.emplace(graph_.tensors[static_cast<size_t>(id)].name, id);
      ends.reader = static_cast<int32_t>(i);
      ++ends.readers;
    }
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) of(id).maker = static_cast<int32_t>(i);
    }
  }
  for (const TensorId id : graph_.outputs) {
    if (id == kNoTensor) continue;
    // One that ops read in another layout only is no end.
    const auto read = read_as.find(graph_.tensors[static_cast<size_t>(id)].name);
    if (read == read_as.end() || read->second == id) ++of(id).readers;
  }
}

}  // namespace quantgate
