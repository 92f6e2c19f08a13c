#include <cmath>
#include <utility>

#include "core/fix/repair.h"
#include "core/safety/wanted_coding.h"

namespace quantgate::fix {
namespace {

bool HasSteps(const Encoding& encoding) {
  for (const float scale : encoding.scales) {
    if (!std::isfinite(scale) || scale <= 0) return false;
  }
  return !encoding.scales.empty();
}

}  // namespace

void RepairAsWritten(const Case& c, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor) return;
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  for (const Fix& fix : c.finding.fixes) {
    const std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
    if (!wanted || !HasSteps(wanted->encoding)) continue;
    Proposal proposal;
    proposal.what = fix.summary;
    proposal.apply = [id, coding = *wanted](Editor& editor) {
      return editor.Encode(id, coding, Rounding::kNone);
    };
    proposals.push_back(std::move(proposal));
  }
}

}  // namespace quantgate::fix
