#include "core/readers/onnx/onnx_infer.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "core/base/recent.h"
#include "core/readers/onnx/onnx_fold.h"
#include "core/readers/onnx/shapes/context.h"
#include "core/readers/onnx/shapes/functions.h"

namespace quantgate::onnx {
namespace {

using namespace shapes;  // functions of the names of operators

// The type of output 0 where `infer` does not say it.
enum class TypeRule : uint8_t { kOwn, kInput0, kInput1, kInput2, kBool, kInt64 };

struct Row {
  std::string_view op;
  void (*infer)(Context&);
  TypeRule type = TypeRule::kInput0;
};

// Sorted by name. Only what follows from shapes and small constants; the operators themselves
// are described in onnx/docs/Operators.md.
constexpr auto kRows = std::to_array<Row>({
    {"Abs", Same},
    {"Acos", Same},
    {"Acosh", Same},
    {"Add", Add},
    {"AffineGrid", AffineGrid},
    {"And", Broadcasting, TypeRule::kBool},
    {"ArgMax", ArgReduce, TypeRule::kInt64},
    {"ArgMin", ArgReduce, TypeRule::kInt64},
    {"Asin", Same},
    {"Asinh", Same},
    {"Atan", Same},
    {"Atanh", Same},
    {"Attention", Attention},
    {"AveragePool", Pool},
    {"BatchNormalization", Same},
    {"Bernoulli", Like, TypeRule::kOwn},
    {"BiasGelu", Same},
    {"BitShift", Broadcasting},
    {"BitwiseAnd", Broadcasting},
    {"BitwiseNot", Same},
    {"BitwiseOr", Broadcasting},
    {"BitwiseXor", Broadcasting},
    {"Cast", Cast, TypeRule::kOwn},
    {"CastLike", SameValues, TypeRule::kInput1},
    {"Ceil", Same},
    {"Celu", Same},
    {"Clip", Same},
    {"Col2Im", Col2Im},
    {"Compress", Compress},
    {"Concat", Concat},
    {"ConstantOfShape", ConstantOfShape, TypeRule::kOwn},
    {"Conv", Conv},
    {"ConvInteger", ConvInteger, TypeRule::kOwn},
    {"ConvTranspose", ConvTranspose},
    {"Cos", Same},
    {"Cosh", Same},
    {"CumProd", Same},
    {"CumSum", Same},
    {"DeformConv", Conv},
    {"DepthToSpace", DepthToSpace},
    {"DequantizeLinear", Dequantize, TypeRule::kOwn},
    {"Det", Determinant},
    {"Div", Divide},
    {"Dropout", Same},
    {"DynamicQuantizeLinear", DynamicQuantize, TypeRule::kOwn},
    {"Einsum", Einsum},
    {"Elu", Same},
    {"Equal", Broadcasting, TypeRule::kBool},
    {"Erf", Same},
    {"Exp", Same},
    {"Expand", Expand},
    {"EyeLike", Like, TypeRule::kOwn},
    {"FastGelu", Same},
    {"Flatten", Flatten},
    {"Floor", Same},
    {"GRU", Recurrent},
    {"Gather", Gather},
    {"GatherElements", GatherElements},
    {"GatherND", GatherNd},
    {"Gelu", Same},
    {"Gemm", Gemm},
    {"GlobalAveragePool", GlobalPool},
    {"GlobalLpPool", GlobalPool},
    {"GlobalMaxPool", GlobalPool},
    {"Greater", Broadcasting, TypeRule::kBool},
    {"GreaterOrEqual", Broadcasting, TypeRule::kBool},
    {"GridSample", GridSample},
    {"GroupNormalization", Same},
    {"HardSigmoid", Same},
    {"HardSwish", Same},
    {"Hardmax", Same},
    {"Identity", SameValues},
    {"InstanceNormalization", Same},
    {"IsInf", Same, TypeRule::kBool},
    {"IsNaN", Same, TypeRule::kBool},
    {"LRN", Same},
    {"LSTM", Recurrent},
    {"LayerNormalization", Same},
    {"LeakyRelu", Same},
    {"Less", Broadcasting, TypeRule::kBool},
    {"LessOrEqual", Broadcasting, TypeRule::kBool},
    {"Log", Same},
    {"LogSoftmax", Same},
    {"LpNormalization", Same},
    {"LpPool", Pool},
    {"MatMul", MatMul},
    {"MatMulInteger", MatMulInteger, TypeRule::kOwn},
    {"Max", Broadcasting},
    {"MaxPool", Pool},
    {"MaxRoiPool", MaxRoiPool},
    {"MaxUnpool", MaxUnpool},
    {"Mean", Broadcasting},
    {"MeanVarianceNormalization", Same},
    {"Min", Broadcasting},
    {"Mish", Same},
    {"Mod", Broadcasting},
    {"Mul", Multiply},
    {"Neg", Same},
    {"NonMaxSuppression", NonMaxSuppression, TypeRule::kInt64},
    {"NonZero", NonZero, TypeRule::kInt64},
    {"Not", Same, TypeRule::kBool},
    {"OneHot", OneHot, TypeRule::kInput2},
    {"Or", Broadcasting, TypeRule::kBool},
    {"PRelu", Same},
    {"Pad", Pad},
    {"Pow", Broadcasting},
    {"QLinearConv", QLinearConv, TypeRule::kOwn},
    {"QLinearMatMul", QLinearMatMul, TypeRule::kOwn},
    {"QuantizeLinear", Quantize, TypeRule::kOwn},
    {"QuickGelu", Same},
    {"RMSNormalization", Same},
    {"RNN", Recurrent},
    {"RandomNormal", Drawn, TypeRule::kOwn},
    {"RandomNormalLike", Like, TypeRule::kOwn},
    {"RandomUniform", Drawn, TypeRule::kOwn},
    {"RandomUniformLike", Like, TypeRule::kOwn},
    {"Range", Range},
    {"Reciprocal", Same},
    {"ReduceL1", Reduce},
    {"ReduceL2", Reduce},
    {"ReduceLogSum", Reduce},
    {"ReduceLogSumExp", Reduce},
    {"ReduceMax", Reduce},
    {"ReduceMean", Reduce},
    {"ReduceMin", Reduce},
    {"ReduceProd", Reduce},
    {"ReduceSum", Reduce},
    {"ReduceSumSquare", Reduce},
    {"Relu", Same},
    {"Reshape", Reshape},
    {"Resize", Resize},
    {"ReverseSequence", Same},
    {"RoiAlign", RoiAlign},
    {"RotaryEmbedding", Same},
    {"Round", Same},
    {"Scatter", Same},
    {"ScatterElements", Same},
    {"ScatterND", Same},
    {"Selu", Same},
    {"Shape", ShapeOf, TypeRule::kInt64},
    {"Shrink", Same},
    {"Sigmoid", Same},
    {"Sign", Same},
    {"SimplifiedLayerNormalization", Same},
    {"Sin", Same},
    {"Sinh", Same},
    {"Size", SizeOf, TypeRule::kInt64},
    {"SkipLayerNormalization", Same},
    {"SkipSimplifiedLayerNormalization", Same},
    {"Slice", Slice},
    {"Softmax", Same},
    {"Softplus", Same},
    {"Softsign", Same},
    {"SpaceToDepth", SpaceToDepth},
    {"Split", Split},
    {"Sqrt", Same},
    {"Squeeze", Squeeze},
    {"Sub", Subtract},
    {"Sum", Broadcasting},
    {"Swish", Same},
    {"Tan", Same},
    {"Tanh", Same},
    {"TensorScatter", Same},
    {"ThresholdedRelu", Same},
    {"Tile", Tile},
    {"TopK", TopK},
    {"Transpose", Transpose},
    {"Trilu", Same},
    {"Unsqueeze", Unsqueeze},
    {"Upsample", Resize},
    {"Where", Broadcasting, TypeRule::kInput1},
    {"Xor", Broadcasting, TypeRule::kBool},
});
constexpr bool ByOp(const Row& a, const Row& b) { return a.op < b.op; }
static_assert(std::is_sorted(kRows.begin(), kRows.end(), ByOp));

// Null: nothing is known of the operator.
const Row* FindRow(std::string_view op) {
  const auto row = std::lower_bound(kRows.begin(), kRows.end(), Row{op, nullptr}, ByOp);
  return row != kRows.end() && row->op == op ? &*row : nullptr;
}

void SetTypeByRule(Context& c, TypeRule rule) {
  switch (rule) {
    case TypeRule::kOwn:
      return;
    case TypeRule::kInput0:
      return c.SetType(0, c.Type(0));
    case TypeRule::kInput1:
      return c.SetType(0, c.Type(1));
    case TypeRule::kInput2:
      return c.SetType(0, c.Type(2));
    case TypeRule::kBool:
      return c.SetType(0, Dtype::kBool8);
    case TypeRule::kInt64:
      return c.SetType(0, Dtype::kInt64);
  }
}

// Contributed operators of these names do as the standard ones.
bool KnownDomain(std::string_view domain) { return domain.empty() || domain == "com.microsoft"; }

}  // namespace

void InferShapes(Model& model, const std::vector<int32_t>& order) {
  KnownInts known;
  Folder folder(model);
  RecentByName<const Row*> met;
  for (const int32_t index : order) {
    const Node& node = model.nodes[index];
    if (!KnownDomain(node.domain)) continue;
    const Row* const row = met.Of(node.op, FindRow);
    if (row == nullptr) continue;
    Context context(model, node, known);
    row->infer(context);
    SetTypeByRule(context, row->type);
    if (!folder.Fold(node)) context.PublishInts();
  }
}

}  // namespace quantgate::onnx
