// "Did you mean": known names close to one that isn't known.
#ifndef QUANTGATE_CORE_BASE_NEAREST_H_
#define QUANTGATE_CORE_BASE_NEAREST_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quantgate {

// Number of single-character edits (insert, delete, replace, swap of neighbours) between `a`
// and `b`, ASCII case ignored; stops counting above `limit` and returns limit + 1.
size_t EditDistance(std::string_view a, std::string_view b, size_t limit);

// At most `count` of `candidates`, nearest first, equal ones in the order given. A candidate is
// near when at most a third of `name` has to change (at least 1, at most 4 characters), or when
// one of both is the beginning of the other and 3 characters or longer.
std::vector<std::string> Nearest(std::string_view name,
                                 std::span<const std::string_view> candidates, size_t count = 3);

// " (did you mean A, B or C?)", or "" when nothing is near. Ready to follow a message.
std::string DidYouMean(std::string_view name, std::span<const std::string_view> candidates);

// For any range of string-likes.
template <typename Range>
std::string DidYouMeanOf(std::string_view name, const Range& candidates) {
  const std::vector<std::string_view> views(std::begin(candidates), std::end(candidates));
  return DidYouMean(name, std::span<const std::string_view>(views));
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_NEAREST_H_
