// What belongs to a name that was met lately: networks repeat few names, and those are found again
// without hashing.
#ifndef QUANTGATE_CORE_BASE_RECENT_H_
#define QUANTGATE_CORE_BASE_RECENT_H_

#include <array>
#include <cstddef>
#include <utility>

#include "quantgate/shared_string.h"

namespace quantgate {

template <typename Value>
class RecentByName {
 public:
  // `find(name)` unless that name was the last one in its place. Valid until the next call.
  template <typename Find>
  const Value& Of(const SharedString& name, Find&& find) {
    Met& met = met_[name.size() % met_.size()];
    if (!met.known || met.name != name) met = {name, find(name), true};
    return met.value;
  }

 private:
  struct Met {
    SharedString name;
    Value value{};
    bool known = false;
  };
  std::array<Met, 16> met_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_RECENT_H_
