// A folder of YAML of its own per test: sources, targets, profiles and one op, to be changed.
#ifndef QUANTGATE_TESTS_UNIT_SUPPORT_OPDEFS_FOLDER_H_
#define QUANTGATE_TESTS_UNIT_SUPPORT_OPDEFS_FOLDER_H_

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/database/compile/compile.h"
#include "quantgate/database.h"

namespace quantgate::opdefs {

namespace fs = std::filesystem;

inline constexpr std::string_view kSources = R"(sources:
  - {id: docs-2.25, kind: documents, sdk: "2.25", backends: [htp], title: documentation}
  - {id: measured-2.47, kind: measured, sdk: "2.47", backends: [htp], title: library}
)";
inline constexpr std::string_view kTargets = R"(backends:
  htp: {archs: [v68, v69, v73], default_arch: v73, tuple_rows: true, sdks: ["2.25", "2.47"]}
socs:
  - {id: 43, name: SM8550, arch: v73, vtcm_mb: 8, sources: [docs-2.25]}
)";
inline constexpr std::string_view kProfiles = R"(profiles:
  scales: [finite, positive]
  both-ports:
    in0, out0: [scales]
documented:
  finite: {valid_scale: finite}
  positive: {valid_scale: positive, when: {dtype: U8}}
)";
// Line 8 is the row, line 13 the constraint.
inline constexpr std::string_view kOp = R"(op: Op
inputs: [{role: activation}, {optional: true}]
outputs: [activation]
params:
  axis: {dtype: I32, required: true}
  operation: {dtype: UI32, values: {ADD: 0, POWER: 7}}
rows:
  documented: {INT8.1: U8 - U8}
use:
  op: [both-ports]
except: {out0: [positive]}
documented:
  in0 rank: {max: 5}
)";

// A folder of its own per test, removed at its end.
class Folder : public ::testing::Test {
 protected:
  Folder() {
    const auto* const info = ::testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(::testing::TempDir()) /
            ("opdefs_yaml_test." + std::to_string(::getpid()) + "." + info->name());
    fs::remove_all(root_);
    Write("sources.yaml", kSources);
    Write("targets.yaml", kTargets);
    Write("htp/profiles.yaml", kProfiles);
    Write("htp/Op.yaml", kOp);
  }
  ~Folder() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }

  void Write(const std::string& file, std::string_view text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file, std::ios::binary) << text;
  }
  // The op, the profiles or another file with one piece of text replaced.
  void Change(std::string_view from, std::string_view to) { Change("htp/Op.yaml", kOp, from, to); }
  void ChangeProfiles(std::string_view from, std::string_view to) {
    Change("htp/profiles.yaml", kProfiles, from, to);
  }
  void Change(const std::string& file, std::string_view content, std::string_view from,
              std::string_view to) {
    std::string text(content);
    const size_t at = text.find(from);
    ASSERT_NE(at, text.npos) << from;
    Write(file, text.replace(at, from.size(), to));
  }
  // The op with one more constraint, on line 14.
  void AddConstraint(std::string_view line) {
    Write("htp/Op.yaml", std::string(kOp) + "  " + std::string(line) + "\n");
  }
  absl::StatusOr<std::string> Compile() {
    const std::vector<std::string> folders = {root_.string()};
    return CompileOpdefs(folders);
  }
  // The error without the folder's name; "" = none.
  std::string Error() {
    const auto image = Compile();
    if (image.ok()) return "";
    EXPECT_EQ(image.status().code(), absl::StatusCode::kInvalidArgument);
    std::string text(image.status().message());
    const std::string prefix = root_.string() + "/";
    for (size_t at; (at = text.find(prefix)) != text.npos;) text.erase(at, prefix.size());
    return text;
  }
  Database Load() {
    auto image = Compile();
    EXPECT_TRUE(image.ok()) << image.status();
    return *Database::FromImage(*image);
  }

  fs::path root_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_TESTS_UNIT_SUPPORT_OPDEFS_FOLDER_H_
