// Findings that an overlay accepts, each with a reason (`waivers.yaml`).
#ifndef QUANTGATE_CORE_VALIDATE_WAIVERS_H_
#define QUANTGATE_CORE_VALIDATE_WAIVERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "core/database/view.h"
#include "quantgate/report.h"

namespace quantgate {

class Waivers {
 public:
  // Those of the database for a backend. `db` must outlive this.
  Waivers(const opdb::View& db, std::string_view backend);

  // Gives every finding that a waiver accepts its reason.
  void Apply(Report& report) const;

 private:
  struct Waiver {
    const Rule* rule;
    std::string_view op, port, node, reason;  // empty op, port, node: any
  };
  std::vector<Waiver> waivers_;
  std::vector<std::string> notes_;  // about waivers of rules that don't exist
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_WAIVERS_H_
