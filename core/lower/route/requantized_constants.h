// Constants that a tool computes anew and quantizes again before the backend gets them.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_
#define QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_

#include <memory>

#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "quantgate/model.h"

namespace quantgate {

// A finding for every op that a row of the document's `requantized_constants` is about and whose
// constant is quantized.
void ReportRequantizedConstants(opdb::Tree document, Resolved& resolved);

// The kept numbers of a bias in steps of `to`'s scales, cut where 32 bits end. Null = none kept.
std::shared_ptr<const TensorValues> RequantizedValues(const Tensor& bias, const Encoding& to);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_REQUANTIZED_CONSTANTS_H_
