// The backend library that --backend-lib means.
#ifndef QUANTGATE_CORE_ORACLE_LIBRARY_PATH_H_
#define QUANTGATE_CORE_ORACLE_LIBRARY_PATH_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quantgate::verify {

// `path` itself where it is a file; in a folder the library of `backend`, where an SDK or an
// unpacked `onnxruntime-qnn` wheel keeps it.
absl::StatusOr<std::string> FindLibrary(const std::string& path, std::string_view backend);

// "2.51" of a build id such as "v2.51.0.260101…"; empty where there is none.
std::string SdkOfBuildId(std::string_view build_id);

// What the dynamic loader says, shorter, with the package to install where it is known.
std::string ExplainLoadError(std::string_view message);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_LIBRARY_PATH_H_
