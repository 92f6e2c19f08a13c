// Op validation by the real library of the same nodes, called in this process. Needs
// QUANTGATE_BACKEND_LIB, the path of a libQnnHtp.so; left out without it.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "core/oracle/backend.h"
#include "tests/bench/graphs.h"

namespace quantgate {
namespace {

constexpr int64_t kNodes = 200;

// One backend per process is all the library can have.
verify::Backend* Library() {
  static verify::Backend* backend = []() -> verify::Backend* {
    const char* path = std::getenv("QUANTGATE_BACKEND_LIB");
    if (path == nullptr) return nullptr;
    auto opened = verify::Backend::Open(path, {.arch = 73});
    return opened.ok() ? opened->release() : nullptr;
  }();
  return backend;
}

void BM_Library(benchmark::State& state, bench::Kind kind) {
  verify::Backend* backend = Library();
  if (backend == nullptr) return state.SkipWithError("QUANTGATE_BACKEND_LIB names no library");
  const Model model = bench::MakeGraph(kind, kNodes);
  std::vector<verify::OpConfig> ops;
  for (const Node& node : model.nodes) {
    auto op = verify::OpConfig::Build(model, node, verify::ConstantData::kZeros, 1);
    if (op.ok()) ops.push_back(*std::move(op));
  }
  for (auto _ : state) {
    for (verify::OpConfig& op : ops) benchmark::DoNotOptimize(backend->Validate(op));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(ops.size()));
}
BENCHMARK_CAPTURE(BM_Library, Cnn, bench::Kind::kCnn)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(BM_Library, Transformer, bench::Kind::kTransformer)
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quantgate
