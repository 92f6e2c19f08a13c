// A list of layer shapes -> the ONNX operators that such layers are, in float.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "core/base/json_cursor.h"
#include "core/base/text.h"
#include "core/readers/limits.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

using Value = JsonCursor::Value;

constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
// The operator set from which on nothing about the operators below has changed.
constexpr int64_t kOpset = 13;

constexpr std::array<JsonKey, 2> kTop = {{{"name", "name"}, {"layers", "layers"}}};
constexpr std::array<JsonKey, 4> kLayer = {
    {{"name", "name"}, {"in", "in"}, {"out", "out"}, {"kernel", "kernel"}}};

struct Layer {
  std::string name;
  int64_t in = kDynamicDim, out = kDynamicDim;
  absl::InlinedVector<int64_t, 4> kernel;  // empty = a matrix product, else a convolution
};

class LayersReader {
 public:
  LayersReader(std::string_view json, std::string_view name) : json_(json) {
    model_.name = name;
    model_.dialect = Dialect::kOnnx;
    model_.opset = kOpset;
  }

  absl::StatusOr<Model> Read() {
    const bool ok = json_.Document([&](Value root) {
      return json_.Object(root, kTop, [&](size_t key, Value value) {
        std::string_view text;
        if (key == 0) {
          if (!json_.String(value, &text)) return false;
          model_.name = Utf8(text);
          return true;
        }
        return json_.Array(value, [&](Value item) { return ReadLayer(item); });
      });
    });
    if (!ok) return json_.status();
    if (model_.nodes.empty()) return Invalid("layers: there is no layer in it");
    return std::move(model_);
  }

 private:
  bool ReadLayer(Value value) {
    const size_t place = json_.OffsetOf(value);
    Layer layer;
    const bool ok = json_.Object(value, kLayer, [&](size_t key, Value member) {
      std::string_view text;
      int64_t size = 0;
      switch (key) {
        case 0:
          if (!json_.String(member, &text)) return false;
          layer.name = Utf8(text);
          return true;
        case 1:
          return json_.Int(member, 1, kMaxSize, &layer.in);
        case 2:
          return json_.Int(member, 1, kMaxSize, &layer.out);
        default:
          return json_.Array(member, [&](Value item) {
            if (layer.kernel.size() == 2) return json_.Fail(item, "a kernel has two sizes");
            if (!json_.Int(item, 1, kMaxSize, &size)) return false;
            layer.kernel.push_back(size);
            return true;
          });
      }
    });
    if (!ok) return false;
    if (layer.name.empty()) return json_.FailAt(place, "a layer needs a name");
    if (layer.kernel.size() == 1) return json_.FailAt(place, "a kernel has two sizes");
    if (!names_.insert(layer.name).second) {
      return json_.FailAt(place, fmt::format("a second layer is named {}", Quoted(layer.name)));
    }
    if (const std::string problem = CheckName(layer.name); !problem.empty()) {
      return json_.FailAt(place, problem);
    }
    if (const std::string problem = CheckRoomForTensor(model_.tensors.size() + 2);
        !problem.empty()) {
      return json_.FailAt(place, problem);
    }
    Add(layer);
    return true;
  }

  TensorId AddTensor(std::string name, absl::InlinedVector<int64_t, 4> dims, bool is_static) {
    Tensor& tensor = model_.tensors.emplace_back();
    tensor.name = std::move(name);
    tensor.dtype = Dtype::kFloat32;
    tensor.dims = std::move(dims);
    tensor.is_static = is_static;
    return static_cast<TensorId>(model_.tensors.size() - 1);
  }

  void Add(const Layer& layer) {
    const bool matrix = layer.kernel.empty();
    Node node;
    node.name = layer.name;
    node.op = matrix ? "MatMul" : "Conv";
    absl::InlinedVector<int64_t, 4> x = {1, 1, layer.in}, w = {layer.in, layer.out};
    absl::InlinedVector<int64_t, 4> y = {1, 1, layer.out};
    if (!matrix) {
      x = {1, layer.in, layer.kernel[0], layer.kernel[1]};
      w = {layer.out, layer.in, layer.kernel[0], layer.kernel[1]};
      y = {1, layer.out, 1, 1};
    }
    node.inputs = {AddTensor(layer.name + ".input", std::move(x), false),
                   AddTensor(layer.name + ".weight", std::move(w), true)};
    node.outputs = {AddTensor(layer.name + ".output", std::move(y), false)};
    model_.inputs.push_back(node.inputs[0]);
    model_.outputs.push_back(node.outputs[0]);
    model_.nodes.push_back(std::move(node));
  }

  JsonCursor json_;
  Model model_;
  absl::flat_hash_set<std::string> names_;
};

}  // namespace

absl::StatusOr<Model> ReadLayers(std::string_view json, std::string_view name) {
  return LayersReader(json, name).Read();
}

}  // namespace quantgate
