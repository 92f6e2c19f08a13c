#include "quantgate/report.h"

namespace quantgate {

std::string_view ModeName(Mode mode) { return mode == Mode::kStrict ? "strict" : "warn"; }

std::string_view LevelName(Level level) {
  switch (level) {
    case Level::kNote:
      return "note";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "";
}

}  // namespace quantgate
