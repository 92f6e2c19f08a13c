#include "tools/opdefc/comments.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "tools/opdefc/layout.h"

namespace quantgate::opdefs {
namespace {

bool EndsWithBlockMark(std::string_view line) {
  std::string_view text = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  while (!text.empty() && (text.back() == '+' || text.back() == '-')) text.remove_suffix(1);
  return text.ends_with(": |") || text.ends_with(": >") || text.ends_with("- |") ||
         text.ends_with("- >");
}

// Whether a value may begin after `before`: a quotation mark within plain text opens nothing.
bool AtValue(std::string_view before) {
  const size_t last = before.find_last_not_of(" \t");
  if (last == before.npos) return true;
  const std::string_view openers = last + 1 < before.size() ? "[{,:-?" : "[{,";
  return openers.find(before[last]) != openers.npos;
}

}  // namespace

size_t CommentAt(std::string_view line, char& quote) {
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == '"' && c == '\\') {
      ++i;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '#' && (i == 0 || absl::ascii_isspace(line[i - 1]))) {
      return i;
    } else if ((c == '"' || c == '\'') && AtValue(line.substr(0, i))) {
      quote = c;
    }
  }
  return std::string_view::npos;
}

Comments ReadComments(std::string_view text, std::string_view file, Errors& errors) {
  Comments comments;
  char quote = 0;
  int number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    const size_t comment = CommentAt(line, quote);
    if (quote == 0 && EndsWithBlockMark(line.substr(0, comment))) {
      errors.Add(file, number, 1, "block scalars are not laid out: write the text in quotes");
    }
    if (comment == line.npos) continue;
    const std::string_view words =
        line.substr(comment, line.find_last_not_of(" \t\r") + 1 - comment);
    const bool alone = line.find_first_not_of(" \t") == comment;
    (alone ? comments.own : comments.behind)[number] = std::string(words);
  }
  return comments;
}

void PlaceComments(Comments& comments, std::vector<Block>& blocks) {
  std::vector<std::vector<std::string>> above(blocks.size());
  const auto at_or_before = [&](int line) {
    const auto it = std::upper_bound(blocks.begin(), blocks.end(), line,
                                     [](int l, const Block& block) { return l < block.first; });
    return static_cast<size_t>(it - blocks.begin());  // one past the block
  };
  std::erase_if(comments.own, [&](const auto& entry) {
    size_t index = at_or_before(entry.first);
    if (index == 0) return false;
    // Within a value it goes above it, else it speaks of what follows.
    if (entry.first <= blocks[index - 1].last) --index;
    if (index == blocks.size()) return false;
    above[index].push_back(entry.second);
    return true;
  });
  std::vector<std::string> behind(blocks.size());
  std::erase_if(comments.behind, [&](const auto& entry) {
    size_t index = at_or_before(entry.first);
    if (index == 0) return false;
    // Of several that began on one line the first holds the others.
    while (index > 1 && blocks[index - 2].first == blocks[index - 1].first) --index;
    absl::StrAppend(&behind[index - 1], "  ", entry.second);
    return true;
  });
  for (size_t i = 0; i < blocks.size(); ++i) {
    Block& block = blocks[i];
    if (!behind[i].empty() && Width(block.lines.back()) + Width(behind[i]) > kColumns) {
      above[i].push_back(behind[i].substr(2));
    } else {
      block.lines.back() += behind[i];
    }
    for (std::string& line : above[i]) line.insert(0, block.indent, ' ');
    block.lines.insert(block.lines.begin(), above[i].begin(), above[i].end());
  }
}

}  // namespace quantgate::opdefs
