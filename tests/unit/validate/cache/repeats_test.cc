// Graphs of many nodes of few forms: what is concluded from the first node of each form, without
// resolving the others, is what a look at the whole graph says, rules between nodes included.
#include "core/validate/cache/repeats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/lower/resolve/resolve.h"
#include "quantgate/quantgate.h"

namespace quantgate {
namespace {

using Dims = absl::InlinedVector<int64_t, 4>;

// Blocks of a network, one behind the other, with an oddity in one of `odds` places each.
class Maker {
 public:
  // `calibrated`: each tensor has a scale of its own; else they take turns, as stand-ins do.
  Maker(Dialect dialect, uint32_t seed, int odds, bool calibrated)
      : random_(seed), odds_(odds), calibrated_(calibrated) {
    model_.dialect = dialect;
    if (dialect == Dialect::kOnnx) model_.opset = 21;
    model_.name = "repeats";
  }
  virtual ~Maker() = default;

  Model Make(size_t nodes) && {
    TensorId x = Value({1, 16, 32});
    model_.inputs = {x};
    if (Odd()) model_.tensors[0].name = "past_key_values_0";
    while (model_.nodes.size() < nodes) x = Block(x);
    model_.outputs = {x};
    return std::move(model_);
  }

 protected:
  virtual TensorId Block(TensorId x) = 0;

  bool Odd() { return odds_ > 0 && random_() % static_cast<uint32_t>(odds_) == 0; }

  TensorId Add(Tensor tensor) {
    tensor.name = "t" + std::to_string(model_.tensors.size());
    model_.tensors.push_back(std::move(tensor));
    return static_cast<TensorId>(model_.tensors.size()) - 1;
  }

  float Scale() {
    if (Odd()) return 3.0F;
    if (calibrated_) return 0.01F + 1e-5F * static_cast<float>(random_() % 1000);
    return 0.01F + 0.001F * static_cast<float>(turn_++ % 5);
  }

  TensorId Value(Dims dims, int32_t zero_point = 0) {
    Tensor t;
    t.dims = std::move(dims);
    t.dtype = Dtype::kUfixedPoint8;
    if (Odd()) {
      t.dtype = Dtype::kFloat32;
      return Add(std::move(t));
    }
    t.encoding.kind = EncodingKind::kPerTensor;
    t.encoding.scales = {Scale()};
    t.encoding.zero_points = {zero_point};
    return Add(std::move(t));
  }

  TensorId Like(TensorId id, Dims dims) {
    Tensor t = model_.tensors[static_cast<size_t>(id)];
    t.dims = std::move(dims);
    t.is_static = false;
    t.values = nullptr;
    if (Odd() && !t.encoding.scales.empty()) t.encoding.scales[0] *= 2;
    return Add(std::move(t));
  }

  TensorId Constant(Dtype dtype, Dims dims, EncodingKind kind) {
    Tensor t;
    t.dtype = dtype;
    t.is_static = true;
    t.dims = std::move(dims);
    t.encoding.kind = kind;
    const auto channels = static_cast<size_t>(kind == EncodingKind::kPerChannel ? t.dims[0] : 1);
    t.encoding.scales.assign(channels, Scale());
    t.encoding.zero_points.assign(channels, Odd() ? 3 : 0);
    return Add(std::move(t));
  }

  TensorId Bias(TensorId in, TensorId weight, int64_t channels) {
    Tensor t;
    t.dtype = Dtype::kSfixedPoint32;
    t.is_static = true;
    t.dims = {channels};
    t.encoding.kind = EncodingKind::kPerTensor;
    const auto& input = model_.tensors[static_cast<size_t>(in)].encoding.scales;
    const float product = (input.empty() ? 1.0F : input[0]) *
                          model_.tensors[static_cast<size_t>(weight)].encoding.scales[0];
    t.encoding.scales = {Odd() ? product * 1e6F : product};
    t.encoding.zero_points = {0};
    auto values = std::make_shared<TensorValues>();
    values->ints.assign(static_cast<size_t>(channels), 9000);
    t.values = std::move(values);
    return Add(std::move(t));
  }

  TensorId Op(const char* op, absl::InlinedVector<TensorId, 4> inputs, TensorId output,
              std::vector<Param> params = {}) {
    Node node;
    node.name = "n" + std::to_string(model_.nodes.size());
    node.op = Odd() ? "aten.no_such.default" : op;  // in any dialect
    node.inputs = std::move(inputs);
    node.outputs = {output};
    node.params = std::move(params);
    model_.nodes.push_back(std::move(node));
    return output;
  }

  static Param Int(const char* name, int64_t value) { return {name, IntParam{value}}; }

  Model model_;
  std::mt19937 random_;
  int odds_;
  bool calibrated_;
  uint32_t turn_ = 0;
};

class AtenMaker : public Maker {
 public:
  AtenMaker(uint32_t seed, int odds, bool calibrated)
      : Maker(Dialect::kAten, seed, odds, calibrated) {}

 private:
  TensorId Linear(TensorId x, int64_t in, int64_t out, Dims dims) {
    const TensorId weight = Constant(Dtype::kSfixedPoint8, {out, in},
                                     Odd() ? EncodingKind::kPerTensor : EncodingKind::kPerChannel);
    return Op("aten.linear.default", {x, weight, Bias(x, weight, out)}, Value(std::move(dims)));
  }

  TensorId Reshape(TensorId x, Dims dims) {
    std::vector<int64_t> size(dims.begin(), dims.end());
    return Op("aten.view.default", {x}, Like(x, std::move(dims)), {{"size", std::move(size)}});
  }

  TensorId Permute(TensorId x, std::vector<int64_t> order) {
    const Dims from = model_.tensors[static_cast<size_t>(x)].dims;
    Dims to;
    for (const int64_t axis : order) to.push_back(from[static_cast<size_t>(axis)]);
    return Op("aten.permute.default", {x}, Like(x, to), {{"dims", std::move(order)}});
  }

  // Of a picture of four channels.
  TensorId Convolution(TensorId x) {
    const Dims picture = {1, 4, 8, 16};
    x = Reshape(x, picture);
    const TensorId weight = Constant(Dtype::kSfixedPoint8, {4, 4, 1, 1},
                                     Odd() ? EncodingKind::kPerTensor : EncodingKind::kPerChannel);
    const std::vector<int64_t> ones = {1, 1}, zeros = {0, 0};
    x = Op("aten.conv2d.default", {x, weight, Bias(x, weight, 4)}, Value(picture),
           {{"stride", ones}, {"padding", zeros}, {"dilation", ones}, Int("groups", 1)});
    return Reshape(x, {1, 16, 32});
  }

  // A layer on rank 2 with a Relu that can be folded into it.
  TensorId Layer(TensorId x) {
    x = Linear(Reshape(x, {16, 32}), 32, 32, {16, 32});
    x = Op("aten.relu.default", {x}, Value({16, 32}, Odd() ? 128 : 0));
    return Reshape(x, {1, 16, 32});
  }

  TensorId Block(TensorId x) override {
    TensorId y = Linear(x, 32, 32, {1, 16, 32});
    if (Odd()) {
      // In float between quantized neighbours.
      Tensor real;
      real.dtype = Dtype::kFloat32;
      real.dims = {1, 16, 32};
      y = Op("quantgate.dequantize", {y}, Add(real));
      y = Op("aten.abs.default", {y}, Add(real));
      y = Op("aten.sin.default", {y}, Add(real));
      y = Op("quantgate.quantize", {y}, Value({1, 16, 32}));
    }
    y = Layer(Convolution(y));
    if (Odd()) y = Op("aten.clone.default", {y}, Like(y, {1, 16, 32}));
    const TensorId scores =
        Op("aten.matmul.default", {y, Permute(y, {0, 2, 1})}, Value({1, 16, 16}));
    TensorId mask = Constant(Dtype::kUfixedPoint8, {1, 1, 16}, EncodingKind::kPerTensor);
    model_.tensors[static_cast<size_t>(mask)].value_range = {Odd() ? -90.0 : -255000.0, 0.0};
    const TensorId masked = Op("aten.add.Tensor", {scores, mask}, Value({1, 16, 16}));
    const TensorId weights = Op("aten.softmax.int", {masked}, Value({1, 16, 16}), {Int("dim", -1)});
    y = Op("aten.matmul.default", {weights, y}, Value({1, 16, 32}));
    if (Odd()) {
      y = Permute(Reshape(y, {1, 4, 4, 4, 8}), {0, 1, 2, 4, 3});
      y = Reshape(y, {1, 16, 32});
    }
    if (Odd()) Linear(y, 32, 300000, {1, 16, 300000});  // larger than VTCM
    y = Op("aten.cat.default", {x, y}, Value({1, 16, 64}), {Int("dim", 2)});
    y = Linear(y, 64, 32, {1, 16, 32});
    if (Odd()) {
      // Between two widths.
      Tensor wide = model_.tensors[static_cast<size_t>(y)];
      wide.dtype = Dtype::kUfixedPoint16;
      y = Op("quantgate.convert", {y}, Add(std::move(wide)));
    }
    y = Reshape(Reshape(y, {1, 4, 4, 32}), {1, 16, 32});
    return Op("aten.add.Tensor", {x, y}, Value({1, 16, 32}));
  }
};

// Annotated ONNX: without Q and DQ nodes.
class OnnxMaker : public Maker {
 public:
  OnnxMaker(uint32_t seed, int odds, bool calibrated)
      : Maker(Dialect::kOnnx, seed, odds, calibrated) {}

 private:
  static TensorValues Ints(std::vector<int64_t> ints) { return {std::move(ints), {}}; }

  TensorId Index(std::vector<int64_t> ints) {
    Tensor t;
    t.dtype = Dtype::kInt64;
    t.is_static = true;
    t.dims = {static_cast<int64_t>(ints.size())};
    t.values = std::make_shared<TensorValues>(Ints(std::move(ints)));
    return Add(std::move(t));
  }

  // Quantized and dequantized by nodes, in a graph that is annotated.
  TensorId ThroughNodes(TensorId x, Dims dims) {
    Tensor scale, zero, quantized;
    scale.dtype = Dtype::kFloat32;
    zero.dtype = quantized.dtype = Dtype::kUint8;
    scale.is_static = zero.is_static = true;
    scale.values = std::make_shared<TensorValues>(TensorValues{{}, {0.02}});
    zero.values = std::make_shared<TensorValues>(Ints({128}));
    quantized.dims = dims;
    const TensorId s = Add(std::move(scale)), z = Add(std::move(zero));
    x = Op("QuantizeLinear", {x, s, z}, Add(std::move(quantized)));
    return Op("DequantizeLinear", {x, s, z}, Value(std::move(dims)));
  }

  // Annotated, but a constant all the same.
  TensorId Computed(const Dims& dims) {
    TensorId x = Constant(Dtype::kUfixedPoint8, dims, EncodingKind::kPerTensor);
    for (int i = 0; i < 2; ++i) x = Op("Sigmoid", {x}, Value(dims));
    return x;
  }

  // Of the file, of a Constant, or computed out of such.
  TensorId Sizes(std::vector<int64_t> sizes) {
    if (!Odd()) return Index(std::move(sizes));
    Tensor t;
    t.dtype = Dtype::kInt64;
    t.dims = {static_cast<int64_t>(sizes.size())};
    Param value{"value", TensorParam{Dtype::kInt64, {t.dims[0]}, sizes, {}}};
    const TensorId constant = Op("Constant", {}, Add(t), {std::move(value)});
    return Odd() ? Op("Abs", {constant}, Add(t)) : constant;
  }

  // Blocks of 16 input channels, two a channel.
  TensorId BlockWeight() {
    const TensorId weight = Constant(Dtype::kSfixedPoint8, {32, 32}, EncodingKind::kLpbq);
    Encoding& e = model_.tensors[static_cast<size_t>(weight)].encoding;
    e.axis = 1;
    e.bitwidth = 4;
    e.scales.assign(32, e.scales[0]);
    e.zero_points.assign(32, 0);
    e.num_blocks = Odd() ? 4 : 2;
    e.block_scales.assign(static_cast<size_t>(32 * e.num_blocks), Odd() ? 17 : 3);
    e.block_scale_bitwidth = 4;
    e.block_scale_storage_bits = 8;
    return weight;
  }

  TensorId Block(TensorId x) override {
    const TensorId plain = Constant(Dtype::kSfixedPoint8, {32, 32}, EncodingKind::kPerTensor);
    TensorId y = Op("MatMul", {x, plain}, Value({1, 16, 32}));
    y = Op("Add", {y, Constant(Dtype::kUfixedPoint8, {32}, EncodingKind::kPerTensor)},
           Value({1, 16, 32}));
    y = Op("Relu", {y}, Value({1, 16, 32}, Odd() ? 128 : 0));
    y = Op("Reshape", {y, Sizes({16, 32})}, Like(y, {16, 32}));
    // In the first block it is the one from which those behind it are concluded.
    const bool first = x == 0 && random_() % 4 == 0;
    const TensorId turned = first || Odd() ? Computed({32, 16})
                                           : Op("Transpose", {y}, Like(y, {32, 16}),
                                                {{"perm", std::vector<int64_t>{1, 0}}});
    const TensorId scores = Op("MatMul", {y, turned}, Value({16, 16}));
    y = Op("MatMul", {scores, y}, Value({16, 32}));
    y = Op("Gemm", {y, BlockWeight(), kNoTensor}, Value({16, 32}));
    y = Op("Reshape", {y, Sizes({1, 16, 32})}, Like(y, {1, 16, 32}));
    y = Op("Transpose", {y}, Like(y, {1, 32, 16}), {{"perm", std::vector<int64_t>{0, 2, 1}}});
    if (Odd()) y = Op("Identity", {y}, Like(y, {1, 32, 16}));
    if (Odd()) y = ThroughNodes(y, {1, 32, 16});
    if (Odd()) {
      // Without an encoding, but of a fixed-point type.
      Tensor bare;
      bare.dtype = Dtype::kUfixedPoint8;
      bare.dims = {1, 32, 16};
      y = Op("Sigmoid", {y}, Add(bare));
      y = Op("Sigmoid", {y}, Value({1, 32, 16}));
    }
    y = Op("Clip", {y, kNoTensor, kNoTensor}, Value({1, 32, 16}));
    y = Op("Transpose", {y}, Like(y, {1, 16, 32}), {{"perm", std::vector<int64_t>{0, 2, 1}}});
    y = Op("Softmax", {y}, Value({1, 16, 32}), {Int("axis", -1)});
    return Op("Add", {x, y}, Value({1, 16, 32}));
  }
};

std::string Told(const Report& report) {
  std::string text;
  const auto add = [&](const auto&... parts) { ((text.append(parts).append("|")), ...); };
  for (const Finding& f : report.findings) {
    add(std::to_string(f.node_index), f.node, f.op, f.rule->slug, f.constraint, f.port, f.tensor,
        f.message, f.found, f.allowed, ConsequenceName(f.consequence), f.note, f.waived,
        std::to_string(f.op_index), std::to_string(static_cast<int>(f.level)));
    for (const Fix& fix : f.fixes) add(fix.summary);
    text += '\n';
  }
  for (const NodeReport& node : report.nodes) {
    add(node.name, node.op, ConsequenceName(node.verdict), node.into, node.reason);
    for (const std::string& op : node.resolved) add(op);
    text += '\n';
  }
  for (const int64_t count : report.counts) add(std::to_string(count));
  add(ConsequenceName(report.verdict), std::string(report.failed ? "failed" : ""));
  return text;
}

Validator ValidatorFor(const TargetSpec& flags, bool whole, Route route = Route::kDefault) {
  ValidatorOptions options;
  options.route = route;
  options.as_run = whole;  // what runs is told of all nodes, so all are looked at
  return Validator(*Target::Parse(flags), options);
}

TEST(Repeats, SameAsTheWholeGraph) {
  std::set<std::string_view> found;
  const std::vector<TargetSpec> targets = {
      {.soc = "SM8550"}, {.soc = "SM8350"}, {.sdk = "2.40", .arch = "v73"}};
  for (const TargetSpec& flags : targets) {
    const Validator quick = ValidatorFor(flags, false), whole = ValidatorFor(flags, true);
    for (uint32_t seed = 0; seed < 60; ++seed) {
      // From a few oddities in a graph to a few in a block.
      const int odds = std::vector<int>{3000, 600, 150}[seed % 3];
      const Model model = AtenMaker(seed, odds, seed % 2 == 0).Make(700);
      const Report a = quick.Check(model), b = whole.Check(model);
      ASSERT_EQ(Told(a), Told(b)) << "seed " << seed;
      for (const Finding& f : a.findings) found.insert(f.rule->slug);
    }
  }
  for (const char* slug : {"bias-overflow", "concat-lost-bits", "cut-range", "float-island",
                           "folded-relu-range", "large-constant", "mask-range", "rank-5-transpose",
                           "reported-preparation", "conversion-cost", "unfused-mask"}) {
    EXPECT_TRUE(found.contains(slug)) << slug;
  }
}

TEST(Repeats, SameAsTheWholeGraphInOnnx) {
  std::set<std::string_view> found;
  for (const TargetSpec& flags : {TargetSpec{.soc = "SM8550"}, TargetSpec{.soc = "SM8350"}}) {
    const Validator quick = ValidatorFor(flags, false, Route::kDirect),
                    whole = ValidatorFor(flags, true, Route::kDirect);
    for (uint32_t seed = 0; seed < 60; ++seed) {
      const int odds = std::vector<int>{3000, 300, 60}[seed % 3];
      const Model model = OnnxMaker(seed, odds, seed % 2 == 0).Make(500);
      const Report a = quick.Check(model), b = whole.Check(model);
      ASSERT_EQ(Told(a), Told(b)) << "seed " << seed;
      for (const Finding& f : a.findings) found.insert(f.rule->slug);
    }
  }
  for (const char* slug : {"block-factor", "missing-encoding", "different-encoding"}) {
    EXPECT_TRUE(found.contains(slug)) << slug;
  }
}

TEST(Repeats, FewAreResolved) {
  const Target target = *Target::Parse({});
  mapping::Mapping mapping = MappingOf(Dialect::kAten, target, Database::Embedded().view());
  const Model turns = AtenMaker(1, 0, false).Make(5000);
  const Repeats repeats = FindRepeats(turns, mapping);
  ASSERT_EQ(repeats.first.size(), turns.nodes.size());
  EXPECT_LT(repeats.rest.size(), 40U);
  // Stand-ins take turns: after some blocks all numbers are those of an earlier one.
  const auto like = std::count_if(repeats.like.begin(), repeats.like.end(),
                                  [](int32_t node) { return node >= 0; });
  EXPECT_GT(like, 4500);
  for (size_t i = 0; i < repeats.like.size(); ++i)
    EXPECT_LT(repeats.like[i], static_cast<int32_t>(i));

  mapping::Mapping onnx = MappingOf(Dialect::kOnnx, target, Database::Embedded().view());
  EXPECT_LT(FindRepeats(OnnxMaker(1, 0, false).Make(5000), onnx).rest.size(), 40U);

  const Repeats calibrated = FindRepeats(AtenMaker(1, 0, true).Make(5000), mapping);
  EXPECT_LT(calibrated.rest.size(), 40U);
}

}  // namespace
}  // namespace quantgate
