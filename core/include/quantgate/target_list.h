// Several targets in one text: `--targets SM8350,arch:v79@2.25,lpai`.
#ifndef QUANTGATE_TARGET_LIST_H_
#define QUANTGATE_TARGET_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/target.h"

namespace QUANTGATE_EXPORT quantgate {

struct ListedTarget {
  // What tables call it: the chip's name, `arch:v79` of the backend that was given, `ethosu:u55` of
  // another, or a backend without archs; with `@SDK` where one was given.
  std::string label;
  Target target;
};

// One entry without its SDK: `SM8550`, `arch:v79` of `backend`, `ethosu:u55`, or a backend alone.
// Only its form is checked here; Target::Parse() looks the names up.
absl::StatusOr<TargetSpec> ParseTargetEntry(std::string_view entry, const std::string& backend,
                                            const Database& database);

// Comma separated: a chip (`SM8550`), `arch:ARCH` of `backend`, `BACKEND:ARCH` or BACKEND alone,
// each once for every one of `sdks` (empty = the newest that is known) unless it names its own:
// `SM8550@2.25`. What is listed twice counts once. InvalidArgument names what is wrong, with the
// nearest names.
absl::StatusOr<std::vector<ListedTarget>> ParseTargets(std::string_view list,
                                                       const std::string& backend,
                                                       const std::vector<std::string>& sdks,
                                                       const Database& database);

}  // namespace quantgate

#endif  // QUANTGATE_TARGET_LIST_H_
