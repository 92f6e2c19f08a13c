// The encoding that a finding's fixes ask for.
#ifndef QUANTGATE_CORE_SAFETY_WANTED_CODING_H_
#define QUANTGATE_CORE_SAFETY_WANTED_CODING_H_

#include <optional>
#include <string_view>

#include "core/safety/coding.h"
#include "quantgate/report.h"

namespace quantgate::fix {

// `now` with the edits of `fix` that set something of this tensor's encoding; nullopt where there
// are none, or one that is not understood.
std::optional<Coding> WantedCoding(const Fix& fix, std::string_view tensor, const Coding& now);

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_WANTED_CODING_H_
