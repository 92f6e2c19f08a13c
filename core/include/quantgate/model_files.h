// The model files of a folder.
#ifndef QUANTGATE_MODEL_FILES_H_
#define QUANTGATE_MODEL_FILES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// The endings of files that hold models; a .json may hold something else.
bool HasModelEnding(std::string_view path);

// `paths` with each folder replaced by the model files in it and below, sorted by path: those with
// such an ending, and .json files that hold a Model or a QNN net. Links to folders are not
// followed. A folder that can't be read or holds no model is an error that names it.
absl::StatusOr<std::vector<std::string>> ExpandFolders(const std::vector<std::string>& paths);

}  // namespace quantgate

#endif  // QUANTGATE_MODEL_FILES_H_
