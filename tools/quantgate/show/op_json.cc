#include "tools/quantgate/show/op_json.h"

#include <utility>

namespace quantgate::cli {

Json RowJson(const OpInfo::Variant& variant) {
  return {{"id", variant.id},
          {"group", variant.group},
          {"dtypes", variant.dtypes},
          {"consequence", ConsequenceName(variant.consequence)},
          {"undocumentedUntil", variant.undocumented_until},
          {"since", variant.since},
          {"until", variant.until},
          {"archs", variant.archs},
          {"sources", variant.sources}};
}

Json ConstraintJson(const OpInfo::Constraint& constraint) {
  Json measured = nullptr;
  if (!constraint.measured_since.empty()) {
    measured = {{"since", constraint.measured_since},
                {"consequence", ConsequenceName(constraint.measured_consequence)}};
  }
  return {{"id", constraint.id},
          {"port", constraint.port},
          {"kind", constraint.kind},
          {"rule", constraint.rule},
          {"text", constraint.text},
          {"consequence", ConsequenceName(constraint.consequence)},
          {"measured", std::move(measured)},
          {"since", constraint.since},
          {"until", constraint.until},
          {"archs", constraint.archs},
          {"groups", constraint.groups},
          {"sources", constraint.sources},
          {"profile", constraint.profile},
          {"note", constraint.note}};
}

}  // namespace quantgate::cli
