// Encodings as op validation of some backends reads them: without looking at their kind.
#ifndef QUANTGATE_CORE_RULES_SUPPORT_RAW_ENCODING_H_
#define QUANTGATE_CORE_RULES_SUPPORT_RAW_ENCODING_H_

#include <cstdint>
#include <optional>

#include "quantgate/model.h"

namespace quantgate::rules {

// The word of QNN's Qnn_QuantizeParams_t where SCALE_OFFSET has its offset. Other kinds have
// something else there: nothing 0, AXIS_SCALE_OFFSET the number of channels, BW_SCALE_OFFSET the
// bits of the scale, BW_AXIS_SCALE_OFFSET the axis. Nothing for kinds that are pointers.
std::optional<int64_t> RawOffset(const Tensor& tensor);

// Whether a check that takes encodings of two kinds for each other finds them equal: scales as
// whole numbers, offsets exactly. Encodings of one kind are read right; pointers equal pointers.
bool SameRaw(const Tensor& a, const Tensor& b);

// The same with `other` read in the form that `own` has: per-tensor forms take the first scale
// and offset of any kind, per-channel forms equal their own kind only, of pointers nothing is
// read.
bool SameInFormOf(const Tensor& own, const Tensor& other);

}  // namespace quantgate::rules

#endif  // QUANTGATE_CORE_RULES_SUPPORT_RAW_ENCODING_H_
