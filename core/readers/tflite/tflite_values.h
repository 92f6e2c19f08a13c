// The values of a constant of a .tflite file.
#ifndef QUANTGATE_CORE_READERS_TFLITE_TFLITE_VALUES_H_
#define QUANTGATE_CORE_READERS_TFLITE_TFLITE_VALUES_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "quantgate/model.h"

namespace quantgate::tflite {

// Whether they are kept: those of shapes, axes, biases and tables, none of weights.
bool ShouldKeep(const Tensor& tensor, int64_t elements);

// The values in `data`; null where the type is none whose values are kept.
std::shared_ptr<const TensorValues> ValuesOf(Dtype dtype, std::string_view data);

}  // namespace quantgate::tflite

#endif  // QUANTGATE_CORE_READERS_TFLITE_TFLITE_VALUES_H_
