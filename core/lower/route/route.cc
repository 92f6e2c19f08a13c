#include "core/lower/route/route.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/lower/route/document_passes.h"
#include "core/lower/route/dynamic_dims.h"
#include "core/lower/route/fused_transposes.h"
#include "core/lower/route/requantized_constants.h"
#include "core/rules/raise.h"

namespace quantgate {
opdb::Tree DocumentOf(Route route, const opdb::View& database) {
  switch (route) {
    case Route::kOnnxruntime:
      return database.Document("routes/onnxruntime");
    case Route::kExecutorch:
      return database.Document("routes/executorch");
    case Route::kQairt:
      return database.Document("routes/qairt");
    case Route::kLitert:
      return database.Document("routes/litert");
    case Route::kVela:
      return database.Document("routes/vela");
    case Route::kDefault:
    case Route::kDirect:
      break;
  }
  return {};
}

Route DefaultRoute(Dialect dialect) {
  switch (dialect) {
    case Dialect::kOnnx:
      return Route::kOnnxruntime;
    case Dialect::kAten:
      return Route::kExecutorch;
    case Dialect::kTflite:
      return Route::kLitert;
    case Dialect::kQnn:
      break;
  }
  return Route::kDirect;
}

Route DefaultRoute(Dialect dialect, const Target& target, const opdb::View& database) {
  const int backend = database.FindBackend(target.backend());
  const std::optional<Route> own =
      backend < 0 || target.dialect() != DialectName(dialect)
          ? std::nullopt
          : RouteFromName(database.str(database.backends()[static_cast<size_t>(backend)].route));
  return own.value_or(DefaultRoute(dialect));
}

std::optional<Finding> DynamicShapesOf(Route route, const opdb::View& database,
                                       const Model& file) {
  // As written, a model of ops meets nothing on its way but this.
  const opdb::Tree document =
      route == Route::kDirect ? database.Document("routes/direct") : DocumentOf(route, database);
  const opdb::Tree entry = document["dynamic_shapes"];
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

void ApplyRoute(Route route, const Target& /*target*/, const opdb::View& database,
                Resolved& resolved) {
  // A graph that resolve only refers to came as the backend gets it.
  if (resolved.owned == nullptr) return;
  if (const opdb::Tree document = DocumentOf(route, database)) {
    FuseTransposes(document, resolved);
    ApplyDocument(document, resolved);
    RefuseDynamicDims(document, resolved);
    ReportRequantizedConstants(document, resolved);
  }
}

}  // namespace quantgate
