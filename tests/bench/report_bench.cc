// Reporters on a report of `range` findings.
#include <benchmark/benchmark.h>

#include "core/report/reporter.h"
#include "tests/unit/support/sample_report.h"

namespace quantgate {
namespace {

void BM_TextReport(benchmark::State& state) {
  const Report report = SampleReport(static_cast<int>(state.range(0)), /*same_values=*/false);
  for (auto _ : state) benchmark::DoNotOptimize(ReportText(report));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_TextReport)->Arg(1000)->Arg(100000);

void BM_JsonReport(benchmark::State& state) {
  const Report report = SampleReport(static_cast<int>(state.range(0)), /*same_values=*/false);
  for (auto _ : state) benchmark::DoNotOptimize(ReportJson(report, 0));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_JsonReport)->Arg(1000)->Arg(100000);

}  // namespace
}  // namespace quantgate
