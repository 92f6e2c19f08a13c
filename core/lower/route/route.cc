#include "core/lower/route/route.h"

#include "core/lower/route/document_passes.h"
#include "core/lower/route/dynamic_dims.h"
#include "core/lower/route/fused_transposes.h"
#include "core/lower/route/requantized_constants.h"

namespace quantgate {
opdb::Tree DocumentOf(Route route, const opdb::View& database) {
  switch (route) {
    case Route::kOnnxruntime:
      return database.Document("routes/onnxruntime");
    case Route::kExecutorch:
      return database.Document("routes/executorch");
    case Route::kQairt:
      return database.Document("routes/qairt");
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
    case Dialect::kQnn:
      break;
  }
  return Route::kDirect;
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
