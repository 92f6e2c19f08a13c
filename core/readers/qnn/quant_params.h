// quant_params of a tensor in a net.json -> Encoding.
#ifndef QUANTGATE_CORE_READERS_QNN_QUANT_PARAMS_H_
#define QUANTGATE_CORE_READERS_QNN_QUANT_PARAMS_H_

#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/json_cursor.h"
#include "core/readers/unknown_fields.h"
#include "quantgate/model.h"

namespace quantgate::qnn {

// As far as it is given.
struct QuantParams {
  int64_t definition = 0, encoding = -1;
  bool has_axis = false;    // axis_scale_offset, bw_axis_scale_offset, blockwise_expansion
  bool has_tensor = false;  // scale_offset, bw_scale_offset
  int64_t axis = 0, bitwidth = 0;
  int64_t num_blocks = 0, block_bitwidth = 0, block_storage = 0;
  absl::InlinedVector<float, 1> scales;
  std::vector<int64_t> offsets;
  std::vector<int32_t> block_scales;
};

// False, with the error in `json`, where it can't be read.
bool ReadQuantParams(JsonCursor& json, JsonCursor::Value value, UnknownFields& unknown, QuantParams* out);

// False where the file says that there is an encoding and does not hold it. `moved` counts tensors of signed types
// whose offsets stand on the unsigned grid, read as 0.
bool SetEncoding(const QuantParams& quant, Tensor* tensor, int64_t* moved);

}  // namespace quantgate::qnn

#endif  // QUANTGATE_CORE_READERS_QNN_QUANT_PARAMS_H_
