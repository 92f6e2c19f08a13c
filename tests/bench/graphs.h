// Graphs of QNN ops for the benchmarks, made of the example models in docs/examples.
#ifndef QUANTGATE_TESTS_BENCH_GRAPHS_H_
#define QUANTGATE_TESTS_BENCH_GRAPHS_H_

#include <cstdint>
#include <string>

#include "quantgate/model.h"

namespace quantgate::bench {

enum class Kind { kCnn, kTransformer, kMix };

// `nodes` ops or a few more: a CNN or a transformer repeated, or (kMix) all of them in turn with
// a batch of its own for each copy, so that hardly any op comes twice.
Model MakeGraph(Kind kind, int64_t nodes);

// A file of docs/examples as it is.
std::string ExamplePath(const char* file);
Model ReadExample(const char* file);

}  // namespace quantgate::bench

#endif  // QUANTGATE_TESTS_BENCH_GRAPHS_H_
