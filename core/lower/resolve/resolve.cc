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
                 opdb::Tree route, std::string_view release) {
  Resolved resolved;
  resolved.graph = resolved.file = &model;
  const Dialect own = DialectFromName(target.dialect()).value_or(Dialect::kQnn);
  bool foreign = false;
  for (const Node& node : model.nodes) foreign |= model.DialectOf(node) != own;
  // A model in the backend's own words says already what it gets.
  if (!foreign) return resolved;

  resolved.owned = std::make_unique<Model>();
  resolved.graph = resolved.owned.get();
  resolved.sources.resize(model.nodes.size());
  mapping::Mapping mapping = MappingOf(model.dialect, target, database);
  SourceResolver resolver(model, mapping, route, resolved);
  resolver.Run();
  resolver.ApplyRoute(route, release, target);
  return resolved;
}

void FindQuantizationConstants(
    const Model& model, const Target& target, const opdb::View& database,
    absl::flat_hash_map<std::string, QuantizationConstants>& tensors) {
  mapping::Mapping mapping = MappingOf(model.dialect, target, database);
  const auto name = [&](TensorId id) {
    return id == kNoTensor ? SharedString() : model.tensors[static_cast<size_t>(id)].name;
  };
  for (const Node& node : model.nodes) {
    if (node.inputs.size() < 2 || node.outputs.empty()) continue;
    for (const bool quantizes : {false, true}) {
      const auto at = tensors.find(name(quantizes ? node.outputs[0] : node.inputs[0]).str());
      if (at == tensors.end()) continue;
      const mapping::OpMapping* op = mapping.Find(node.domain, node.op);
      if (op == nullptr ||
          op->role != (quantizes ? mapping::Role::kQuantize : mapping::Role::kDequantize)) {
        continue;
      }
      at->second.scale = name(node.inputs[1]);
      if (node.inputs.size() > 2) at->second.zero_point = name(node.inputs[2]);
    }
  }
}

}  // namespace quantgate
