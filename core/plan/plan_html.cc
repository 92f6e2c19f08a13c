// The picture of a plan: a strip with the precision of each node, and the nodes as a table.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "quantgate/plan.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Nodes of the strip and the table; of a larger model those that are not as wished come first.
constexpr size_t kMostCells = 4000;
constexpr size_t kMostRows = 2000;

std::string Html(std::string_view text) {
  std::string escaped;
  for (const char c : Printable(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string Precision(const PlannedNode& node) {
  if (node.fit == PlanFit::kRefused) return "CPU";
  if (node.fit == PlanFit::kUnchecked) return "unchecked";
  for (const PlannedOp& op : node.ops) {
    if (!op.precision.empty()) return op.precision.str();
  }
  return "plain";
}

// "p-16a8w"
std::string Class(const PlannedNode& node) {
  return fmt::format("p-{} f-{}", Html(Precision(node)), PlanFitName(node.fit));
}

// What the colours of the strip stand for.
std::string Legend(const Plan& plan) {
  std::map<std::string, int64_t> counts;
  for (const PlannedNode& node : plan.nodes) {
    if (node.into.empty()) ++counts[Precision(node)];
  }
  std::string legend = "<p class=\"soft\">";
  for (const auto& [precision, count] : counts) {
    legend += fmt::format("<i class=\"key p-{0}\"></i>{0} ({1}) &nbsp; ", Html(precision), count);
  }
  return legend + "outlined: not as wished</p>\n";
}

}  // namespace

std::string PlanHtmlBody(const Plan& plan) {
  std::string body = fmt::format(
      "<div class=\"page\"><header><h1>{}</h1>\n<p class=\"soft\">Quantization plan: {}{} · {} · "
      "SDK "
      "{} · {}{}</p></header>\n",
      Html(plan.model), Html(plan.precision),
      plan.weights.empty() ? "" : ", weights " + Html(plan.weights), Html(plan.backend),
      Html(plan.sdk), Html(plan.arch), plan.soc.empty() ? "" : " · " + Html(plan.soc));
  body += "<p>";
  for (int i = 0; i < kPlanFitCount; ++i) {
    const auto fit = static_cast<PlanFit>(i);
    if (plan.count(fit) == 0) continue;
    std::string words(PlanFitName(fit));
    std::replace(words.begin(), words.end(), '_', ' ');
    body += fmt::format("<span class=\"chip f-{}\">{} {}</span> ", PlanFitName(fit),
                        plan.count(fit), words);
  }
  body += fmt::format(
      "<span class=\"chip\">{} Converts</span></p>\n<div class=\"strip\" "
      "role=\"img\" aria-label=\"Precision of each node\">",
      plan.converts.size());
  size_t cells = 0;
  for (const PlannedNode& node : plan.nodes) {
    if (!node.into.empty() || cells++ >= kMostCells) continue;
    body += fmt::format("<i class=\"{}\" title=\"{} ({}): {}\"></i>", Class(node), Html(node.name),
                        Html(node.op), Html(Precision(node)));
  }
  body += "</div>\n" + Legend(plan);
  body +=
      "<div class=\"wide\"><table><thead><tr><th>node</th><th>op</th><th>precision</th>"
      "<th>row</th><th>why not as wished</th></tr></thead><tbody>\n";
  size_t rows = 0;
  for (const bool wanting : {true, false}) {
    for (const PlannedNode& node : plan.nodes) {
      if (!node.into.empty() || (node.fit >= PlanFit::kNearest) != wanting) continue;
      if (rows++ >= kMostRows) break;
      body += fmt::format(
          "<tr class=\"{}\"><td class=\"name\">{}</td><td>{}</td><td><i class=\"key\"></i>{}</td>"
          "<td>{}</td><td>{}</td></tr>\n",
          Class(node), Html(node.name), Html(node.op), Html(Precision(node)),
          node.ops.empty() ? "" : Html(node.ops[0].row), Html(node.reason));
    }
  }
  return body + "</tbody></table></div></div>";
}

}  // namespace quantgate
