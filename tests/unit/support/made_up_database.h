// A database made up for a test, beside the one that is built in: backend toy, chips t1 (default),
// t2 and t3, SDKs 1.0, 2.0 and 3.0, source toy-1.0.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_MADE_UP_DATABASE_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_MADE_UP_DATABASE_H_

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "quantgate/overlay.h"

namespace quantgate {

// Ports of many such ops.
inline const std::string kOneInOneOut = R"(inputs: [activation]
outputs: [activation]
)";
// The same with the only row of many.
inline const std::string kByteInByteOut = kOneInOneOut + R"(rows: {documented: {A.1: U8 U8}}
)";

// `ops`: names, and texts without what all of them begin with. `name`: of the folder, one per test.
inline Database MadeUpDatabase(const char* name,
                               std::initializer_list<std::pair<const char*, std::string>> ops) {
  const auto folder = std::filesystem::path(testing::TempDir()) / name;
  std::filesystem::create_directories(folder / "toy");
  std::ofstream(folder / "targets.yaml") << R"(backends:
  toy: {archs: [t1, t2, t3], default_arch: t1, tuple_rows: true, sdks: ["1.0", "2.0", "3.0"]}
)";
  std::ofstream(folder / "sources.yaml") << R"(sources:
  - {id: toy-1.0, kind: documents, sdk: "1.0", backends: [toy], title: made up for tests}
)";
  for (const auto& [op, text] : ops) {
    std::ofstream(folder / "toy" / (std::string(op) + ".yaml"))
        << "op: " << op << "\n"
        << text;
  }
  auto made = WithOverlay(Database::Embedded(), std::vector<std::string>{folder.string()});
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

}  // namespace quantgate

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_MADE_UP_DATABASE_H_
