// The parts that the report for people is put together from.
#ifndef QUANTGATE_CORE_REPORT_TEXT_PARTS_H_
#define QUANTGATE_CORE_REPORT_TEXT_PARTS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/checked.h"
#include "quantgate/report.h"
#include "quantgate/report_text.h"
#include "quantgate/text.h"

namespace quantgate {

// Columns of "  found    ".
inline constexpr size_t kLabelColumns = 11;

Style StyleOf(Consequence consequence);

// A kind of finding, or nodes that nothing is known of.
struct TextPart {
  std::string full;       // a block that ends in an empty line
  std::string brief;      // a line or two; empty in a verbose report
  size_t findings = 0;    // that it stands for
  std::string_view code;  // of their rule; empty for nodes
};

// Worst first. `checked` may be null: all findings count.
std::vector<TextPart> FindingParts(const Report& report, const Checked* checked,
                                   const TextOptions& options);

// What follows the findings: tables and counts, and in one line what comes of them.
std::string SummaryText(const Report& report, const Checked* checked, const TextOptions& options);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_TEXT_PARTS_H_
