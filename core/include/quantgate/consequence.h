// What breaking a constraint leads to, measured or documented; also a node's verdict.
#ifndef QUANTGATE_CONSEQUENCE_H_
#define QUANTGATE_CONSEQUENCE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "quantgate/export.h"

namespace QUANTGATE_EXPORT quantgate {

// Ordered from harmless to fatal; kUnchecked stands outside of the order and only
// applies where nothing else was found.
enum class Consequence : uint8_t {
  kAccepted = 0,      // nothing broken
  kAdvice = 1,        // runs, slower or less accurate
  kUndocumented = 2,  // against the documentation, works where measured
  kAltered = 3,       // runs, but not as written
  kWrongValues = 4,   // every call succeeds, the numbers are wrong
  kPrepareFails = 5,  // op validation accepts, graph preparation fails
  kRejected = 6,      // op validation refuses
  kUnchecked = 7,     // nothing is known, always with the reason
};
inline constexpr int kConsequenceCount = 8;

// "wrong_values"
std::string_view ConsequenceName(Consequence consequence);
std::optional<Consequence> ConsequenceFromName(std::string_view name);
// The worse of both; kUnchecked loses against everything but kAccepted.
Consequence Worse(Consequence a, Consequence b);

}  // namespace quantgate

#endif  // QUANTGATE_CONSEQUENCE_H_
