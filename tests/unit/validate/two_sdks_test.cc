#include "core/validate/two_sdks.h"

#include <string>
#include <utility>

#include "core/rules/raise.h"
#include "gtest/gtest.h"

namespace quantgate {
namespace {

using enum Consequence;

// A report of one node.
Report Of(const char* sdk, Consequence verdict) {
  Report report;
  report.sdk = report.knowledge_sdk = sdk;
  NodeReport& node = report.nodes.emplace_back();
  node.name = "relu";
  node.op = "Relu";
  node.verdict = verdict;
  if (verdict != kAccepted) {
    Finding& f = report.findings.emplace_back(rules::Raise(rules::kDtypeRow, verdict, "no such row"));
    f.node_index = 0;
  }
  return report;
}

// What is said of 2.36, where 2.25 and 2.47 say this.
Report Between(Consequence documented, Consequence measured) {
  return SharedVerdicts(Of("2.25", documented), Of("2.47", measured), {});
}

TEST(TwoSdks, KeepTheVerdictThatBothShare) {
  for (const Consequence verdict : {kAccepted, kAdvice, kUndocumented, kWrongValues}) {
    EXPECT_EQ(Between(kAccepted, verdict).verdict, verdict);
    EXPECT_EQ(Between(kUndocumented, verdict).verdict, verdict);
  }
  for (const Consequence verdict : {kRejected, kPrepareFails}) {
    const Report report = Between(kRejected, verdict);
    EXPECT_EQ(report.verdict, verdict);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_TRUE(report.failed);
  }
}

TEST(TwoSdks, CallUndocumentedWhatOnlyTheNewerTakes) {
  for (const Consequence documented : {kRejected, kPrepareFails, kUnchecked}) {
    const Report report = Between(documented, kAccepted);
    EXPECT_EQ(report.verdict, kUndocumented);
    EXPECT_FALSE(report.failed);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].rule->slug, "between-sdks");
    EXPECT_EQ(report.nodes[0].basis, Basis::kDocuments);
  }
  const Report report = Between(kRejected, kAccepted);
  EXPECT_NE(report.findings[0].message.str().find("no such row"), std::string::npos);
  EXPECT_EQ(report.counts[static_cast<size_t>(kUndocumented)], 1);
  // Wrong numbers stay wrong.
  EXPECT_EQ(Between(kRejected, kWrongValues).verdict, kWrongValues);
}

TEST(TwoSdks, DoNotCheckWhatOnlyTheNewerRefuses) {
  for (const Consequence documented : {kAccepted, kUndocumented, kUnchecked}) {
    const Report report = Between(documented, kRejected);
    EXPECT_EQ(report.nodes[0].verdict, kUnchecked);
    ASSERT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(report.findings[0].consequence, kUnchecked);
    EXPECT_NE(report.nodes[0].reason.str().find("2.47"), std::string::npos);
  }
}

// A Reshape keeps the number of elements, with any version.
TEST(TwoSdks, KeepWhatNoVersionCanTake) {
  Report measured = Of("2.47", kRejected);
  measured.findings[0].constraint = "htp/Reshape/out[0]/elements";
  Finding& other = measured.findings.emplace_back(rules::Raise(rules::kDtypeRow, kPrepareFails, "no such row"));
  other.node_index = 0;
  const Report report = SharedVerdicts(Of("2.25", kAccepted), std::move(measured), {});
  EXPECT_EQ(report.nodes[0].verdict, kRejected);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].constraint, "htp/Reshape/out[0]/elements");
}

TEST(TwoSdks, AreThoseAroundTheGap) {
  const auto next = [](const char* backend, const char* sdk) -> std::string {
    const Database& database = Database::Embedded();
    const auto measured = NextMeasured(*Target::Parse({.backend = backend, .sdk = sdk}), database);
    return measured ? measured->sdk() : "";
  };
  EXPECT_EQ(next("htp", "2.26"), "2.47");
  EXPECT_EQ(next("htp", "2.46"), "2.47");
  EXPECT_EQ(next("cpu", "2.36"), "2.47");
  // Documented or measured themselves, beyond all, or never measured.
  for (const char* sdk : {"2.13", "2.25", "2.47", "2.48", "2.51", "2.60"}) EXPECT_EQ(next("htp", sdk), "");
  EXPECT_EQ(next("gpu", "2.36"), "");
}

}  // namespace
}  // namespace quantgate
