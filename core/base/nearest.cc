#include "core/base/nearest.h"

#include <algorithm>
#include <utility>

namespace quantgate {
namespace {

// Names longer than this are cut: nobody mistypes one, and the work stays bounded.
constexpr size_t kMaxCompared = 128;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool StartsWith(std::string_view text, std::string_view start) {
  return start.size() <= text.size() &&
         std::equal(start.begin(), start.end(), text.begin(),
                    [](char x, char y) { return Lower(x) == Lower(y); });
}

}  // namespace

size_t EditDistance(std::string_view a, std::string_view b, size_t limit) {
  a = a.substr(0, kMaxCompared);
  b = b.substr(0, kMaxCompared);
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > limit) return limit + 1;
  // Three rows of the table: swaps look two rows back.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    size_t best = row[0];
    for (size_t j = 1; j <= b.size(); ++j) {
      const char x = Lower(a[i - 1]);
      const char y = Lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (x == y ? 0 : 1)});
      if (i > 1 && j > 1 && x == Lower(b[j - 2]) && Lower(a[i - 2]) == y) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
      best = std::min(best, row[j]);
    }
    if (best > limit) return limit + 1;
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], limit + 1);
}

std::vector<std::string> Nearest(std::string_view name,
                                 std::span<const std::string_view> candidates, size_t count) {
  const size_t limit = std::clamp<size_t>(name.size() / 3, 1, 4);
  std::vector<std::pair<size_t, std::string_view>> near;
  for (const std::string_view candidate : candidates) {
    size_t distance = EditDistance(name, candidate, limit);
    if (distance > limit) {
      const bool begins = (name.size() >= 3 && StartsWith(candidate, name)) ||
                          (candidate.size() >= 3 && StartsWith(name, candidate));
      if (!begins) continue;
    }
    near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (const auto& [distance, candidate] : near) {
    if (names.size() == count) break;
    if (std::find(names.begin(), names.end(), candidate) == names.end()) {
      names.emplace_back(candidate);
    }
  }
  return names;
}

std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates) {
  const std::vector<std::string> names = Nearest(name, candidates);
  if (names.empty()) return "";
  std::string text = " (did you mean ";
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text + "?)";
}

}  // namespace quantgate
