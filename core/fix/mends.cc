#include <array>

#include "core/fix/mend.h"

namespace quantgate::fix {

std::span<const Mend> Mends() {
  static constexpr std::array<Mend, 5> kMends = {MendAsWritten, MendSign, MendWidened, MendBorder,
                                                 MendBehind};
  return kMends;
}

}  // namespace quantgate::fix
