#include "tools/opdefc/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"

namespace quantgate::opdefs {
namespace {

constexpr size_t kContext = 3;
constexpr size_t kMostCells = size_t{16} << 20;  // of the table; larger parts are replaced whole

using Lines = std::vector<std::string_view>;

struct Step {
  char what;  // ' ', '-', '+'
  std::string_view line;
};

Lines Split(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

// The shortest way from `a` to `b`, by the longest common subsequence of their lines.
void Middle(const Lines& a, const Lines& b, std::vector<Step>& steps) {
  if ((a.size() + 1) * (b.size() + 1) > kMostCells) {
    for (const auto line : a) steps.push_back({'-', line});
    for (const auto line : b) steps.push_back({'+', line});
    return;
  }
  const size_t width = b.size() + 1;
  std::vector<uint32_t> common((a.size() + 1) * width);  // of a[i..] and b[j..]
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      common[i * width + j] =
          a[i] == b[j] ? common[(i + 1) * width + j + 1] + 1
                       : std::max(common[(i + 1) * width + j], common[i * width + j + 1]);
    }
  }
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      steps.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() ||
               (i < a.size() && common[(i + 1) * width + j] >= common[i * width + j + 1])) {
      steps.push_back({'-', a[i++]});
    } else {
      steps.push_back({'+', b[j++]});
    }
  }
}

std::vector<Step> StepsOf(const Lines& a, const Lines& b) {
  size_t head = 0, tail = 0;
  const size_t shorter = std::min(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  std::vector<Step> steps;
  for (size_t i = 0; i < head; ++i) steps.push_back({' ', a[i]});
  const auto part = [&](const Lines& of) {
    return Lines(of.begin() + static_cast<std::ptrdiff_t>(head),
                 of.end() - static_cast<std::ptrdiff_t>(tail));
  };
  Middle(part(a), part(b), steps);
  for (size_t i = a.size() - tail; i < a.size(); ++i) steps.push_back({' ', a[i]});
  return steps;
}

std::string RangeOf(size_t first, size_t count) {
  // An empty range is named by the line before it.
  return absl::StrCat(count == 0 ? first : first + 1, count == 1 ? "" : absl::StrCat(",", count));
}

}  // namespace

std::string UnifiedDiff(std::string_view before, std::string_view after, std::string_view name) {
  const std::vector<Step> steps = StepsOf(Split(before), Split(after));
  std::string out;
  size_t old_line = 0, new_line = 0, at = 0;  // lines and steps before the hunk
  while (true) {
    size_t change = at;
    while (change < steps.size() && steps[change].what == ' ') ++change;
    if (change == steps.size()) break;
    const size_t begin = std::max(at, change - std::min(change, kContext));
    old_line += begin - at;
    new_line += begin - at;
    // Up to the last change that has no more than twice the context between it and the one before.
    size_t end = change + 1;
    for (size_t i = end; i < steps.size() && i <= end + 2 * kContext; ++i) {
      if (steps[i].what != ' ') end = i + 1;
    }
    end = std::min(steps.size(), end + kContext);
    size_t removed = 0, added = 0;
    std::string lines;
    for (size_t i = begin; i < end; ++i) {
      removed += steps[i].what != '+' ? 1 : 0;
      added += steps[i].what != '-' ? 1 : 0;
      absl::StrAppend(&lines, std::string(1, steps[i].what), Absl(steps[i].line));
      if (!steps[i].line.ends_with('\n')) {
        absl::StrAppend(&lines, "\n\\ No newline at end of file\n");
      }
    }
    if (out.empty()) out = absl::StrCat("--- a/", Absl(name), "\n+++ b/", Absl(name), "\n");
    absl::StrAppend(&out, "@@ -", RangeOf(old_line, removed), " +", RangeOf(new_line, added),
                    " @@\n", lines);
    old_line += removed;
    new_line += added;
    at = end;
  }
  return out;
}

}  // namespace quantgate::opdefs
