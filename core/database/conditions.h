// For whom an entry of a document of the database is: what its keys `archs`, `since` and `until`
// say.
#ifndef QUANTGATE_CORE_DATABASE_CONDITIONS_H_
#define QUANTGATE_CORE_DATABASE_CONDITIONS_H_

#include <cstdint>
#include <string_view>

#include "core/database/view.h"
#include "quantgate/target.h"

namespace quantgate::opdb {

bool Lists(Tree list, std::string_view text);
bool Lists(Tree list, int64_t number);

// `since` and `until` (exclusive) of an entry; one that is not there is no bound.
bool IsForSdk(Tree entry, SdkKey sdk);
// Without `archs`: all. `until` is exclusive, as everywhere in the database.
bool IsFor(Tree entry, const Target& target);

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_CONDITIONS_H_
