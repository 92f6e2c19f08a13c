#include "tools/quantgate/overlay.h"

#include <memory>
#include <utility>

#include "quantgate/overlay.h"

namespace quantgate::cli {

void OpdefsFlag::Add(VerbFlags verb) {
  verb.Add({.name = "--opdefs",
            .type = "DIR",
            .words = "Folder of YAML to lay over the database; may be repeated",
            .group = "Target"},
           folders);
}

absl::StatusOr<const Database*> OpdefsFlag::Load() const {
  const Database& embedded = Database::Embedded();
  if (folders.empty()) return &embedded;
  absl::StatusOr<Database> database = WithOverlay(embedded, folders);
  if (!database.ok()) return database.status();
  static std::vector<std::unique_ptr<const Database>> loaded;
  loaded.push_back(std::make_unique<const Database>(*std::move(database)));
  return loaded.back().get();
}

}  // namespace quantgate::cli
