// Readers: file to Model. Bytes per second count the whole file, weights included.
#include <benchmark/benchmark.h>

#include <fstream>
#include <iterator>
#include <string>

#include "quantgate/database.h"
#include "quantgate/reader.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"
#include "tests/bench/graphs.h"

namespace quantgate::bench {
namespace {

std::string Bytes(const char* file) {
  std::ifstream in(ExamplePath(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void BM_ReadOnnx(benchmark::State& state) {
  const std::string bytes = Bytes("llama_block_16a8w.onnx");
  int64_t nodes = 0;
  for (auto _ : state) {
    const auto model = ReadOnnx(bytes, "m", "");
    if (!model.ok()) return state.SkipWithError("can't read");
    nodes = static_cast<int64_t>(model->nodes.size());
  }
  state.SetItemsProcessed(state.iterations() * nodes);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
}
BENCHMARK(BM_ReadOnnx)->Unit(benchmark::kMicrosecond);

void BM_ReadModelJson(benchmark::State& state) {
  const std::string json = WriteModelJson(MakeGraph(Kind::kTransformer, state.range(0)), 0);
  int64_t nodes = 0;
  for (auto _ : state) {
    const auto model = ReadModelJson(json, "m");
    if (!model.ok()) return state.SkipWithError(std::string(model.status().message()).c_str());
    nodes = static_cast<int64_t>(model->nodes.size());
  }
  state.SetItemsProcessed(state.iterations() * nodes);
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(json.size()));
}
BENCHMARK(BM_ReadModelJson)->Arg(100)->Unit(benchmark::kMicrosecond);

// From an ONNX model in memory to its report: resolve, route, rules.
void BM_CheckOnnx(benchmark::State& state) {
  const Model model = ReadExample("llama_block_16a8w.onnx");
  const Validator validator(*Target::Parse({}));
  for (auto _ : state) benchmark::DoNotOptimize(validator.Check(model));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(model.nodes.size()));
}
BENCHMARK(BM_CheckOnnx)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quantgate::bench
