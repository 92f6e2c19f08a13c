// A database made up for a test, beside the one that is built in.
#ifndef QUANTGATE_TESTS_UNIT_MADE_UP_DATABASE_H_
#define QUANTGATE_TESTS_UNIT_MADE_UP_DATABASE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/overlay.h"

namespace quantgate {

// `files`: names within the overlay's folder, and texts. `name`: of the folder, one per test.
inline Database MadeUpDatabase(const char* name,
                               std::initializer_list<std::pair<const char*, const char*>> files) {
  const auto folder = std::filesystem::path(testing::TempDir()) / name;
  for (const auto& [file, text] : files) {
    std::filesystem::create_directories((folder / file).parent_path());
    std::ofstream(folder / file) << text;
  }
  auto made = WithOverlay(Database::Embedded(), std::vector<std::string>{folder.string()});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_UNIT_MADE_UP_DATABASE_H_
