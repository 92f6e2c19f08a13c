// A report with what stands around it: which findings don't count, and what some formats show
// besides the report.
#ifndef QUANTGATE_CHECKED_H_
#define QUANTGATE_CHECKED_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/export.h"
#include "quantgate/lower.h"
#include "quantgate/report.h"

namespace QUANTGATE_EXPORT quantgate {

// Why a finding doesn't count. Levels and the exit status follow it, verdicts don't.
struct Suppression {
  enum class By : uint8_t { kNone, kConfigured, kBaseline };
  By by = By::kNone;
  std::string reason;
};
std::string_view SuppressionName(Suppression::By by);  // "", "configured", "baseline"

// Checked{validator.Check(model)} is one where all findings count. A Policy (policy.h) fills in
// suppressions and hidden; who prints it fills in what ReportNeeds (report_formats.h) names.
struct Checked {
  Report report;
  std::vector<Suppression> suppressions = {};  // per finding; empty = all count
  int64_t hidden = 0;  // findings that a selection of rules took out of the report
  // Per node of the report its line in the model file (NodeLines() of reader.h); empty = unknown,
  // as in binary files.
  std::vector<int32_t> lines = {};
  // What Lower() makes of the model, for pictures, and per node of the report the names of its
  // outputs, by which viewers know it. Empty = not needed.
  std::optional<LoweredGraph> graph = {};
  std::vector<std::vector<std::string>> outputs = {};

  // Null for a finding that counts. `finding` is one of report.findings.
  const Suppression* SuppressionOf(const Finding& finding) const;
  bool Counts(const Finding& finding) const { return SuppressionOf(finding) == nullptr; }
};

}  // namespace quantgate

#endif  // QUANTGATE_CHECKED_H_
