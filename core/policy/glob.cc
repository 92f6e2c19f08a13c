#include "core/policy/glob.h"

#include <cstddef>

namespace quantgate {

bool GlobMatches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0;
  // The last star and where the text went on after it: only that one is ever tried again.
  size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace quantgate
