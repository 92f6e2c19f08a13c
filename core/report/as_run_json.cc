#include "core/report/as_run_json.h"

#include <string>
#include <vector>

namespace quantgate {

nlohmann::ordered_json AsRunJson(const Report& report) {
  using Json = nlohmann::ordered_json;
  const AsRun& run = *report.as_run;
  const auto name = [&](int32_t node) { return report.nodes[static_cast<size_t>(node)].name; };
  Json session = {{"made", run.session_fails.empty()}};
  if (!run.session_fails.empty()) {
    session["reason"] = run.session_fails;
    session["nodes"] = Json::array();
    for (const int32_t node : run.session_killers) session["nodes"].push_back(name(node));
  }
  Json placements = Json::object();
  for (int i = 0; i < kPlacementCount; ++i) {
    placements[std::string(PlacementName(static_cast<Placement>(i)))] =
        run.placements[static_cast<size_t>(i)];
  }
  Json partitions = Json::array();
  for (const Partition& partition : run.partitions) {
    partitions.push_back(
        {{"nodes", partition.nodes}, {"first", name(partition.first)}, {"last", name(partition.last)}});
  }
  Json nodes = Json::array();
  for (size_t i = 0; i < run.nodes.size(); ++i) {
    const RunNode& node = run.nodes[i];
    Json json = {{"node", report.nodes[i].name},
                 {"placement", PlacementName(node.placement)},
                 {"ops", node.ops}};
    if (node.partition >= 0) json["partition"] = node.partition;
    nodes.push_back(std::move(json));
  }
  Json changes = Json::array();
  for (const Change& change : run.changes) {
    changes.push_back({{"kind", ChangeKindName(change.kind)},
                       {"node", name(change.node_index)},
                       {"port", change.port},
                       {"tensor", change.tensor},
                       {"written", change.written},
                       {"runs", change.runs}});
  }
  return {{"session", std::move(session)},       {"floatDtype", run.float_dtype},
          {"placements", std::move(placements)}, {"partitions", std::move(partitions)},
          {"changes", std::move(changes)},       {"nodes", std::move(nodes)}};
}

}  // namespace quantgate
