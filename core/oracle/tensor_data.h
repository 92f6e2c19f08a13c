// Stored bytes of tensors: from a model's values, random, or zeros; and back to numbers.
#ifndef QUANTGATE_CORE_ORACLE_TENSOR_DATA_H_
#define QUANTGATE_CORE_ORACLE_TENSOR_DATA_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quantgate/model.h"

namespace quantgate::verify {

// Bytes of one stored element; 4-bit types are stored one value a byte. 0 = no such type.
size_t ElementBytes(Dtype dtype);
// Elements of a tensor with these dims, a dynamic one counting as 1; nullopt = more than
// `limit`, or a negative dim.
std::optional<size_t> ElementCount(const Tensor& tensor, size_t limit);

// `values` as stored, one standing for all; elements nobody gave are 0.
std::vector<uint8_t> PackValues(const TensorValues& values, Dtype dtype, size_t count);
// Random stored values: fixed-point types over the whole range of their bitwidth, those of 32 bits
// within 2^18 of 0 (biases), floats in [-1, 1), integers in 0..1, so that indices stay valid.
std::vector<uint8_t> RandomValues(const Tensor& tensor, size_t count, uint64_t seed);
// Stored values as numbers.
TensorValues UnpackValues(const std::vector<uint8_t>& bytes, Dtype dtype);

uint16_t HalfFromFloat(float value);
float FloatFromHalf(uint16_t half);

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_TENSOR_DATA_H_
