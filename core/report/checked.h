// A report with what else a reporter may show: which findings don't count, and the graph.
#ifndef QUANTGATE_CORE_REPORT_CHECKED_H_
#define QUANTGATE_CORE_REPORT_CHECKED_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// Why a finding doesn't count. Levels and the exit status follow it, verdicts don't.
struct Suppression {
  enum class By : uint8_t { kNone, kConfigured, kBaseline };
  By by = By::kNone;
  std::string reason;
};
std::string_view SuppressionName(Suppression::By by);  // "", "configured", "baseline"

// What the backend gets at the end of the route, for pictures.
struct CheckedGraph {
  Model model;
  std::vector<int32_t> source;  // per model.nodes: into Report::nodes
};

struct Checked {
  Report report;
  std::vector<Suppression> suppressions;  // per finding; empty = all count
  int64_t hidden = 0;  // findings that a selection of rules took out of the report
  // Per node of the report its line in the model file; empty = unknown, as in binary files.
  std::vector<int32_t> lines;
  // Per node of the report the names of its outputs; empty = not asked for.
  std::vector<std::vector<std::string>> outputs;
  std::optional<CheckedGraph> graph;

  // Null for a finding that counts.
  const Suppression* SuppressionOf(const Finding& finding) const;
  bool Counts(const Finding& finding) const { return SuppressionOf(finding) == nullptr; }
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_CHECKED_H_
