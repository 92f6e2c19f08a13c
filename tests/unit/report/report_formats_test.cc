// One interface over all formats of reports.
#include "quantgate/report_formats.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "tests/unit/support/sample_report.h"

namespace quantgate {
namespace {

std::string Written(ReportFormat format, const ReporterOptions& options, const Checked& checked) {
  const auto reporter = MakeReporter(format, options);
  EXPECT_TRUE(reporter.ok()) << reporter.status();
  std::string text = (*reporter)->Add(checked);
  return text + (*reporter)->Finish();
}

TEST(ReportFormats, NamesLeadBack) {
  ASSERT_EQ(ReportFormatNames().size(), 7u);
  for (const std::string_view name : ReportFormatNames()) {
    const auto format = ReportFormatFromName(name);
    ASSERT_TRUE(format) << name;
    EXPECT_EQ(ReportFormatName(*format), name);
  }
  EXPECT_FALSE(ReportFormatFromName("yaml"));
}

TEST(ReportFormats, EachWritesTheReport) {
  for (const std::string_view name : ReportFormatNames()) {
    const Checked checked{SampleReport()};
    const std::string text = Written(*ReportFormatFromName(name), {}, checked);
    // What belongs to a picture of the graph needs the graph.
    if (name == "model-explorer") continue;
    EXPECT_NE(text.find("QG301"), std::string::npos) << name;
  }
}

TEST(ReportFormats, ViewsThatAFormatHas) {
  const Checked checked{SampleReport()};
  EXPECT_NE(Written(ReportFormat::kText, {.view = ReportView::kStatistics}, checked).find("QG301"),
            std::string::npos);
  const std::string line = Written(ReportFormat::kText, {.view = ReportView::kTargets}, checked);
  EXPECT_NE(line.find("SM8550"), std::string::npos) << line;
  const auto sarif = MakeReporter(ReportFormat::kSarif, {.view = ReportView::kStatistics});
  EXPECT_EQ(sarif.status().code(), absl::StatusCode::kInvalidArgument);
  const auto json = MakeReporter(ReportFormat::kJson, {.view = ReportView::kTargets});
  EXPECT_EQ(json.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ReportFormats, NeedsOfFindingsOnly) {
  EXPECT_TRUE(NeedsOf(ReportFormat::kHtml).graph);
  EXPECT_FALSE(NeedsOf(ReportFormat::kHtml).lines);
  EXPECT_TRUE(NeedsOf(ReportFormat::kSarif).lines);
  EXPECT_FALSE(NeedsOf(ReportFormat::kJson, ReportView::kStatistics).graph);
  EXPECT_FALSE(NeedsOf(ReportFormat::kText).graph || NeedsOf(ReportFormat::kText).lines);
}

TEST(ReportFormats, UnreadableModelsStandInTheirPlace) {
  const auto reporter = MakeReporter(ReportFormat::kJson);
  ASSERT_TRUE(reporter.ok());
  const std::string line = (*reporter)->AddUnreadable("m.onnx", "byte 7", "is cut off");
  EXPECT_NE(line.find("is cut off"), std::string::npos);
  EXPECT_NE(line.find("byte 7"), std::string::npos);
}

}  // namespace
}  // namespace quantgate
