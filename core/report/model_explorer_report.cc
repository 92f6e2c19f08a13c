// Custom node data of Model Explorer: a value and a colour per node, found in the viewer's graph
// by the node's id (the name of an ONNX or torch.fx node) or by the name of an output tensor.
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/reporters.h"
#include "core/report/words.h"

namespace quantgate {
namespace {

// Sorted by key: the ordered kind looks keys up one after the other.
using SortedJson = nlohmann::json;

// Background and text; the page of `--format html` uses the same hues.
std::pair<std::string_view, std::string_view> ColorsOf(Consequence verdict) {
  switch (verdict) {
    case Consequence::kRejected:
      return {"#c62838", "#ffffff"};
    case Consequence::kPrepareFails:
      return {"#d9480f", "#ffffff"};
    case Consequence::kWrongValues:
      return {"#9c36b5", "#ffffff"};
    case Consequence::kAltered:
      return {"#f2b01e", "#1c1c1c"};
    case Consequence::kUndocumented:
      return {"#4c8df6", "#ffffff"};
    case Consequence::kAdvice:
      return {"#66d9e8", "#1c1c1c"};
    case Consequence::kAccepted:
      return {"#d3f0dc", "#1c1c1c"};
    case Consequence::kUnchecked:
      return {"#adb5bd", "#1c1c1c"};
  }
  return {};
}

// The verdict and the rules that make it: "rejected QG301 QG305".
std::vector<std::string> Values(const Report& report) {
  std::vector<std::set<std::string_view>> codes(report.nodes.size());
  for (const Finding& finding : report.findings) {
    const auto node = static_cast<size_t>(finding.node_index);
    if (finding.node_index >= 0 && node < codes.size() &&
        finding.consequence == report.nodes[node].verdict) {
      codes[node].insert(finding.rule->code);
    }
  }
  std::vector<std::string> values;
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    std::string value(ConsequenceName(report.nodes[i].verdict));
    for (const std::string_view code : codes[i]) value += " " + std::string(code);
    values.push_back(std::move(value));
  }
  return values;
}

SortedJson GraphData(const Checked& checked) {
  const Report& report = checked.report;
  const std::vector<std::string> values = Values(report);
  SortedJson results = SortedJson::object();
  for (size_t i = 0; i < report.nodes.size(); ++i) {
    const NodeReport& node = report.nodes[i];
    const auto [background, text] = ColorsOf(node.verdict);
    const SortedJson result = {{"value", values[i]}, {"bgColor", background}, {"textColor", text}};
    // A tensor may have the name of another node, whose own verdict counts.
    if (i < checked.outputs.size()) {
      for (const std::string& output : checked.outputs[i]) results.emplace(output, result);
    }
    results[node.name] = result;
  }
  return {{"results", std::move(results)},
          {"showExpandedSummaryOnGroupNode", true},
          {"showLabelCountColumnsInChildrenStatsTable", true}};
}

class ModelExplorerReporter : public Reporter {
 public:
  explicit ModelExplorerReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    SortedJson data = GraphData(checked);
    if (report.model == options_.only) {
      graphs_ = std::move(data);
    } else {
      graphs_[report.model] = std::move(data);
    }
    return "";
  }

  std::string AddUnreadable(std::string_view, std::string_view, std::string_view) override {
    return "";
  }

  std::string Finish() override {
    return graphs_.dump(1, ' ', false, SortedJson::error_handler_t::replace) + "\n";
  }

 private:
  const ReporterOptions options_;
  // Data of the graph, or of each graph by its id.
  SortedJson graphs_ = SortedJson::object();
};

}  // namespace

std::unique_ptr<Reporter> MakeModelExplorerReporter(const ReporterOptions& options) {
  return std::make_unique<ModelExplorerReporter>(options);
}

}  // namespace quantgate
