// Folders given as models.
#ifndef QUANTGATE_TOOLS_QUANTGATE_FOLDERS_H_
#define QUANTGATE_TOOLS_QUANTGATE_FOLDERS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace quantgate::cli {

// `paths` with each folder replaced by the model files in it and below, sorted by path: those that end
// in .onnx, .pt2, .jsonl or .binpb, and .json files that hold a Model or a QNN net. Links to folders
// are not followed. A folder that can't be read or holds no model is an error that names it.
absl::StatusOr<std::vector<std::string>> ExpandFolders(const std::vector<std::string>& paths);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_FOLDERS_H_
