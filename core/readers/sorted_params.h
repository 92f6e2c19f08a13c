// The order in which params are written: params are a map, so file order means nothing.
#ifndef QUANTGATE_CORE_READERS_SORTED_PARAMS_H_
#define QUANTGATE_CORE_READERS_SORTED_PARAMS_H_

#include <algorithm>
#include <vector>

#include "quantgate/model.h"

namespace quantgate {

inline std::vector<const Param*> SortedParams(const std::vector<Param>& params) {
  std::vector<const Param*> sorted;
  sorted.reserve(params.size());
  for (const Param& param : params) sorted.push_back(&param);
  std::sort(sorted.begin(), sorted.end(),
            [](const Param* a, const Param* b) { return a->name < b->name; });
  return sorted;
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_SORTED_PARAMS_H_
