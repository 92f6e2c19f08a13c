#include <array>

#include "core/fix/repair.h"

namespace quantgate::fix {

std::span<const Repair> Repairs() {
  static constexpr std::array<Repair, 5> kRepairs = {RepairAsWritten, RepairSign, RepairWidened, RepairBorder,
                                                 RepairBehind};
  return kRepairs;
}

}  // namespace quantgate::fix
