// Which element resizing by the nearest one takes, in whole numbers: ONNX's Resize of operator set 13.
#ifndef QUANTGATE_CORE_LOWER_EXPRESSION_NEAREST_H_
#define QUANTGATE_CORE_LOWER_EXPRESSION_NEAREST_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lower/expression/value.h"

namespace quantgate::mapping {

// Of each of `to` elements: the index among `from`. Nothing for modes that are not known and for
// sizes beyond images.
std::optional<Ints> PlacesOf(std::string_view coordinates, std::string_view nearest, int64_t from,
                             int64_t to);

}  // namespace quantgate::mapping

#endif  // QUANTGATE_CORE_LOWER_EXPRESSION_NEAREST_H_
