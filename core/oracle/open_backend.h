// What is asked, opened, with the target that it is compared for.
#ifndef QUANTGATE_CORE_ORACLE_OPEN_BACKEND_H_
#define QUANTGATE_CORE_ORACLE_OPEN_BACKEND_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/oracle/queried_backend.h"
#include "quantgate/database.h"
#include "quantgate/target.h"
#include "quantgate/verify.h"

namespace quantgate::verify {

struct OpenedBackend {
  std::unique_ptr<const QueriedBackend> backend;
  std::string name;  // in reports
  Target target;
  std::string note;  // that the library is of another SDK; may be empty

  // A comparison with its head filled in, without nodes.
  Comparison Begin(std::string source, const AskOptions& ask) const;
};

// `library`, `spec`: see Verifier::Open().
absl::StatusOr<OpenedBackend> OpenBackend(const std::string& library, const TargetSpec& spec,
                                          const std::string& python, const Database& database);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_OPEN_BACKEND_H_
