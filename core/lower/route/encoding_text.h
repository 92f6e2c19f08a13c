// Encodings in what a route's findings say, and as edits of the file.
#ifndef QUANTGATE_CORE_LOWER_ROUTE_ENCODING_TEXT_H_
#define QUANTGATE_CORE_LOWER_ROUTE_ENCODING_TEXT_H_

#include <string>
#include <string_view>
#include <vector>

#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// "scale 0.02, zero_point 128 (offset -128)"; another kind by its name.
std::string Describe(const Tensor& t);

// What to write instead, as edits of the tensor's encoding.
std::vector<Edit> Write(std::string_view tensor, const Encoding& wanted);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ROUTE_ENCODING_TEXT_H_
