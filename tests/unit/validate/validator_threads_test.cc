// One Validator, shared by threads: each gives the report that one thread alone gives. Built with
// the preset tsan, it also shows that they share nothing they write.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
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

// All examples of one dialect as one graph of at least `nodes` nodes.
Model Large(Dialect dialect, size_t nodes) {
  Model large;
  large.dialect = dialect;
  const std::vector<Model> examples = Examples();
  while (large.nodes.size() < nodes) {
    const size_t before = large.nodes.size();
    for (const Model& model : examples) {
      if (model.dialect != dialect) continue;
      const auto base = static_cast<TensorId>(large.tensors.size());
      const auto moved = [&](TensorId& id) {
        if (id != kNoTensor) id += base;
      };
      large.opset = model.opset;
      large.tensors.insert(large.tensors.end(), model.tensors.begin(), model.tensors.end());
      for (Node node : model.nodes) {
        std::for_each(node.inputs.begin(), node.inputs.end(), moved);
        std::for_each(node.outputs.begin(), node.outputs.end(), moved);
        large.nodes.push_back(std::move(node));
      }
    }
    if (large.nodes.size() == before) break;
  }
  return large;
}

TEST(ValidatorThreads, ShareOneGraph) {
  const auto target = Target::Parse({.backend = "htp", .sdk = "", .soc = "", .arch = "v68"});
  ASSERT_TRUE(target.ok()) << target.status();
  for (const Dialect dialect : {Dialect::kQnn, Dialect::kOnnx}) {
    SCOPED_TRACE(DialectName(dialect));
    const Model large = Large(dialect, 14'000);
    ASSERT_GE(large.nodes.size(), 14'000u);
    // With --as-run no part of the graph is left out because it repeats another.
    const auto check = [&](int threads) {
      return Validator(*target, {.as_run = true, .threads = threads}).Check(large);
    };
    const Report alone = check(1);
    EXPECT_GT(alone.findings.size(), 0u);
    const std::string expected = ReportJson(alone);
    for (const int threads : {2, 3, 16}) {
      EXPECT_TRUE(ReportJson(check(threads)) == expected) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace quantgate
