// Checking model files: the time of Validator::Check alone, over the files of a folder.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "quantgate/reader.h"
#include "quantgate/validator.h"

namespace quantgate::bench {
namespace {
void BM_Models(benchmark::State& state) {
  std::vector<Model> models;
  size_t nodes = 0;
  const char* folder = std::getenv("QG_MODELS");
  if (folder == nullptr) folder = QUANTGATE_SOURCE_DIR "/docs/examples";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    const absl::Status status =
        ReadInput(entry.path().string(), {}, [&](const ReadModel& read) {
          if (!read.model.ok()) return;
          nodes += read.model->nodes.size();
          models.push_back(*read.model);
        });
    if (!status.ok()) state.SkipWithError("a model can't be read");
  }
  const Validator validator(*Target::Parse({}));
  for (auto _ : state) {
    for (const Model& model : models) benchmark::DoNotOptimize(validator.Check(model));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(nodes));
  state.counters["models"] = static_cast<double>(models.size());
}
BENCHMARK(BM_Models)->Unit(benchmark::kMillisecond);
}  // namespace
}  // namespace quantgate::bench
