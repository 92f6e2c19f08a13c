// Overlays through the public header: a row, an op, a waiver, a whole backend.
#include "quantgate/overlay.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "quantgate/validator.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

class Overlay : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        (std::string("overlay_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "htp");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  absl::StatusOr<Database> Load() const {
    return WithOverlay(Database::Embedded(), std::vector<std::string>{folder_.string()});
  }
  static Report Check(const Database& database, const Model& model, const TargetSpec& spec) {
    auto target = Target::Parse(spec, database);
    EXPECT_TRUE(target.ok()) << target.status();
    return Validator(*std::move(target), {}, database).Check(model);
  }
  static Report CheckHtp(const Database& database, const Model& model) {
    return Check(database, model, {.sdk = "2.51", .arch = "v73"});
  }

  // One input, one output, both per-tensor.
  static Model Unary(const std::string& op, Dtype dtype, float out_scale = 0.02F) {
    const auto tensor = [&](float scale) { return PerTensor(dtype, {1, 4, 4, 8}, scale, 0); };
    return OneNode(op, {tensor(0.02F), tensor(out_scale)});
  }

  fs::path folder_;
};

constexpr const char* kTwist = R"(op: Twist
sources: [docs-2.25]
inputs: [activation]
outputs: [activation]
rows: {documented: {A.1: U8 U8}}
documented: {out0 same-encoding: in0}
)";

TEST_F(Overlay, AddsAnOpAndRows) {
  const Model bytes = Unary("Twist", Dtype::kUfixedPoint8);
  const Model words = Unary("Twist", Dtype::kUfixedPoint16);
  EXPECT_EQ(CheckHtp(Database::Embedded(), bytes).verdict, Consequence::kRejected);
  Write("htp/Twist.yaml", kTwist);
  auto database = Load();
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(CheckHtp(*database, bytes).verdict, Consequence::kAccepted);
  EXPECT_EQ(CheckHtp(*database, words).verdict, Consequence::kRejected);
  // The op again, with a row more.
  std::string more = kTwist;
  more.insert(more.find("U8 U8") + 5, ", A.2: U16 U16");
  Write("htp/Twist.yaml", more);
  database = Load();
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_EQ(CheckHtp(*database, words).verdict, Consequence::kAccepted);
  // What the overlay doesn't name is as it was.
  EXPECT_EQ(CheckHtp(*database, Unary("Relu", Dtype::kUfixedPoint8)).verdict,
            Consequence::kAccepted);
}

TEST_F(Overlay, WaivesFindingsWithAReason) {
  Write("htp/Twist.yaml", kTwist);
  const Model model = Unary("Twist", Dtype::kUfixedPoint8, 0.04);
  auto database = Load();
  ASSERT_TRUE(database.ok()) << database.status();
  const Report before = CheckHtp(*database, model);
  ASSERT_EQ(before.findings.size(), 1u);
  EXPECT_TRUE(before.failed);
  const std::string rule(before.findings[0].rule->slug);

  const auto waive = [&](const std::string& text) {
    Write("waivers.yaml",
          "waivers:\n  - {rule: " + rule + ", reason: seen on the chip" + text + "}\n");
    auto with = Load();
    EXPECT_TRUE(with.ok()) << with.status();
    return CheckHtp(*with, model);
  };
  for (const char* fits :
       {"", ", op: Twist", ", op: Twist, port: \"out[0]\"", ", node: n", ", backend: htp"}) {
    SCOPED_TRACE(fits);
    const Report report = waive(fits);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].waived, "seen on the chip");
    EXPECT_EQ(report.findings[0].level, Level::kNote);
    EXPECT_FALSE(report.failed);
    // A waiver changes what fails, not what is so.
    EXPECT_EQ(report.verdict, Consequence::kRejected);
    EXPECT_EQ(report.nodes[0].verdict, Consequence::kRejected);
  }
  for (const char* other : {", op: Twister", ", port: \"in[0]\"", ", node: m", ", backend: cpu"}) {
    SCOPED_TRACE(other);
    const Report report = waive(other);
    EXPECT_TRUE(report.failed);
    EXPECT_EQ(report.findings[0].waived, "");
    EXPECT_EQ(report.findings[0].level, Level::kError);
  }
}

TEST_F(Overlay, WaiversHaveToBeRight) {
  Write("waivers.yaml", "waivers:\n  - {rule: rank}\n");
  EXPECT_NE(Load().status().message().find("waivers.yaml:2:"), std::string::npos);
  Write("waivers.yaml", "waivers:\n  - {rule: rank, reason: x, backend: hpt}\n");
  EXPECT_NE(Load().status().message().find("did you mean htp"), std::string::npos);
  // Rules are the validator's: it says that one doesn't exist.
  Write("waivers.yaml", "waivers:\n  - {rule: rankk, reason: x}\n");
  auto database = Load();
  ASSERT_TRUE(database.ok()) << database.status();
  const Report report = CheckHtp(*database, Unary("Relu", Dtype::kUfixedPoint8));
  ASSERT_FALSE(report.notes.empty());
  EXPECT_EQ(report.notes.back(), "waivers.yaml:2: there is no rule \"rankk\"");
}

TEST_F(Overlay, AddsAWholeBackend) {
  const std::vector<std::string> folders = {QUANTGATE_SOURCE_DIR "/tests/fixtures/opdefs/toy"};
  std::vector<std::string> warnings;
  const auto database = WithOverlay(Database::Embedded(), folders, &warnings);
  ASSERT_TRUE(database.ok()) << database.status();
  EXPECT_TRUE(warnings.empty());
  const Model bytes = Unary("Gate", Dtype::kUfixedPoint8);
  const Model words = Unary("Gate", Dtype::kUfixedPoint16);
  EXPECT_EQ(Check(*database, bytes, {.backend = "toy"}).verdict, Consequence::kAccepted);
  EXPECT_EQ(Check(*database, words, {.backend = "toy"}).verdict, Consequence::kRejected);
  EXPECT_EQ(Check(*database, words, {.backend = "toy", .arch = "t2"}).verdict,
            Consequence::kAccepted);
  EXPECT_EQ(Check(*database, bytes, {.backend = "htp", .arch = "v73"}).verdict,
            Consequence::kRejected);
  EXPECT_FALSE(Target::Parse({.backend = "toy"}).ok());
}

}  // namespace
}  // namespace quantgate
