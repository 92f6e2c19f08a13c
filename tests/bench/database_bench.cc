// The database: time until it is ready, and one lookup of an op.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "core/database/view.h"
#include "quantgate/database.h"

extern "C" {
extern const char quantgate_opdefs_begin[];
extern const char quantgate_opdefs_end[];
}

namespace quantgate {
namespace {

// What the first use of the embedded database costs: every index of the image is checked.
void BM_DatabaseOpen(benchmark::State& state) {
  const std::string_view image(
      quantgate_opdefs_begin, static_cast<size_t>(quantgate_opdefs_end - quantgate_opdefs_begin));
  for (auto _ : state) benchmark::DoNotOptimize(opdb::View::Open(image));
  state.counters["bytes"] = static_cast<double>(image.size());
}
BENCHMARK(BM_DatabaseOpen)->Unit(benchmark::kMicrosecond);

// Every op of the largest backend in turn.
void BM_OpLookup(benchmark::State& state) {
  const opdb::View& db = Database::Embedded().view();
  const opdb::BackendRow& backend = db.backends()[static_cast<size_t>(db.FindBackend("htp"))];
  std::vector<std::string_view> names;
  for (const opdb::OpRow& op : db.get(backend.ops)) names.push_back(db.str(op.name));
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(db.FindOp(backend, names[i]));
    if (++i == names.size()) i = 0;
  }
}
BENCHMARK(BM_OpLookup);

}  // namespace
}  // namespace quantgate
