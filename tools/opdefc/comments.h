// The comments of a YAML file, and where they go when its values are laid out anew.
#ifndef QUANTGATE_TOOLS_OPDEFC_COMMENTS_H_
#define QUANTGATE_TOOLS_OPDEFC_COMMENTS_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/document/errors.h"

namespace quantgate::opdefs {

// Lines that belong together, and the lines of the file where their values stood.
struct Block {
  int first = 0, last = 0;  // from 1; `last`: where the last value begins
  size_t indent = 0;
  std::vector<std::string> lines;
};

struct Comments {
  // By line, from 1: those on lines of their own, and those behind a value.
  std::map<int, std::string> own, behind;
};

// The '#' that begins a comment of the line, or npos. `quote`: the quotation mark that is open at
// its begin, 0 for none; afterwards that of its end.
size_t CommentAt(std::string_view line, char& quote);

// An error for block scalars (`|`, `>`), which are not laid out.
Comments ReadComments(std::string_view text, std::string_view file, Errors& errors);

// Puts the comments into the blocks (in the order of the file): own lines above what follows them,
// the others behind the last line, or above where they don't fit. The rest, those above the first
// block and below the last one, is left in `comments`.
void PlaceComments(Comments& comments, std::vector<Block>& blocks);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_COMMENTS_H_
