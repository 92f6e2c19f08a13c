// What counts for one target: rows and constraints at the edges of their SDKs, and constraints that
// facts seem to decide. Against ops made up for this.
#include "core/validate/target_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "quantgate/database.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "tests/unit/support/made_up_database.h"
#include "tests/unit/support/one_node.h"

namespace quantgate {
namespace {

constexpr const char* kLimits = R"(inputs: [activation, {role: activation, optional: true}]
outputs: [activation]
rows: {documented: {A.1: U8|U16 U8|S8 U8}}
documented:
  out0 tiny: {scale_range: ..1e-09}
  out0 relative: {scale_range: {max: 1000000000.0, as: [in0]}}
  in0 below-the-end: {offset_range: -254.., when: {dtype: U8}}
  in0 of-any-type: {offset_range: -255..}
  all of-all-ports: {dtypes: {denied: S8}}
  in0 measured-later: {symmetric: ~, measured: {"2.0": wrong_values}}
  in0 either: {any_of: [[{symmetric: ~}, {rank: ..2}], [{port: in1, valid_scale: ~}]]}
)";
constexpr const char* kRows = R"(rows:
  documented 3.0..: {A.1: S8 S8, A.8: S32 S32}
  documented 2.0..: {B.2: {row: S8 S8, arch: t2+}, B.8: S32 S32}
  documented: {C.2: {row: S8 S8, arch: t3+}, A.3: {row: U16 U16, arch: t2+}, A.6: {row: U8 U8,
    undocumented_until: "2.0"}, A.7: F32 F32}
  documented ..2.0: {B.4: U16 U16, A.5: S16 S16}
)";
constexpr const char* kLate = R"(sdk: 2.0..
arch: t2+
)";
// Two rows that take the same, each with constraints of its own.
constexpr const char* kGroups = R"(rows: {documented: {A.1: U8|U16 U8, B.1: U8|U16 U8}}
documented:
  in0 a-is-flat: {rank: ..2, groups: A}
  in0 b-is-flat: {rank: ..2, when: {dtype: U16}, groups: B}
)";
constexpr const char* kUnknown = R"(rows:
  documented: {A.1: {row: U8 U8, verdict: undocumented}, A.2: {row: U8|S8 U8, verdict: undocumented},
    A.3: {row: U16 U16, verdict: undocumented, undocumented_until: "2.0"}}
)";
constexpr const char* kEach = R"(inputs: [{role: activation, variadic: true}]
outputs: [activation]
rows: {documented: {A.1: U8 U8}}
documented: {all each: {any_of: [[{port: in0..m, rank: ..2}], [{port: out0, rank: ..2}]]}}
)";
constexpr const char* kOrder = R"(params: {mode: {dtype: UI32, default: 0}}
documented:
  mode mode: {param_value: {min: 1}}
  out0 out: {rank: ..2}
  in0 in: {rank: ..2}
)";

const Database& Toy() {
  static const Database database =
      MadeUpDatabase("target_table_test", {{"Limits", kLimits},
                                           {"Rows", kOneInOneOut + kRows},
                                           {"Late", kByteInByteOut + kLate},
                                           {"Groups", kOneInOneOut + kGroups},
                                           {"Unknown", kOneInOneOut + kUnknown},
                                           {"Each", kEach},
                                           {"Order", kByteInByteOut + kOrder}});
  return database;
}

Tensor Of(Dtype dtype, float scale = 0.5F, int32_t zero_point = 128) {
  Tensor t = PerTensor(dtype, {1, 2, 4}, scale, zero_point);
  if (!IsFixedPoint(dtype)) t.encoding = {};
  return t;
}

Report Check(const char* op, std::vector<Tensor> tensors, const char* sdk = "2.0",
             const char* arch = "t1") {
  const auto target = Target::Parse({.backend = "toy", .sdk = sdk, .soc = "", .arch = arch}, Toy());
  return Validator(*target, {}, Toy()).Check(OneNode(op, std::move(tensors)));
}

std::set<std::string> Broken(std::vector<Tensor> tensors) {
  std::set<std::string> ids;
  for (const Finding& f : Check("Limits", std::move(tensors)).findings) {
    ids.emplace(f.constraint.substr(f.constraint.rfind("/") + 1));
  }
  return ids;
}

constexpr Dtype kU8 = Dtype::kUfixedPoint8, kS8 = Dtype::kSfixedPoint8;
constexpr Dtype kU16 = Dtype::kUfixedPoint16;
using Ids = std::set<std::string>;

TEST(TargetTable, UsualScalesBreakUnusualLimits) {
  EXPECT_EQ(Broken({Of(kU8), Of(kU8), Of(kU8, 1e-10F)}), Ids{});
  EXPECT_EQ(Broken({Of(kU8), Of(kU8), Of(kU8, 0.02F)}), Ids{"tiny"});
}

TEST(TargetTable, UsualScalesBreakLimitsInUnitsOfOthers) {
  EXPECT_EQ(Broken({Of(kU8, 1e-7F), Of(kU8), Of(kU8, 50)}), Ids{"tiny"});
  EXPECT_EQ(Broken({Of(kU8, 1e-7F), Of(kU8), Of(kU8, 200)}), (Ids{"tiny", "relative"}));
}

TEST(TargetTable, ZeroPointsOfATypeBreakNarrowerLimits) {
  const Tensor out = Of(kU8, 1e-10F);
  EXPECT_EQ(Broken({Of(kU8, 1, 254), Of(kU8), out}), Ids{"measured-later"});
  EXPECT_EQ(Broken({Of(kU8, 1, 255), Of(kU8), out}), (Ids{"measured-later", "below-the-end"}));
  EXPECT_EQ(Broken({Of(kU16, 1, 255), Of(kU8), out}), Ids{"measured-later"});
  EXPECT_EQ(Broken({Of(kU16, 1, 256), Of(kU8), out}), (Ids{"measured-later", "of-any-type"}));
}

TEST(TargetTable, ConstraintsOfAllPortsSpeakOfEach) {
  EXPECT_EQ(Broken({Of(kU8), Of(kS8, 1, 0), Of(kU8, 1e-10F)}), Ids{"of-all-ports"});
}

TEST(TargetTable, AlternativesOfAllPortsSpeakOfTheTensorAtHand) {
  const Report report = Check("Each", {Of(kU8), Of(kU8), Of(kU8)});
  ASSERT_EQ(report.findings.size(), 3U);
  for (const auto& [port, allowed] :
       {std::pair{"in[0]", "rank up to 2; or out[0] rank up to 2"},
        {"in[1]", "rank up to 2; or out[0] rank up to 2"}}) {
    const Finding& f = report.findings[port[3] - '0'];
    EXPECT_EQ(f.port, port);
    EXPECT_EQ(f.allowed, allowed);
  }
}

TEST(TargetTable, AnAlternativeIsAllOfItsConstraints) {
  // in[0] is symmetric but of rank 3; in[1] is of another port.
  const Tensor out = Of(kU8, 1e-10F);
  EXPECT_EQ(Broken({Of(kU8), Of(kU8, -1), out}), Ids{"either"});
  Tensor flat = Of(kU8);
  flat.dims = {1, 2};
  EXPECT_EQ(Broken({flat, Of(kU8, -1), out}), Ids{});
  flat.encoding.Edit().zero_points = {127};
  EXPECT_EQ(Broken({flat, Of(kU8, -1), out}), (Ids{"either", "measured-later"}));
}

TEST(TargetTable, ConsequencesAreThoseOfTheSdk) {
  for (const auto& [sdk, consequence] : {std::pair{"1.0", Consequence::kRejected},
                                         {"2.0", Consequence::kWrongValues},
                                         {"3.0", Consequence::kWrongValues}}) {
    const Report report = Check("Limits", {Of(kU8, 1, 1), Of(kU8), Of(kU8, 1e-10F)}, sdk);
    EXPECT_EQ(report.verdict, consequence) << sdk;
  }
  for (const auto& [sdk, verdict] : {std::pair{"1.0", Consequence::kUndocumented},
                                     {"2.0", Consequence::kAccepted},
                                     {"3.0", Consequence::kAccepted}}) {
    EXPECT_EQ(Check("Rows", {Of(kU8), Of(kU8)}, sdk).verdict, verdict) << sdk;
  }
}

std::string Reported(const char* op, Dtype dtype, const char* sdk, const char* arch = "t1") {
  const Report report = Check(op, {Of(dtype, 1, 0), Of(dtype, 1, 0)}, sdk, arch);
  return report.findings.empty() ? "" : report.findings[0].message;
}

TEST(TargetTable, ARowElsewhereIsNamedByWhatIsMissing) {
  // Another chip rather than another SDK.
  EXPECT_EQ(Reported("Rows", kS8, "2.0"), "Rows supports these datatypes on t2 or t3 only");
  EXPECT_EQ(Reported("Rows", kS8, "1.0", "t2"), "Rows supports these datatypes on t3 only");
  EXPECT_EQ(Reported("Rows", Dtype::kSfixedPoint32, "1.0"),
            "Rows supports these datatypes on SDK 2.0 and later only");
  EXPECT_EQ(Reported("Rows", kS8, "2.0", "t2"), "");
  EXPECT_EQ(Reported("Rows", kU16, "2.0"), "Rows supports these datatypes on t2 or t3 only");
  EXPECT_EQ(Reported("Rows", Dtype::kSfixedPoint16, "2.0"),
            "Rows supports these datatypes on SDKs before 2.0 only");
}

TEST(TargetTable, TheNearestRowIsOfTheSameKindOfNumber) {
  // On t2 there is a row of 16-bit fixed-point numbers too.
  const Report report = Check("Rows", {Of(Dtype::kFloat16), Of(Dtype::kFloat16)}, "2.0", "t2");
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].allowed, "in[0] FLOAT_32, out[0] FLOAT_32");
}

TEST(TargetTable, OfRowsThatMatchTheOneCountsThatBreaksLeast) {
  EXPECT_EQ(Check("Groups", {Of(kU8), Of(kU8)}).verdict, Consequence::kAccepted);
  const Report report = Check("Groups", {Of(kU16), Of(kU8)});
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].constraint, "toy/Groups/in[0]/a-is-flat");
}

TEST(TargetTable, TheFirstOfUndocumentedRowsIsNamed) {
  EXPECT_EQ(Reported("Unknown", kU8, "2.0"),
            "no document lists row A.1 of Unknown; the library accepts it, and its numbers were "
            "never looked at");
}

TEST(TargetTable, ARowThatWasExecutedWithALaterSdk) {
  EXPECT_EQ(Reported("Unknown", kU16, "1.0"),
            "no document of this SDK lists row A.3 of Unknown; it was first measured with 2.0");
  EXPECT_EQ(Reported("Unknown", kU16, "2.0"),
            "no document lists row A.3 of Unknown; the library accepts it, and its numbers were "
            "never looked at");
}

TEST(TargetTable, FindingsStandInTheOrderOfPorts) {
  const Report report = Check("Order", {Of(kU8), Of(kU8)});
  std::vector<std::string> ports;
  for (const Finding& f : report.findings) ports.push_back(f.port);
  EXPECT_EQ(ports, (std::vector<std::string>{"in[0]", "out[0]", "mode"}));
}

TEST(TargetTable, AnOpOfOtherTargets) {
  const auto allowed = [](const char* sdk, const char* arch) {
    const Report report = Check("Late", {Of(kU8), Of(kU8)}, sdk, arch);
    return report.findings.empty() ? "" : report.findings[0].allowed;
  };
  EXPECT_EQ(allowed("1.0", "t2"), "SDK 2.0 and later");
  EXPECT_EQ(allowed("2.0", "t1"), "another SDK or arch");
  EXPECT_EQ(allowed("2.0", "t2"), "");
}

// Rows are picked when an op is first asked for, by whoever asks.
TEST(TargetTable, ThreadsThatAskFirstGetTheSameRows) {
  const Database& database = Database::Embedded();
  const absl::StatusOr<Target> target = Target::Parse({.soc = "SM8550"});
  ASSERT_TRUE(target.ok()) << target.status();
  const std::vector<std::string> ops = database.Ops(*target);
  for (int round = 0; round < 20; ++round) {
    const TargetTable table(database.view(), *target);
    std::vector<std::vector<const ActiveOp*>> found(4);
    std::barrier start(4);
    {
      std::vector<std::jthread> threads;
      for (auto& mine : found) {
        threads.emplace_back([&] {
          start.arrive_and_wait();
          for (const std::string& op : ops) {
            mine.push_back(table.Find(op));
            ASSERT_NE(mine.back(), nullptr);
            ASSERT_EQ(database.view().str(mine.back()->row->name), op);
          }
        });
      }
    }
    for (const auto& other : found) EXPECT_EQ(other, found.front());
    // Few ops are known by their names alone.
    EXPECT_GT(std::count_if(found[0].begin(), found[0].end(),
                            [](const ActiveOp* op) { return !op->variants.empty(); }),
              120);
  }
}

TEST(TargetTable, AnUnknownOpHasNone) {
  const absl::StatusOr<Target> target = Target::Parse({.soc = "SM8550"});
  ASSERT_TRUE(target.ok()) << target.status();
  EXPECT_EQ(TargetTable(Database::Embedded().view(), *target).Find("Conv2"), nullptr);
}

}  // namespace
}  // namespace quantgate
