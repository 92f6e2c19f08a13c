// The validator on QNN models of `range` convolutions. Budgets: an accepted op 150 ns, a refused
// one with its explanation 20 us, a million nodes 1 s; items per second are nodes per second.
#include <benchmark/benchmark.h>

#include <string>

#include "quantgate/database.h"
#include "quantgate/validator.h"

namespace quantgate {
namespace {

Tensor MakeTensor(std::string name, Dtype dtype, std::initializer_list<int64_t> dims, float scale,
                  int32_t zero_point) {
  Tensor tensor;
  tensor.name = std::move(name);
  tensor.dtype = dtype;
  tensor.dims = dims;
  tensor.encoding.Edit().kind = EncodingKind::kPerTensor;
  tensor.encoding.Edit().scales = {scale};
  tensor.encoding.Edit().zero_points = {zero_point};
  return tensor;
}

TensorParam UintTensor(absl::InlinedVector<int64_t, 2> dims, std::vector<int64_t> values) {
  return {Dtype::kUint32, std::move(dims), std::move(values), {}};
}

// A chain of convolutions that share one weight, whose zero point decides whether HTP takes
// them: the weight of a Conv2d must be symmetric.
Model ConvChain(int64_t nodes, int32_t weight_zero_point) {
  Model model;
  model.name = "chain";
  model.tensors.push_back(
      MakeTensor("w", Dtype::kSfixedPoint8, {1, 1, 32, 32}, 0.01F, weight_zero_point));
  model.tensors[0].is_static = true;
  model.tensors[0].encoding.Edit().kind = EncodingKind::kPerChannel;
  model.tensors[0].encoding.Edit().axis = 3;
  model.tensors.push_back(MakeTensor("x", Dtype::kUfixedPoint8, {1, 8, 8, 32}, 0.02F, 128));
  for (int64_t i = 0; i < nodes; ++i) {
    model.tensors.push_back(
        MakeTensor("y" + std::to_string(i), Dtype::kUfixedPoint8, {1, 8, 8, 32}, 0.02F, 128));
    Node node;
    node.name = "n" + std::to_string(i);
    node.op = "Conv2d";
    node.inputs = {static_cast<TensorId>(i + 1), 0};
    node.outputs = {static_cast<TensorId>(i + 2)};
    node.params = {{"stride", UintTensor({2}, {1, 1})},
                   {"pad_amount", UintTensor({2, 2}, {0, 0, 0, 0})}};
    model.nodes.push_back(std::move(node));
  }
  return model;
}

void Check(benchmark::State& state, int32_t weight_zero_point, Consequence expected) {
  const auto target = Target::Parse({});
  if (!target.ok()) return state.SkipWithError("no target");
  const Validator validator(*target);
  const Model model = ConvChain(state.range(0), weight_zero_point);
  for (auto _ : state) {
    const Report report = validator.Check(model);
    if (report.verdict != expected) return state.SkipWithError("unexpected verdict");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Accepted(benchmark::State& state) { Check(state, 0, Consequence::kAccepted); }
BENCHMARK(BM_Accepted)->Arg(1)->Arg(1000)->Arg(1000000)->Unit(benchmark::kMicrosecond);

void BM_Rejected(benchmark::State& state) { Check(state, 3, Consequence::kRejected); }
BENCHMARK(BM_Rejected)->Arg(1)->Arg(1000)->Unit(benchmark::kMicrosecond);

void BM_TargetParse(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(Target::Parse({.soc = "SM8550"}));
}
BENCHMARK(BM_TargetParse)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace quantgate
