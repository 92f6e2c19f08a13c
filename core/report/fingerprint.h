// An identity of a finding that survives a new export of the model: rule, op, port and tensor,
// never a number that counts nodes.
#ifndef QUANTGATE_CORE_REPORT_FINGERPRINT_H_
#define QUANTGATE_CORE_REPORT_FINGERPRINT_H_

#include <cstdint>
#include <string>
#include <unordered_map>

#include "quantgate/report.h"

namespace quantgate {

// Numbers findings that are alike (one tensor used by two ops), so that no two of one model
// have the same fingerprint. To be called for the findings of a report in their order.
class Fingerprints {
 public:
  // "1f0c93d7a2b4c5e6:1"; the number after the colon counts those before it.
  std::string Next(const Finding& finding);

 private:
  std::unordered_map<uint64_t, int> seen_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_FINGERPRINT_H_
