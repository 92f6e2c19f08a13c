// Where the axes of a tensor of the graph lie in the file it was read from.
#ifndef QUANTGATE_CORE_IR_FILE_LAYOUT_H_
#define QUANTGATE_CORE_IR_FILE_LAYOUT_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "quantgate/model.h"

namespace quantgate {

// For each axis its axis in the file: dims[i] = file dims[layout[i]]; -1 = a dimension of size 1
// that the file doesn't have.
using FileLayout = absl::InlinedVector<int8_t, 5>;
// Of the tensors whose layout differs from that of the file.
using FileLayouts = absl::flat_hash_map<TensorId, FileLayout>;

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_FILE_LAYOUT_H_
