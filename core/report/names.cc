#include "quantgate/report.h"

namespace quantgate {

std::string_view ModeName(Mode mode) { return mode == Mode::kStrict ? "strict" : "warn"; }

std::string_view BasisName(Basis basis) {
  switch (basis) {
    case Basis::kNothing:
      return "nothing";
    case Basis::kDocuments:
      return "documents";
    case Basis::kMeasuredElsewhere:
      return "measuredElsewhere";
    case Basis::kMeasured:
      return "measured";
  }
  return "";
}

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
