// The rules between nodes alone, on graphs of `range` ops with all that they look for: islands in
// float, conversions, joins, folded activations, masks. Budget: linear, and well below the 150 ns
// that an accepted op may cost; items per second are ops per second.
#include <benchmark/benchmark.h>

#include <string>

#include "core/validate/walk_graph.h"
#include "quantgate/database.h"
#include "tests/bench/graphs.h"

namespace quantgate::bench {
namespace {

class Maker {
 public:
  explicit Maker(int64_t ops) {
    last_ = Add(Dtype::kUfixedPoint8, 0.02F, 128);
    model_.inputs = {last_};
    while (static_cast<int64_t>(model_.nodes.size()) < ops) Group();
    model_.outputs = {last_};
  }
  Model Take() && { return std::move(model_); }

 private:
  TensorId Add(Dtype dtype, float scale, int32_t zero_point) {
    Tensor t;
    t.name = "t" + std::to_string(model_.tensors.size());
    t.dtype = dtype;
    t.dims = {1, 8, 8, 32};
    if (IsFixedPoint(dtype)) {
      t.encoding.Edit().kind = EncodingKind::kPerTensor;
      t.encoding.Edit().scales = {scale};
      t.encoding.Edit().zero_points = {zero_point};
    }
    model_.tensors.push_back(std::move(t));
    return static_cast<TensorId>(model_.tensors.size()) - 1;
  }
  void Op(const char* op, absl::InlinedVector<TensorId, 4> inputs, TensorId output) {
    Node node;
    node.name = "n" + std::to_string(model_.nodes.size());
    node.op = op;
    node.inputs = std::move(inputs);
    node.outputs = {output};
    model_.nodes.push_back(std::move(node));
    last_ = output;
  }
  // Ten ops, most of them with something to find.
  void Group() {
    const TensorId begin = last_;
    Op("Conv2d", {begin}, Add(Dtype::kUfixedPoint8, 0.05F, 128));
    Op("Relu", {last_}, Add(Dtype::kUfixedPoint8, 0.05F, 128));
    Op("Dequantize", {last_}, Add(Dtype::kFloat32, 0, 0));
    Op("ElementWiseAbs", {last_}, Add(Dtype::kFloat32, 0, 0));
    Op("Reshape", {last_}, Add(Dtype::kFloat32, 0, 0));
    Op("Quantize", {last_}, Add(Dtype::kUfixedPoint8, 0.02F, 128));
    Op("Convert", {last_}, Add(Dtype::kUfixedPoint16, 1e-4F, 32768));
    Op("Concat", {last_, begin}, Add(Dtype::kUfixedPoint16, 1e-3F, 32768));
    Op("ElementWiseAdd", {last_, last_}, Add(Dtype::kUfixedPoint16, 2.0F, 32768));
    Op("Softmax", {last_}, Add(Dtype::kUfixedPoint8, 0.004F, 0));
  }

  Model model_;
  TensorId last_ = 0;
};

void Walk(benchmark::State& state, const Model& model) {
  static const Target target = *Target::Parse({});
  static const GraphRules rules(Database::Embedded().view(), target);
  Resolved resolved;
  resolved.graph = &model;
  Report report;
  report.nodes.resize(model.nodes.size());
  size_t found = 0;
  for (auto _ : state) {
    report.findings.clear();
    rules.Walk(resolved, report);
    found = report.findings.size();
  }
  const auto ops = static_cast<int64_t>(model.nodes.size());
  state.SetItemsProcessed(state.iterations() * ops);
  state.SetComplexityN(ops);
  state.counters["findings"] = static_cast<double>(found);
}

void BM_GraphRulesFinding(benchmark::State& state) { Walk(state, Maker(state.range(0)).Take()); }
void BM_GraphRulesClean(benchmark::State& state) {
  Walk(state, MakeGraph(Kind::kTransformer, state.range(0)));
}
void RuleSizes(benchmark::internal::Benchmark* b) {
  for (const int64_t ops : {10'000, 100'000, 1'000'000}) b->Arg(ops);
  b->Unit(benchmark::kMillisecond)->Complexity(benchmark::oN);
}
BENCHMARK(BM_GraphRulesFinding)->Apply(RuleSizes);
BENCHMARK(BM_GraphRulesClean)->Apply(RuleSizes);

}  // namespace
}  // namespace quantgate::bench
