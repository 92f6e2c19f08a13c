#include "core/lower/route/route.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/database/conditions.h"
#include "core/lower/route/document_passes.h"
#include "core/lower/route/dynamic_dims.h"
#include "core/lower/route/fused_transposes.h"
#include "core/lower/route/requantized_constants.h"
#include "core/rules/raise.h"

namespace quantgate {
namespace {

constexpr std::string_view kFolder = "routes/";

// The first route whose document lists the dialect under `key`; empty where none does.
std::string_view RouteThatLists(std::string_view key, Dialect dialect, const opdb::View& database) {
  for (const opdb::DocumentRow& row : database.documents()) {
    const std::string_view name = database.str(row.name);
    if (!name.starts_with(kFolder)) continue;
    if (opdb::Lists(database.TreeAt(row.root)[key], DialectName(dialect))) return name.substr(kFolder.size());
  }
  return {};
}

}  // namespace

opdb::Tree DocumentOf(std::string_view route, const opdb::View& database) {
  return database.Document(absl::StrCat(Absl(kFolder), Absl(ParseRouteName(route).name)));
}

std::string_view UsualRouteOf(Dialect dialect, const Target& target, bool with_encodings, const opdb::View& database) {
  const int backend = database.FindBackend(target.backend());
  if (backend >= 0 && target.dialect() == DialectName(dialect)) {
    const std::string_view own = database.str(database.backends()[static_cast<size_t>(backend)].route);
    if (!own.empty()) return own;
  }
  if (with_encodings && target.dialect().empty()) {
    const std::string_view converter = RouteThatLists("dialects_with_encodings", dialect, database);
    if (!converter.empty()) return converter;
  }
  const std::string_view usual = RouteThatLists("dialects", dialect, database);
  return usual.empty() ? kDirectRoute : usual;
}

std::optional<Finding> DynamicShapesOf(opdb::Tree route, const Model& file) {
  const opdb::Tree entry = route["dynamic_shapes"];
  if (!entry) return std::nullopt;
  std::string found;
  for (const TensorId id : file.inputs) {
    if (id == kNoTensor) continue;
    const Tensor& tensor = file.tensors[static_cast<size_t>(id)];
    const bool fixed = std::none_of(tensor.dims.begin(), tensor.dims.end(),
                                    [](int64_t dim) { return dim < 0; });
    if (tensor.is_static || tensor.unknown_rank || fixed) continue;
    const auto dim = [](std::string* out, int64_t d) {
      out->append(d < 0 ? "?" : std::to_string(d));
    };
    absl::StrAppend(&found, found.empty() ? "" : ", ", tensor.name.str(), " [",
                    absl::StrJoin(tensor.dims, ", ", dim), "]");
  }
  if (found.empty()) return std::nullopt;
  Finding f = rules::Raise(
      rules::kDynamicShape,
      ConsequenceFromName(entry["breach"].str()).value_or(Consequence::kAltered),
      absl::StrCat("the inputs have free dimensions: ", std::string(entry["reason"].str())));
  f.found = std::move(found);
  f.allowed = "fixed dimensions";
  f.fixes.push_back({std::string(entry["fix"].str()), false, {}});
  return f;
}

void ApplyRoute(opdb::Tree route, Resolved& resolved) {
  // A graph that resolve only refers to came as the backend gets it.
  if (resolved.owned == nullptr || !route) return;
  FuseTransposes(route, resolved);
  ApplyDocument(route, resolved);
  RefuseDynamicDims(route, resolved);
  ReportRequantizedConstants(route, resolved);
}

}  // namespace quantgate
