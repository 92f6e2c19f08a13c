// Whether two encodings say the same, however they write it.
#ifndef QUANTGATE_CORE_ENCODINGS_SAME_ENCODING_H_
#define QUANTGATE_CORE_ENCODINGS_SAME_ENCODING_H_

#include "quantgate/encoding.h"

namespace quantgate {

// Scales within 1e-6, relative; one scale or zero point stands for all; none = zero point 0.
bool SameEncoding(const Encoding& a, const Encoding& b);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_ENCODINGS_SAME_ENCODING_H_
