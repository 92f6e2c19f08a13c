// Levels, selection, suppressions and a baseline, by the public headers.
#include "quantgate/policy.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "quantgate/config.h"
#include "tests/unit/support/sample_report.h"

namespace quantgate {
namespace {

// As the table of rules has it: settings refer to rules by address.
Report WithOwnRules(Report report) {
  for (Finding& finding : report.findings) {
    finding.rule = FindRule(finding.rule->code);
    EXPECT_NE(finding.rule, nullptr);
  }
  return report;
}

const Finding* FindingOf(const Checked& checked, std::string_view code) {
  for (const Finding& finding : checked.report.findings) {
    if (finding.rule->code == code) return &finding;
  }
  return nullptr;
}

std::string TemporaryFile(const std::string& name, const std::string& text) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "policy_test";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path) << text;
  return path;
}

TEST(Policy, LevelsChangeNoVerdict) {
  PolicySettings settings;
  settings.levels[FindRule("QG301")] = RuleLevel::kNote;
  Policy policy(std::move(settings));
  Checked checked{WithOwnRules(SampleReport())};
  const Consequence verdict = checked.report.verdict;
  ASSERT_NE(FindingOf(checked, "QG301"), nullptr);
  policy.Apply({}, "m", checked);
  EXPECT_EQ(FindingOf(checked, "QG301")->level, Level::kNote);
  EXPECT_EQ(checked.report.verdict, verdict);
}

TEST(Policy, SelectedRulesOnly) {
  PolicySettings settings;
  settings.select.insert(FindRule("QG301"));
  Policy policy(std::move(settings));
  Checked checked{WithOwnRules(SampleReport())};
  const auto before = static_cast<int64_t>(checked.report.findings.size());
  policy.Apply({}, "m", checked);
  for (const Finding& finding : checked.report.findings) EXPECT_EQ(finding.rule->code, "QG301");
  EXPECT_EQ(checked.hidden + static_cast<int64_t>(checked.report.findings.size()), before);
  EXPECT_GT(checked.hidden, 0);
}

TEST(Policy, RulesByBeginning) {
  const auto rules = RulesNamed("QG3");
  ASSERT_TRUE(rules.ok());
  EXPECT_GT(rules->size(), 1u);
  EXPECT_EQ(RulesNamed("ALL")->size(), AllRules().size());
  EXPECT_NE(RulesNamed("asymetric-encoding").status().message().find("asymmetric-encoding"),
            absl::string_view::npos);
}

TEST(Policy, ABaselineIsReadAsItWasWritten) {
  const std::string path = TemporaryFile("baseline.json", "");
  BaselineWriter writer(path);
  Checked first{WithOwnRules(SampleReport())};
  writer.Add(first);
  EXPECT_EQ(writer.count(), first.report.findings.size());
  TemporaryFile("baseline.json", writer.Text());
  auto baseline = ReadBaseline(path);
  ASSERT_TRUE(baseline.ok()) << baseline.status();

  PolicySettings settings;
  settings.baseline = *std::move(baseline);
  Policy policy(std::move(settings));
  Checked second{WithOwnRules(SampleReport())};
  policy.Apply({}, BaselineModel(path, second.report.model), second);
  EXPECT_FALSE(second.report.failed);
  for (const Finding& finding : second.report.findings) EXPECT_FALSE(second.Counts(finding));

  const std::string broken = TemporaryFile("broken.json", "{\"findings\": [{}]}");
  const auto refused = ReadBaseline(broken);
  EXPECT_NE(refused.status().message().find("broken.json:1:15"), absl::string_view::npos)
      << refused.status();
}

TEST(Policy, AConfigurationSaysWhatIsChecked) {
  const std::string path = TemporaryFile("quantgate.yaml", "target: {soc: SM8550}\nfail-on: altered\n");
  const auto config = LoadConfig(path);
  ASSERT_TRUE(config.ok()) << config.status();
  ASSERT_EQ(config->targets.size(), 1u);
  EXPECT_EQ(config->targets[0].spec.soc, "SM8550");
  EXPECT_EQ(config->fail_on, Consequence::kAltered);
  EXPECT_EQ(FindConfig(path).value_or(""), path);
  const std::string wrong = TemporaryFile("wrong.yaml", "sok: SM8550\n");
  EXPECT_NE(LoadConfig(wrong).status().message().find("wrong.yaml:1:1"), absl::string_view::npos)
      << LoadConfig(wrong).status();
}

}  // namespace
}  // namespace quantgate
