// A format-neutral graph: what a reader makes of a file.
//
// Plain structs, a value; tensors are referred to by index. Copies share names, encodings and
// params until one of them is edited (`tensor.encoding.Edit().axis = 3`).
// `quantgate::v1::Model` (proto/quantgate/v1/model.proto) serialises it.
#ifndef QUANTGATE_MODEL_H_
#define QUANTGATE_MODEL_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/export.h"
#include "quantgate/shared.h"
#include "quantgate/shared_string.h"

namespace QUANTGATE_EXPORT quantgate {

enum class Dialect : uint8_t { kQnn, kOnnx, kAten, kTflite };
inline constexpr size_t kDialectCount = 4;
std::string_view DialectName(Dialect dialect);  // "qnn", "onnx", "aten", "tflite"
std::optional<Dialect> DialectFromName(std::string_view name);

using TensorId = int32_t;
// An absent optional input or output.
inline constexpr TensorId kNoTensor = -1;
// A dimension that is not fixed.
inline constexpr int64_t kDynamicDim = -1;

// Values of a small constant, as stored: integers in `ints`, floats in `reals`; row-major,
// as many as the tensor has elements, or one that stands for all, in the layout of the model's
// dialect. Readers keep at most kMaxKeptValues elements: small weights, and never large ones.
struct TensorValues {
  std::vector<int64_t> ints;
  std::vector<double> reals;
  bool operator==(const TensorValues&) const = default;
};
inline constexpr int64_t kMaxKeptValues = 4096;

struct Tensor {
  SharedString name;
  // kUndefined = unknown. In an ONNX or ATen model: the QNN name of the source type before
  // resolve (FLOAT -> FLOAT_32, UINT8 -> UINT_8); resolve turns quantized ones into
  // fixed-point types.
  Dtype dtype = Dtype::kUndefined;
  bool is_static = false;
  bool unknown_rank = false;
  // In the layout of the model's dialect (images: NHWC in QNN and TFLite, NCHW in ONNX and ATen).
  // Empty = scalar (unless unknown_rank); kDynamicDim = not fixed.
  absl::InlinedVector<int64_t, 4> dims;
  Shared<Encoding> encoding;
  std::shared_ptr<const TensorValues> values;  // null = not kept
  // Smallest and largest stored value where the reader knows them without keeping all.
  SharedOptional<std::pair<double, double>> value_range;
  // Sparse tensors: number of specified elements; -1 = dense.
  int64_t sparse = -1;

  int rank() const { return unknown_rank ? -1 : static_cast<int>(dims.size()); }
};

// A param that is a tensor: `ints` or `reals`, row-major, as many as `dims` say.
struct TensorParam {
  Dtype dtype = Dtype::kUndefined;
  absl::InlinedVector<int64_t, 2> dims;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  bool operator==(const TensorParam&) const = default;
};

// `int` INT_32, `uint` UINT_32, `real` FLOAT_32, `flag` BOOL_8, `tensor`; the last four
// alternatives occur in other dialects only.
struct IntParam {
  int64_t value = 0;
  bool operator==(const IntParam&) const = default;
};
struct UintParam {
  uint64_t value = 0;
  bool operator==(const UintParam&) const = default;
};
using ParamValue =
    std::variant<IntParam, UintParam, double, bool, TensorParam, std::string,
                 std::vector<std::string>, std::vector<int64_t>, std::vector<double>>;

struct Param {
  std::string name;
  ParamValue value;
};

// The params of a node, in the file's order. Copies share them until one is edited.
class Params {
 public:
  using value_type = Param;
  using const_iterator = std::vector<Param>::const_iterator;

  Params() = default;
  Params(std::vector<Param> params) : list_(std::move(params)) {}           // NOLINT: a list
  Params(std::initializer_list<Param> params) : list_(std::vector(params)) {}

  const_iterator begin() const { return list_->begin(); }
  const_iterator end() const { return list_->end(); }
  size_t size() const { return list_->size(); }
  bool empty() const { return list_->empty(); }
  const Param& operator[](size_t i) const { return (*list_)[i]; }
  void push_back(Param param) { list_.Edit().push_back(std::move(param)); }
  void clear() { list_ = {}; }
  operator const std::vector<Param>&() const { return *list_; }  // NOLINT: a list
  std::vector<Param>& Edit() { return list_.Edit(); }
  bool SharesWith(const Params& other) const { return list_.SharesWith(other.list_); }

 private:
  Shared<std::vector<Param>> list_;
};

struct Node {
  SharedString name;  // readers fill in `<op>_<index>` where the file has none
  SharedString op;    // ONNX "Conv", "aten.conv2d.default", "CONV_2D", QNN "Conv2d"
  // ONNX operator domain; empty = the default one. Unused in other dialects.
  SharedString domain;
  absl::InlinedVector<TensorId, 4> inputs;   // kNoTensor = absent optional input
  absl::InlinedVector<TensorId, 2> outputs;  // kNoTensor = unused output
  Params params;
  std::optional<Dialect> dialect;  // absent = the model's
  // Where the user wrote it: "model.py:42", an ONNX doc string, "Loop body of n7". May be empty.
  SharedString location;
  // Set by a reader for nodes it can't present to the validator, such as those inside a
  // control-flow subgraph: the node is reported as `unchecked` with this reason.
  SharedString unchecked_reason;
  // The file has it in a subgraph, which the reader has put in the place of the node that holds it.
  bool inlined = false;

  const Param* FindParam(std::string_view param_name) const;
};

struct Model {
  std::string name;
  Dialect dialect = Dialect::kQnn;
  // ONNX: version of the default operator set; 0 = unknown or another dialect.
  int64_t opset = 0;
  std::vector<Tensor> tensors;
  std::vector<Node> nodes;  // in file order
  std::vector<TensorId> inputs;   // of the graph
  std::vector<TensorId> outputs;  // of the graph
  // What the reader could not look at, in words: constants of a missing external file.
  std::vector<std::string> notes;

  Dialect DialectOf(const Node& node) const { return node.dialect.value_or(dialect); }
};

// Integers of a param whatever alternative holds them (a real or text gives nullopt).
std::optional<std::vector<int64_t>> IntsOf(const ParamValue& value);
// The same where it is one.
std::optional<int64_t> IntOf(const ParamValue& value);
std::optional<double> RealOf(const ParamValue& value);

}  // namespace quantgate

#endif  // QUANTGATE_MODEL_H_
