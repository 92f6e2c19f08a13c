// Functions of mapping expressions about the encoding of a port.
#ifndef QUANTGATE_CORE_LOWER_EXPRESSION_ENCODING_FUNCTIONS_H_
#define QUANTGATE_CORE_LOWER_EXPRESSION_ENCODING_FUNCTIONS_H_

#include <span>

#include "core/lower/expression/expr.h"

namespace quantgate::mapping {

using Args = std::span<const Value>;

// What is known of a port; nothing of a value that is none.
PortFacts FactsOf(const Scope& scope, const Value& value);

Value IsQuantized(const Scope& scope, Args args);
// Bits that carry values; null where it isn't quantized.
Value StoredBits(const Scope& scope, Args args);
// Its fixed-point type as text; null where it isn't quantized.
Value StoredDtype(const Scope& scope, Args args);
// Whether it has a scale for each channel.
Value IsPerChannel(const Scope& scope, Args args);
// Elements of a block along an axis; 0 = not quantized in blocks.
Value BlockSize(const Scope& scope, Args args);
// Whether a zero point other than 0 is given.
Value Offset(const Scope& scope, Args args);
// The smallest and the largest number that the encoding of a port can hold; null as of StoredAs().
Value Lowest(const Scope& scope, Args args);
Value Highest(const Scope& scope, Args args);
// Whether a quantized constant is known to hold zeros only.
Value Zeros(const Scope& scope, Args args);
// The number that a quantized constant of one element stands for; null where it isn't known.
Value Number(const Scope& scope, Args args);
// A number as the encoding of a port holds it, rounded to a step and clipped; null where it has no
// encoding, or one a channel.
Value StoredAs(const Scope& scope, Args args);

}  // namespace quantgate::mapping

#endif  // QUANTGATE_CORE_LOWER_EXPRESSION_ENCODING_FUNCTIONS_H_
