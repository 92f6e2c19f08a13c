#include <array>

#include "core/fix/repair.h"

namespace quantgate::fix {

std::span<const Repair> Repairs() {
  static constexpr std::array kRepairs = {RepairAsWritten, RepairSign,   RepairWidened,
                                          RepairBorder,    RepairBehind, RepairBefore};
  return kRepairs;
}

}  // namespace quantgate::fix
