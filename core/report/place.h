// Where a finding stands in a file, for formats that need a file and a line.
#ifndef QUANTGATE_CORE_REPORT_PLACE_H_
#define QUANTGATE_CORE_REPORT_PLACE_H_

#include <string>
#include <string_view>

#include "quantgate/checked.h"

namespace quantgate {

struct FilePlace {
  std::string path;  // relative to the root where it lies inside of it
  int line = 1;      // 1 in binary files
};

// Of a report's `model`: FILE, or FILE:LINE of a .jsonl; "-" becomes "stdin".
FilePlace ModelPlace(std::string_view model, std::string_view root);
// Where the user wrote the node ("model.py:42"), else the node's line in the model file.
FilePlace FindingPlace(const Checked& checked, const Finding& finding, std::string_view root);

// A path as a URI reference (RFC 3986): relative ones stay relative.
std::string UriOf(std::string_view path);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_PLACE_H_
