// What the attributes of a node and the values of a constant come to in a Model.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_ATTRIBUTES_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_ATTRIBUTES_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "core/readers/onnx/external_data.h"
#include "core/readers/onnx/onnx_proto.h"
#include "core/readers/onnx/onnx_tensor.h"
#include "core/readers/repeats.h"
#include "quantgate/model.h"

namespace quantgate::onnx {

// Where values are read from, and where it is noted what could not be read.
struct ValueSource {
  const ExternalData& data;
  const std::function<void(std::string_view)>& done;  // see onnx_reader.h
  const char** place;
  std::vector<std::string>* notes;
};

// Adds the inputs of the node whose values make encodings: scales and zero points.
void CollectEncodingInputs(const NodeProto& node, absl::flat_hash_set<absl::string_view>& names);

// "node "conv1"", as errors name it.
std::string PlaceOf(const Node& node);

// Type, shape and values of a constant. `what` names it in errors.
void SetStatic(const TensorProto& proto, const std::string& what, Keep keep,
               const ValueSource& source, Tensor* tensor);
// The tensor that a Constant makes, from whichever of its attributes is set.
void SetConstant(const std::vector<Attribute>& attributes, const std::string& what, Keep keep,
                 const ValueSource& source, Tensor* constant);
// Params of the node; takes the lists out of the attributes. `is_constant`: the values are in the
// tensor that the node makes.
Params ParamsOf(std::vector<Attribute>& attributes, const Node& node, bool is_constant,
                const ValueSource& source);

// Params by the bytes of the attributes that they were read from.
class KnownParams {
 public:
  // Null: none yet. Valid until the next Insert().
  const Params* Find(std::span<const std::string_view> attributes);
  void Insert(std::span<const std::string_view> attributes, const Params& params);

 private:
  bool SetKey(std::span<const std::string_view> attributes);  // false = too long to compare

  std::string key_;
  Repeats<Params> known_;
};

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_ATTRIBUTES_H_
