// The caches of a model: ends of the graph that go out of one run and into the next.
#ifndef QUANTGATE_CORE_RULES_KV_PAIRS_H_
#define QUANTGATE_CORE_RULES_KV_PAIRS_H_

#include <vector>

#include "core/rules/graph_view.h"

namespace quantgate::rules {

struct KvPair {
  TensorId input, output;  // ends of the graph
  // The same, quantized: behind the Quantize of a float input, before the Dequantize of a float
  // output. The ends themselves where there is none.
  TensorId in_graph, out_graph;
};

// By the names that the settings' `pairs` describe, in the order of the inputs.
std::vector<KvPair> KvPairs(const GraphView& view);
// Whether an input of the file may be one of a pair, by its name.
bool MayHaveKvPairs(opdb::Tree settings, const Model& file);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_KV_PAIRS_H_
