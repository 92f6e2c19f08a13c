#include "core/lower/resolve/resolve.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/lower/resolve/mapping.h"
#include "core/lower/resolve/source_resolver.h"

namespace quantgate {

namespace {

// The document that says what the operators of a dialect become for a target.
mapping::Mapping MappingOf(Dialect dialect, const Target& target, const opdb::View& database) {
  const int backend = database.FindBackend(target.backend());
  return {database, absl::StrCat("resolve/", std::string(DialectName(dialect))),
          backend >= 0 ? &database.backends()[static_cast<size_t>(backend)] : nullptr};
}

}  // namespace

Resolved Resolve(const Model& model, const Target& target, const opdb::View& database,
                 opdb::Tree route) {
  Resolved resolved;
  resolved.graph = resolved.file = &model;
  bool foreign = false;
  for (const Node& node : model.nodes) foreign |= model.DialectOf(node) != Dialect::kQnn;
  // A QNN model says already what the backend gets.
  if (!foreign) return resolved;

  resolved.owned = std::make_unique<Model>();
  resolved.graph = resolved.owned.get();
  resolved.sources.resize(model.nodes.size());
  mapping::Mapping mapping = MappingOf(model.dialect, target, database);
  SourceResolver resolver(model, mapping, resolved);
  resolver.Run();
  if (const opdb::Tree rows = route["operators"]) {
    resolver.ApplyRoute(rows, route["source"].str(), target.knowledge_key());
  }
  return resolved;
}

}  // namespace quantgate
