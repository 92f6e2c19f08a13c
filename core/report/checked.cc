#include "quantgate/checked.h"

namespace quantgate {

std::string_view SuppressionName(Suppression::By by) {
  switch (by) {
    case Suppression::By::kNone:
      break;
    case Suppression::By::kConfigured:
      return "configured";
    case Suppression::By::kBaseline:
      return "baseline";
  }
  return "";
}

const Suppression* Checked::SuppressionOf(const Finding& finding) const {
  if (suppressions.empty()) return nullptr;
  const auto index = static_cast<size_t>(&finding - report.findings.data());
  const Suppression& suppression = suppressions[index];
  return suppression.by == Suppression::By::kNone ? nullptr : &suppression;
}

}  // namespace quantgate
