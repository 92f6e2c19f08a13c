// What `quantgate fix` reports: as text, as a diff, as JSON.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_FIX_REPORT_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_FIX_REPORT_H_

#include <optional>
#include <string>

#include "quantgate/compare_runs.h"
#include "quantgate/fix.h"
#include "tools/quantgate/verify/fix_verify.h"

namespace quantgate::cli {

struct FixSummary {
  std::string input, output;  // files; `output` empty = nothing is written
  const FixResult& result;
  std::optional<RunComparison> verification{};
};

struct FixTextOptions {
  bool color = false;
  int width = 100;
  bool diff = false;  // every change, before and after
};

std::string FixText(const FixSummary& reported, const FixTextOptions& options);
// docs/guide/fix.md describes it. Ends with a line feed.
std::string FixJson(const FixSummary& reported);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_FIX_REPORT_H_
