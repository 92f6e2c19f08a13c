// What findings about one constraint say alike, whatever broke it.
#ifndef QUANTGATE_CORE_VALIDATE_CONSTRAINT_TEXTS_H_
#define QUANTGATE_CORE_VALIDATE_CONSTRAINT_TEXTS_H_

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "core/database/tables.h"
#include "core/database/view.h"
#include "quantgate/shared.h"
#include "quantgate/shared_string.h"

namespace quantgate {

// Ids of sources as a report prints them.
std::vector<std::string> SourceIds(const opdb::View& db, opdb::Slice<uint16_t> sources);

struct ConstraintTexts {
  SharedString id;  // "htp/Conv2d/in[1]/symmetric"
  SharedString note;
  Shared<std::vector<std::string>> sources;
};

// Of the constraints of one backend. A large model breaks few of them many times: their findings share
// these texts. Safe to share between threads.
class ConstraintTextsMade {
 public:
  // Valid as long as this.
  const ConstraintTexts& Of(const opdb::View& db, std::string_view backend, std::string_view op,
                            const opdb::ConstraintRow& row);

 private:
  std::mutex making_;
  absl::node_hash_map<const opdb::ConstraintRow*, ConstraintTexts> made_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CONSTRAINT_TEXTS_H_
