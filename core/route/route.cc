#include "core/route/route.h"

namespace quantgate {

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

void ApplyRoute(Route /*route*/, const Target& /*target*/, const opdb::View& /*database*/,
                Resolved& /*resolved*/) {}

}  // namespace quantgate
