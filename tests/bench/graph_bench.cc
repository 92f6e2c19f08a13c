// The validator on whole graphs; items per second are nodes per second, `bytes_per_node` is what
// the validator and its report take on top of the model. Budget: a million nodes in 1 s and at
// most 400 bytes a node.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <map>
#include <utility>

#include "quantgate/plan.h"
#include "quantgate/validator.h"
#include "tests/bench/graphs.h"

namespace quantgate::bench {
namespace {

const Model& Graph(Kind kind, int64_t nodes) {
  static std::map<std::pair<Kind, int64_t>, Model> made;
  const auto [at, added] = made.try_emplace({kind, nodes});
  if (added) at->second = MakeGraph(kind, nodes);
  return at->second;
}

size_t HeapInUse() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

template <Kind kind>
void BM_Graph(benchmark::State& state) {
  const Model& model = Graph(kind, state.range(0));
  static const Validator validator(*Target::Parse({}));
  for (auto _ : state) benchmark::DoNotOptimize(validator.Check(model));
  const auto nodes = static_cast<int64_t>(model.nodes.size());
  state.SetItemsProcessed(state.iterations() * nodes);
  if (state.threads() == 1) {
    const size_t before = HeapInUse();
    const Report report = validator.Check(model);
    const size_t bytes = HeapInUse() - before;
    state.counters["findings"] = static_cast<double>(report.findings.size());
    state.counters["bytes_per_node"] = static_cast<double>(bytes) / static_cast<double>(nodes);
  }
}
void Sizes(benchmark::internal::Benchmark* b) {
  for (const int64_t nodes : {1'000, 10'000, 100'000, 1'000'000}) b->Arg(nodes);
  b->Unit(benchmark::kMillisecond);
}
BENCHMARK(BM_Graph<Kind::kCnn>)->Name("BM_Cnn")->Apply(Sizes);
BENCHMARK(BM_Graph<Kind::kTransformer>)->Name("BM_Transformer")->Apply(Sizes);
BENCHMARK(BM_Graph<Kind::kMix>)->Name("BM_Mix")->Apply(Sizes);
// A plan for 8 bits of the same graphs in float.
template <Kind kind>
void BM_Plan(benchmark::State& state) {
  Model model = Graph(kind, state.range(0));
  for (Tensor& tensor : model.tensors) {
    if (tensor.encoding->kind != EncodingKind::kNone) tensor.dtype = Dtype::kFloat32;
    tensor.encoding = {};
  }
  const absl::StatusOr<Planner> planner = Planner::Make(*Target::Parse({}), {.precision = "8a8w"});
  for (auto _ : state) {
    const absl::StatusOr<Plan> plan = planner->MakePlan(model);
    if (!plan.ok()) return state.SkipWithError(plan.status().ToString().c_str());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(model.nodes.size()));
}
BENCHMARK(BM_Plan<Kind::kCnn>)->Name("BM_PlanCnn")->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Plan<Kind::kTransformer>)
    ->Name("BM_PlanTransformer")
    ->Arg(100'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Plan<Kind::kMix>)->Name("BM_PlanMix")->Arg(100'000)->Unit(benchmark::kMillisecond);

// One Validator, a graph of its own for each thread.
BENCHMARK(BM_Graph<Kind::kTransformer>)
    ->Name("BM_TransformerThreads")
    ->Arg(10'000)
    ->ThreadRange(1, 2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// One graph whose ops are shared by threads.
void BM_SharedGraph(benchmark::State& state) {
  const Model& model = Graph(Kind::kTransformer, 1'000'000);
  const Validator validator(*Target::Parse({}), {.threads = static_cast<int>(state.range(0))});
  for (auto _ : state) benchmark::DoNotOptimize(validator.Check(model));
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(model.nodes.size()));
}
BENCHMARK(BM_SharedGraph)
    ->Arg(1)
    ->Arg(2)
    ->ArgName("threads")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace quantgate::bench
