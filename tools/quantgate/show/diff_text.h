// A diff as release notes: for a terminal, as Markdown, as a page.
#ifndef QUANTGATE_TOOLS_QUANTGATE_SHOW_DIFF_TEXT_H_
#define QUANTGATE_TOOLS_QUANTGATE_SHOW_DIFF_TEXT_H_

#include <string>
#include <vector>

#include "quantgate/diff.h"
#include "tools/quantgate/cli/view_flags.h"

namespace quantgate::cli {

// Numbers of a diff, for its head.
struct DiffCounts {
  size_t ops_added = 0, ops_removed = 0, ops_changed = 0, gained = 0, lost = 0;
  size_t rows_added = 0, rows_removed = 0, tightened = 0, loosened = 0;
  size_t by_measuring = 0;  // of rows and constraints, between SDKs
};
DiffCounts Count(const Diff& diff);

// "htp: SDK 2.25 → 2.51, every arch"
std::string DiffTitle(const Diff& diff);
// "a, b and c added" in words of a user: what a change means.
std::string ChangeText(const Diff::Change& change);
std::string GainText(const Diff::Gain& gain);

// `full` lists what only measuring found, too; else it is counted op by op.
std::string DiffText(const Diff& diff, bool full, const Paper& paper);
std::string DiffMarkdown(const Diff& diff, bool full);
std::string DiffHtml(const Diff& diff);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_SHOW_DIFF_TEXT_H_
