// What every chip makes of a model: `check --all-socs`.
#ifndef QUANTGATE_SURVEY_H_
#define QUANTGATE_SURVEY_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/consequence.h"
#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

enum class Fit : uint8_t {
  kFits,       // every node runs on the NPU
  kFallsBack,  // some run on the CPU
  kFails,      // no session is built, or the route has no fallback for what is refused
  kUnknown,    // no op of this arch is known, or nodes are unchecked
};
std::string_view FitName(Fit fit);  // "fits", "falls_back", "fails", "unknown"

// The chips of one arch that lack the same features: a verdict depends on nothing else of a chip.
struct ArchFit {
  std::string arch;               // empty = unknown
  std::vector<std::string> socs;  // by name
  std::vector<std::string> lacks;  // what other chips of the arch have: "float16"
  Fit fit = Fit::kUnknown;
  std::string reason;                               // why unknown, or why no session is built
  std::array<int64_t, kConsequenceCount> counts{};  // of nodes by verdict
  int64_t cpu_nodes = 0, changed_nodes = 0, partitions = 0;
  // Nodes that are refused or that keep the session from being built, in the order of the file.
  std::vector<std::string> blocked;
  bool failed = false;  // the mode fails
};

struct Survey {
  std::string backend, sdk, route;
  int64_t nodes = 0;
  std::vector<ArchFit> archs;  // oldest first; chips whose arch is unknown or below all last
};

// Reads and resolves the model once for all. InvalidArgument like Target::Parse, or when the
// backend has no chips.
class Surveyor {
 public:
  static absl::StatusOr<Surveyor> Make(std::string_view backend, std::string_view sdk,
                                       const ValidatorOptions& options, const Database& database);
  Survey Check(const Model& model) const;

 private:
  Surveyor() = default;
  std::vector<Validator> validators_;           // one per ArchFit
  std::vector<std::vector<std::string>> socs_;   // of each
  std::vector<std::vector<std::string>> lacks_;  // of each
  std::vector<std::string> others_;             // chips no validator stands for
};

}  // namespace quantgate

#endif  // QUANTGATE_SURVEY_H_
