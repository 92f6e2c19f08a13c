// Quantize and dequantize nodes as encodings of tensors.
#ifndef QUANTGATE_CORE_LOWER_RESOLVE_ENCODINGS_H_
#define QUANTGATE_CORE_LOWER_RESOLVE_ENCODINGS_H_

#include <string>

#include "quantgate/model.h"

namespace quantgate {

// The QNN type that carries the quantized values of a source type: UINT_8 -> UFIXED_POINT_8;
// 4-bit values travel in the 8-bit type with bitwidth 4. kUndefined where there is none.
Dtype FixedPointOf(Dtype source);
// Bits that carry values where they are fewer than those of FixedPointOf, else 0.
int BitwidthOf(Dtype source);
// The type the backend gets for a tensor without encoding: 64-bit integers become 32-bit ones.
Dtype PlainOf(Dtype source);

// An encoding on the tensor itself, from an encodings file or an annotated graph, as against
// one by Q and DQ nodes.
bool HasOwnEncoding(const Tensor& tensor);

struct NodeEncoding {
  Shared<Encoding> encoding;
  Dtype dtype = Dtype::kUndefined;  // fixed-point type of the quantized side
  SharedString problem;             // why there is none; the rest is then empty
  bool dynamic = false;             // the problem: scale or zero point is no constant
};

// Of a Q or DQ node: inputs x, scale and optional zero point, attributes axis and block_size
// (ONNX operator set 21). `quantized` is its quantized tensor.
NodeEncoding EncodingOf(const Model& model, const Node& node, const Tensor& quantized,
                        const TensorValues* scale, const TensorValues* zero_point);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_RESOLVE_ENCODINGS_H_
