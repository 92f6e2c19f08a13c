// Shapes and dtypes that an ONNX file leaves out, from those it gives.
#ifndef QUANTGATE_CORE_READERS_ONNX_ONNX_INFER_H_
#define QUANTGATE_CORE_READERS_ONNX_ONNX_INFER_H_

#include <cstdint>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::onnx {

// Fills in unknown ranks and dtypes of node outputs; what the file gives stays. Producers come
// before consumers in `order`. Never fails: what can't be determined stays unknown.
void InferShapes(Model& model, const std::vector<int32_t>& order);

}  // namespace quantgate::onnx

#endif  // QUANTGATE_CORE_READERS_ONNX_ONNX_INFER_H_
