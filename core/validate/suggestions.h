// What would let a refused op run: tried with the validator, cheapest first.
#ifndef QUANTGATE_CORE_VALIDATE_SUGGESTIONS_H_
#define QUANTGATE_CORE_VALIDATE_SUGGESTIONS_H_

#include <memory>
#include <string>
#include <vector>

#include "core/lower/resolve/resolved.h"
#include "core/validate/target_table.h"
#include "quantgate/database.h"
#include "quantgate/report.h"
#include "quantgate/target.h"

namespace quantgate {

class Suggestions {
 public:
  // All must outlive this.
  Suggestions(const TargetTable& table, const Target& target, const Database& database)
      : table_(table), target_(target), database_(database) {}

  // In this order: an encoding, a dtype row (fewest changed ports first), the arch, the SDK. Each
  // was checked: the op then runs and its values are right. `findings` are those of the op.
  std::vector<Fix> For(const Resolved& resolved, const Node& node,
                       const std::vector<Finding>& findings);

 private:
  struct Elsewhere {
    std::string summary;
    bool other_arch = false;
    std::unique_ptr<TargetTable> table;
  };
  void MakeElsewhere();

  const TargetTable& table_;
  const Target& target_;
  const Database& database_;
  bool made_ = false;
  std::vector<Elsewhere> elsewhere_;  // newer archs, then newer SDKs
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_SUGGESTIONS_H_
