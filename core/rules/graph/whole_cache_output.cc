#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/rules/rule_entry.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace whole_cache_output {

struct Own : Settings {
  SetMask scatters = 0, joins = 0;
  SetMask views = 0;  // that hand all of a tensor on
  SetMask slices = 0;
  int64_t min_bytes = 0;
};

using F = Fields<Own>;
constexpr SettingField kFields[] = {F::Bind<&Own::scatters>("scatters"),
                                    F::Bind<&Own::joins>("joins"), F::Bind<&Own::views>("views"),
                                    F::Bind<&Own::slices>("slices"),
                                    F::Bind<&Own::min_bytes>("min_bytes")};

// An output that holds an input of the graph and what a run adds to it.
struct Cache {
  int32_t op = -1;  // that puts the two together
  double bytes = 0, added = 0;
};

bool ComesIn(const GraphView& g, TensorId id) {
  return id != kNoTensor && g.IsGraphInput(g.Behind(id, g.settings<Own>().views));
}

// What a scatter writes, or a join puts beside the tensor that comes in; 0 = neither is the case.
double AddedBytes(const GraphView& g, int32_t op) {
  const Own& own = g.settings<Own>();
  const auto& inputs = g.op(op).inputs;
  if (g.Is(op, own.scatters)) {
    constexpr size_t kUpdates = 2;
    return g.input(op, kUpdates) != nullptr && ComesIn(g, inputs[0]) ? BytesOf(*g.input(op, kUpdates)) : 0;
  }
  if (!g.Is(op, own.joins) || inputs.size() > kMostLinks) return 0;
  double all = 0, kept = 0;
  for (size_t port = 0; port < inputs.size(); ++port) {
    const Tensor* in = g.input(op, port);
    if (in == nullptr) continue;
    all += BytesOf(*in);
    if (ComesIn(g, inputs[port])) kept = std::max(kept, BytesOf(*in));
  }
  return 2 * kept > all ? all - kept : 0;
}

// What makes an output, or what a window is cut from that goes out; -1 = none.
int32_t SourceOf(const GraphView& g, TensorId output) {
  const Own& own = g.settings<Own>();
  const int32_t op = output == kNoTensor ? -1 : g.Producer(g.Behind(output, own.views));
  if (op < 0 || !g.Is(op, own.slices) || g.input(op, 0) == nullptr) return op;
  return g.Producer(g.Behind(g.op(op).inputs[0], own.views));
}

std::vector<Cache> CachesOf(const GraphView& g) {
  std::vector<Cache> caches;
  for (const TensorId output : g.graph().outputs) {
    const int32_t op = SourceOf(g, output);
    if (op < 0 || g.Refused(op) || !g.Is(op, g.settings<Own>().scatters | g.settings<Own>().joins)) continue;
    // A slice may hand on what is new alone.
    const double added = AddedBytes(g, op), bytes = BytesOf(g.tensor(output));
    if (added > 0 && bytes > added) caches.push_back({op, bytes, added});
  }
  return caches;
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const std::vector<Cache> caches = CachesOf(g);
  double bytes = 0, added = 0;
  for (const Cache& cache : caches) {
    bytes += cache.bytes;
    added += cache.added;
  }
  if (caches.empty() || bytes < static_cast<double>(g.settings<Own>().min_bytes)) return;
  const Cache& largest = *std::max_element(
      caches.begin(), caches.end(), [](const Cache& a, const Cache& b) { return a.bytes < b.bytes; });
  Finding& f = findings.AddOutput(largest.op, 0, Consequence::kAdvice);
  f.message = fmt::format("{} whole: {} a run, of which {} are new",
                          caches.size() == 1 ? "a cache goes out" : fmt::format("{} caches go out", caches.size()),
                          Bytes(bytes), Bytes(added));
  f.found = Bytes(bytes);
  f.allowed = Bytes(added);
  f.fixes.push_back(UnsafeFix("put out the new entries alone, and let the caller keep the cache"));
}

constexpr RuleEntry kEntry = {
    .rule = About(kWholeCacheOutput,
                  {.summary = "a cache goes out whole at every run, for a few new entries",
                   .explanation = R"(## What it checks
Outputs of the model that hold an input of it and what the run adds: written into it by a scatter, or
joined to it, also where a window is cut from the two. One finding for the model, from 64 KB on.

## Why
Every output is laid out flat and written to memory. A language model whose keys and values go out whole
writes its complete cache for each token, and the caller often copies it back: the larger the context, the
more of the time goes there.

## Fix
Put out the keys and values of the new token alone, and keep the cache outside of the graph: attention reads
the old entries as an input and joins the new ones.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<Own, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace whole_cache_output

const RuleEntry kWholeCacheOutputEntry = whole_cache_output::kEntry;

}  // namespace quantgate::rules
