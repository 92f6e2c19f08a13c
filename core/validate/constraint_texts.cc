#include "core/validate/constraint_texts.h"

#include <fmt/core.h>

namespace quantgate {

std::vector<std::string> SourceIds(const opdb::View& db, opdb::Slice<uint16_t> sources) {
  std::vector<std::string> ids;
  for (const uint16_t index : db.get(sources)) ids.emplace_back(db.str(db.sources()[index].id));
  return ids;
}

const ConstraintTexts& ConstraintTextsMade::Of(const opdb::View& db, std::string_view backend,
                                               std::string_view op, const opdb::ConstraintRow& row) {
  const std::lock_guard lock(making_);
  const auto [at, added] = made_.try_emplace(&row);
  if (added) {
    at->second = {fmt::format("{}/{}/{}", backend, op, db.str(row.id)), db.str(row.note),
                  SourceIds(db, row.sources)};
  }
  return at->second;
}

}  // namespace quantgate
