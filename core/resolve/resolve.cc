#include "core/resolve/resolve.h"

#include <memory>
#include <string>

namespace quantgate {

Resolved Resolve(const Model& model, const Target& /*target*/, const opdb::View& /*database*/) {
  Resolved resolved;
  // A QNN model says already what the backend gets.
  resolved.graph = &model;
  bool foreign = false;
  for (const Node& node : model.nodes) foreign |= model.DialectOf(node) != Dialect::kQnn;
  if (!foreign) return resolved;
  resolved.owned = std::make_unique<Model>();
  resolved.owned->name = model.name;
  resolved.graph = resolved.owned.get();
  resolved.sources.resize(model.nodes.size());
  for (SourceNode& source : resolved.sources) {
    source.state = SourceNode::State::kUnchecked;
    source.reason = "no mapping for the dialect " + std::string(DialectName(model.dialect));
  }
  return resolved;
}

}  // namespace quantgate
