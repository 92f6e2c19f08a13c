// Archs by age, where their names say it.
#ifndef QUANTGATE_CORE_DATABASE_ARCH_ORDER_H_
#define QUANTGATE_CORE_DATABASE_ARCH_ORDER_H_

#include <charconv>
#include <string_view>

namespace quantgate::opdb {

// "v66" before "v68"; false for other names.
inline bool IsOlderArch(std::string_view arch, std::string_view other) {
  const auto number = [](std::string_view name) {
    int value = 0;
    if (!name.starts_with('v')) return -1;
    const auto [end, error] =
        std::from_chars(name.data() + 1, name.data() + name.size(), value);
    return error == std::errc() && end == name.data() + name.size() ? value : -1;
  };
  return number(arch) >= 0 && number(arch) < number(other);
}

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_ARCH_ORDER_H_
