#include <fmt/core.h>

#include "core/rules/rule_entry.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/format.h"
#include "core/rules/support/graph_view.h"
#include "core/rules/support/kv_pairs.h"
#include "quantgate/report.h"

namespace quantgate::rules {
namespace kv_cache_encoding {

constexpr SettingField kFields[] = {kNamePairs<CacheSettings>, kConverters<CacheSettings>};

void Walk(const GraphView& g, GraphFindings& findings) {
  for (const KvPair& pair : KvPairs(g)) {
    const Tensor& in = g.tensor(pair.in_graph);
    const Tensor& out = g.tensor(pair.out_graph);
    if (!IsFixedPoint(in.dtype) || !IsFixedPoint(out.dtype)) continue;
    if (in.dtype == out.dtype && SameScales(in.encoding, out.encoding) &&
        SameZeroPoints(in.encoding, out.encoding)) {
      continue;
    }
    Finding& f = findings.Add(g.Producer(pair.out_graph), Consequence::kAdvice);
    f.tensor = out.name;
    f.message = fmt::format("the cache \"{}\" comes back as \"{}\" in another encoding",
                            g.EndName(pair.input), g.EndName(pair.output));
    f.found = DescribeTensor(out);
    f.allowed = fmt::format("as \"{}\": {}", g.EndName(pair.in_graph), DescribeTensor(in));
    f.fixes.push_back(UnsafeFix("give both ends of the cache one encoding"));
  }
}

constexpr RuleEntry kEntry = {
    .rule = About(kKvCacheEncoding,
                  {.summary = "a cache leaves the graph in another encoding than it enters",
                   .explanation = R"(## What it checks
Ends of the graph that belong together by their names (`past_key_values.0.key` and `present.0.key`,
`past_key_0_in` and `past_key_0_out`) and are quantized: type, scale and zero point must be equal.

## Why
What one run writes the next one reads. With different encodings the stored numbers mean something
else; where the caller converts in between, each token pays for it and every run rounds again.

## Fix
Give both ends the encoding of the input: calibrate over several steps and tie the two together.

## References
The evidence and what the real library or provider said are listed below.
)",
                   .status = RuleStatus::kStable}),
    .walk = Walk,
    .settings = &kFormOf<CacheSettings, kFields>};
static_assert(IsWellFormed(kEntry.rule));

}  // namespace kv_cache_encoding

const RuleEntry kKvCacheEncodingEntry = kv_cache_encoding::kEntry;

}  // namespace quantgate::rules
