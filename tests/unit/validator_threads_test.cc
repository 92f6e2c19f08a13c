// One Validator, shared by threads: each gives the report that one thread alone gives. Built with
// the preset tsan, it also shows that they share nothing they write.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "core/report/reporter.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

constexpr int kThreads = 16;

std::vector<Model> Examples() {
  const std::filesystem::path folder = QUANTGATE_SOURCE_DIR "/docs/examples";
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto ending = entry.path().extension();
    if (ending == ".onnx" || ending == ".json") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Model> models;
  for (const std::string& path : paths) {
    const absl::Status status = ReadInput(path, std::nullopt, [&](const ReadModel& read) {
      if (read.model.ok()) {
        models.push_back(*read.model);
      } else {
        ADD_FAILURE() << path << ": " << read.model.status();
      }
    });
    EXPECT_TRUE(status.ok()) << path << ": " << status;
  }
  return models;
}

TEST(ValidatorThreads, ShareOneValidator) {
  const std::vector<Model> models = Examples();
  ASSERT_GE(models.size(), 10u);
  const auto target = Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v68"});
  ASSERT_TRUE(target.ok()) << target.status();

  const Validator shared(*target);
  std::vector<std::vector<std::string>> reports(kThreads, std::vector<std::string>(models.size()));
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // Half of them begin with the first model, half with the last.
      for (size_t i = 0; i < models.size(); ++i) {
        const size_t m = t % 2 == 0 ? i : models.size() - 1 - i;
        reports[t][m] = ReportJson(shared.Check(models[m]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  size_t findings = 0;
  for (size_t m = 0; m < models.size(); ++m) {
    const Report alone = Validator(*target).Check(models[m]);
    findings += alone.findings.size();
    for (const auto& of_thread : reports) EXPECT_EQ(of_thread[m], ReportJson(alone));
  }
  EXPECT_GT(findings, 0u);  // explaining what is refused is shared too
}

TEST(ValidatorThreads, FirstUseOfTheDatabaseIsShared) {
  const std::vector<Model> models = Examples();
  ASSERT_FALSE(models.empty());
  std::vector<std::thread> threads;
  std::vector<std::string> reports(kThreads);
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      const auto target = Target::Parse({.backend = "htp", .sdk = "", .soc = "SM8550", .arch = ""});
      if (target.ok()) reports[t] = ReportJson(Validator(*target).Check(models.front()));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(reports[0], "");
  for (const std::string& report : reports) EXPECT_EQ(report, reports[0]);
}

}  // namespace
}  // namespace quantgate
