// The type and encoding of one quantized tensor: what its stored integers mean.
#ifndef QUANTGATE_CORE_SAFETY_CODING_H_
#define QUANTGATE_CORE_SAFETY_CODING_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "quantgate/dtype.h"
#include "quantgate/encoding.h"
#include "quantgate/shared.h"

namespace quantgate::fix {

struct Coding {
  Dtype dtype = Dtype::kUndefined;  // a fixed-point type
  Shared<Encoding> encoding;
};

// Types and kinds are the same, scales and zero points too, however many entries write them.
bool Same(const Coding& a, const Coding& b);

// Of entry `i`; the last one stands for those after it, a missing zero point is 0.
double ScaleAt(const Encoding& encoding, size_t i);
int64_t ZeroPointAt(const Encoding& encoding, size_t i);
size_t EntryCount(const Encoding& encoding);

// The same real values in the type of the other sign; an unsigned type becomes signed and back.
Coding OtherSign(const Coding& coding);
// The plain integer type that holds the values: UFIXED_POINT_8 -> UINT_8. kUndefined for types
// that no file stores as plain integers.
Dtype StorageOf(Dtype fixed_point);

// "UFIXED_POINT_8, scale 0.02, zero_point 128", for people.
std::string Describe(const Coding& coding);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_CODING_H_
