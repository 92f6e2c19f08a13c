#include "tools/quantgate/cli/database_flags.h"

#include <memory>
#include <utility>

#include "quantgate/overlay.h"

namespace quantgate::cli {
namespace {

const Database* Keep(Database database) {
  static std::vector<std::unique_ptr<const Database>> kept;
  kept.push_back(std::make_unique<const Database>(std::move(database)));
  return kept.back().get();
}

}  // namespace

void DatabaseFlags::Add(VerbFlags verb) {
  verb.Add({.name = "--opdefs",
            .type = "DIR",
            .words = "Folder of YAML to lay over the database; may be repeated",
            .group = "Target"},
           folders);
  verb.Add({.name = "--database",
            .type = "FILE",
            .words = "Database compiled by `opdefc compile`, instead of the built-in one",
            .group = "Target"},
           file);
}

absl::StatusOr<const Database*> DatabaseFlags::Load() const {
  const Database* base = &Database::Embedded();
  if (!file.empty()) {
    absl::StatusOr<Database> database = Database::FromFile(file);
    if (!database.ok()) return database.status();
    base = Keep(*std::move(database));
  }
  if (folders.empty()) return base;
  absl::StatusOr<Database> database = WithOverlay(*base, folders);
  if (!database.ok()) return database.status();
  return Keep(*std::move(database));
}

}  // namespace quantgate::cli
