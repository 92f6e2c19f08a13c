// The caches of a model: ends of the graph that go out of one run and into the next.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_KV_PAIRS_H_
#define QUANTGATE_CORE_RULES_SUPPORT_KV_PAIRS_H_

#include <string_view>
#include <vector>

#include "core/rules/support/graph_view.h"
#include "core/rules/support/settings.h"

namespace quantgate::rules {

// How the names of a cache's two ends differ: `input` in the one is `output` in the other.
struct NamePair {
  std::string_view input, output;
  std::vector<std::string_view> words;  // a cache's name holds one of them; empty = any name
};

struct CacheSettings : Settings {
  std::vector<NamePair> name_pairs;
  SetMask converters = 0;  // between a float end and the quantized cache
};

using N = Fields<NamePair>;
inline constexpr SettingField kNamePair[] = {N::Bind<&NamePair::input>("input"),
                                             N::Bind<&NamePair::output>("output"),
                                             N::Bind<&NamePair::words>("words", false)};
template <class S>
inline constexpr SettingField kNamePairs = Fields<S>::template Rows<&S::name_pairs>("name_pairs",
                                                                                    kNamePair);
template <class S>
inline constexpr SettingField kConverters = Fields<S>::template Bind<&S::converters>("converters");

struct KvPair {
  TensorId input, output;  // ends of the graph
  // The same, quantized: after the Quantize of a float input, before the Dequantize of a float
  // output. The ends themselves where there is none.
  TensorId in_graph, out_graph;
};

// By the names that the settings, those of CacheSettings, describe; in the order of the inputs.
std::vector<KvPair> KvPairs(const GraphView& view);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_KV_PAIRS_H_
