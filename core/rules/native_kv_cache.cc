#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/rules/encoding_facts.h"
#include "core/rules/format.h"
#include "core/rules/graph_view.h"
#include "core/rules/kv_pairs.h"
#include "core/rules/rule_entry.h"

namespace quantgate::rules {
namespace {

// What stands against a native layout of one end.
void Against(const GraphView& g, const Tensor& t, std::set<std::string>& reasons) {
  const opdb::Tree s = g.settings();
  if (DtypeName(t.dtype) != s["dtype"].str()) {
    reasons.insert(fmt::format("{} instead of {}", DtypeName(t.dtype), s["dtype"].str()));
  } else if (ZeroPointAt(t.encoding, 0) != s["zero_point"].integer().value_or(0)) {
    reasons.insert(fmt::format("zero_point {} instead of {}", ZeroPointAt(t.encoding, 0),
                               s["zero_point"].str()));
  }
  const size_t rank = t.dims.size();
  const int64_t context = s["context_multiple"].integer().value_or(1);
  const int64_t head = s["head_multiple"].integer().value_or(1);
  if (rank < 2) return;
  // Keys may be stored transposed: [.., head, context].
  const int64_t a = t.dims[rank - 2], b = t.dims[rank - 1];
  const auto fits = [&](int64_t c, int64_t h) { return c % context == 0 && h % head == 0; };
  if (!fits(a, b) && !fits(b, a)) {
    reasons.insert(
        fmt::format("dimensions {}: a context in multiples of {} and heads in multiples "
                    "of {} are needed",
                    Dims(t), context, head));
  }
}

void Walk(const GraphView& g, GraphFindings& findings) {
  const std::vector<KvPair> pairs = KvPairs(g);
  if (pairs.empty()) return;
  const SetMask joins = g.sets().Bits(g.settings()["joins"]);
  const SetMask moves = g.sets().Bits(g.settings()["moves"]);
  std::set<std::string> reasons;
  const opdb::Tree archs = g.settings()["not_archs"];
  for (size_t i = 0; i < archs.size(); ++i) {
    if (archs.at(i).str() == g.target().arch())
      reasons.insert(fmt::format("arch {}", g.target().arch()));
  }
  bool quantized = false;
  for (const KvPair& pair : pairs) {
    const Tensor& in = g.tensor(pair.in_graph);
    quantized |= IsFixedPoint(in.dtype);
    Against(g, in, reasons);
    // The op that joins old and new, behind what only moves values.
    int32_t maker = g.Producer(pair.out_graph);
    for (int steps = 0; steps < 4 && maker >= 0 && g.Is(maker, moves) && !g.Is(maker, joins);
         ++steps) {
      const TensorId read = g.op(maker).inputs.empty() ? kNoTensor : g.op(maker).inputs[0];
      maker = read == kNoTensor ? -1 : g.Producer(read);
    }
    if (maker >= 0 && g.Is(maker, joins)) {
      reasons.insert(fmt::format("joined by {} instead of ScatterElements", g.op(maker).op));
    }
  }
  // A float model has no such choice to make.
  if (reasons.empty() || !quantized) return;
  Finding& f = findings.Add(-1, Consequence::kAdvice);
  f.tensor = g.tensor(pairs[0].input).name;
  f.message =
      fmt::format("{} can't be kept in the matrix unit's layout: each token lays {} out again",
                  pairs.size() == 1 ? "the cache" : fmt::format("the {} caches", pairs.size()),
                  pairs.size() == 1 ? "it" : "them");
  f.found = fmt::format("{}", fmt::join(reasons, "; "));
  f.allowed = "8 bits unsigned and symmetric, joined by ScatterElements";
  f.fixes.push_back(UnsafeFix("change what stands against it, or keep the caches flat"));
}

constexpr RuleEntry kEntry = {
    .rule = {.code = "QG611",
             .slug = "native-kv-cache",
             .summary = "the caches can't be kept in the matrix unit's own layout",
             .explanation = R"(## What it checks
Models with caches (see QG610): whether they could be kept native, in the layout of the matrix unit
(HMX_WEIGHT_LAYOUT): all caches 8 bits unsigned and symmetric, context a multiple of 256, head size
a multiple of 64, new entries written by ScatterElements and not by Concat, an arch newer than v68,
equal encodings in and out. One finding for the model, with everything that stands against it.

## Why
A native cache is read by the matrix unit as it is; a flat one is laid out again for every token.

## Fix
Change what the finding lists, or keep the cache flat: that is slower, and right.

## References
The evidence and what the real library or provider said are listed below.
)",
             .status = RuleStatus::kStable},
    .walk = Walk,
    .needs_all = MayHaveKvPairs};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace

extern const RuleEntry native_kv_cache;
const RuleEntry native_kv_cache = kEntry;

}  // namespace quantgate::rules
