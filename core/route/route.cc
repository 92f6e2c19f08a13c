#include "core/route/route.h"

#include <string_view>

#include "core/route/document_passes.h"

namespace quantgate {
namespace {

// A route without a document changes nothing.
std::string_view DocumentOf(Route route) {
  switch (route) {
    case Route::kOnnxruntime:
      return "routes/onnxruntime";
    case Route::kExecutorch:
      return "routes/executorch";
    case Route::kQairt:
      return "routes/qairt";
    case Route::kDefault:
    case Route::kDirect:
      break;
  }
  return {};
}

}  // namespace

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
  if (const opdb::Tree document = database.Document(DocumentOf(route))) {
    ApplyDocument(document, resolved);
  }
}

}  // namespace quantgate
