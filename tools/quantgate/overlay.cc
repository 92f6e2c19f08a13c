#include "tools/quantgate/overlay.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "quantgate/overlay.h"

namespace quantgate::cli {

void OpdefsFlag::Add(CLI::App& verb) {
  verb.add_option("--opdefs", folders, "Folder of YAML to lay over the database; may be repeated")
      ->group("Target")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
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
