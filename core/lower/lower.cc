#include "quantgate/lower.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"

namespace quantgate {

std::string UsualRoute(Dialect dialect, const Target& target, bool with_encodings, const Database& database) {
  return std::string(UsualRouteOf(dialect, target, with_encodings, database.view()));
}

LoweredGraph Lower(Model model, const Target& target, std::string_view route, const Database& database) {
  LoweredGraph lowered;
  lowered.route = route.empty() ? UsualRoute(model.dialect, target, false, database) : std::string(route);
  Resolved resolved = Resolve(model, target, database.view());
  ApplyRoute(DocumentOf(lowered.route, database.view()), resolved);
  lowered.source = std::move(resolved.op_source);
  const size_t nodes = resolved.graph->nodes.size();
  if (lowered.source.empty()) {
    lowered.source.resize(nodes);
    std::iota(lowered.source.begin(), lowered.source.end(), 0);
  }
  lowered.withheld.resize(nodes);
  for (size_t i = 0; i < nodes && !resolved.sources.empty(); ++i) {
    const auto source = static_cast<size_t>(std::max(0, lowered.source[i]));
    lowered.withheld[i] = resolved.sources[source].state == SourceNode::State::kRefused;
  }
  // What nothing had to be resolved of is the model itself.
  lowered.model = resolved.owned != nullptr ? std::move(*resolved.owned) : std::move(model);
  return lowered;
}

}  // namespace quantgate
