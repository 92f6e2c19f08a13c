// What others measured, held against the database: edits for `opdefc propose`, and what no edit says.
#ifndef QUANTGATE_TOOLS_OPDEFC_RECORD_EDITS_H_
#define QUANTGATE_TOOLS_OPDEFC_RECORD_EDITS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json_fwd.hpp"
#include "quantgate/database.h"
#include "quantgate/record.h"

namespace quantgate::opdefs {

struct RecordEdits {
  // The first one is the source that the others name; none where there is nothing new.
  std::vector<nlohmann::ordered_json> edits;
  std::vector<std::string> remarks;  // a line each
};

// InvalidArgument where the database knows no such target.
absl::StatusOr<RecordEdits> EditsOfRecord(const verify::Record& record, const Database& database);

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TOOLS_OPDEFC_RECORD_EDITS_H_
