// Columns of the pages about what was asked and computed.
#ifndef QUANTGATE_CORE_ORACLE_TEXT_COLUMNS_H_
#define QUANTGATE_CORE_ORACLE_TEXT_COLUMNS_H_

#include <cstddef>

namespace quantgate::verify {

inline constexpr size_t kLabelColumns = 12;
inline constexpr size_t kNameColumns = 60;  // of a name before it is cut

}  // namespace quantgate::verify

#endif  // QUANTGATE_CORE_ORACLE_TEXT_COLUMNS_H_
