// Disagreements that are known, each with its reason.
#ifndef QUANTGATE_CORE_ORACLE_KNOWN_H_
#define QUANTGATE_CORE_ORACLE_KNOWN_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/oracle/comparison.h"

namespace quantgate::verify {

// Of {"differences": [{"node", "op", "model", "agreement", "reason"}]}; `agreement` and `reason`
// are required, of the others at least one; what isn't given matches anything.
class KnownDifferences {
 public:
  KnownDifferences() = default;
  // "reason" or "PLACE: reason".
  static absl::StatusOr<KnownDifferences> Parse(std::string_view json);

  // Sets `known` of the disagreements that are listed.
  void Mark(Comparison& comparison);
  // Entries that matched nothing so far, in words.
  std::vector<std::string> Unused() const;

 private:
  struct Entry {
    std::string model, node, op, agreement, reason;
    bool used = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_KNOWN_H_
