#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "core/fix/mend.h"
#include "core/fix/wanted_coding.h"

namespace quantgate::fix {
namespace {

// Real values that per-tensor encodings reach; a step of the new one may be missing at the ends.
bool Covers(const Coding& to, const Coding& from) {
  const auto end = [](const Coding& c, int64_t stored) {
    return static_cast<double>(stored - ZeroPointAt(c.encoding, 0)) * ScaleAt(c.encoding, 0);
  };
  const double step = ScaleAt(to.encoding, 0);
  return end(to, StoredMin(to.dtype)) <= end(from, StoredMin(from.dtype)) + step &&
         end(to, StoredMax(to.dtype)) >= end(from, StoredMax(from.dtype)) - step;
}

bool HasSteps(const Encoding& encoding) {
  for (const float scale : encoding.scales) {
    if (!std::isfinite(scale) || scale <= 0) return false;
  }
  return !encoding.scales.empty();
}

}  // namespace

void MendAsWritten(const Case& c, std::vector<Proposal>& proposals) {
  const TensorId id = c.tensor();
  if (id == kNoTensor) return;
  const absl::StatusOr<Coding> now = c.editor.CodingOf(id);
  if (!now.ok()) return;
  const bool is_static = c.editor.model().tensors[static_cast<size_t>(id)].is_static;
  for (const Fix& fix : c.finding.fixes) {
    const std::optional<Coding> wanted = WantedCoding(fix, c.finding.tensor, *now);
    if (!wanted || !HasSteps(wanted->encoding)) continue;
    Proposal proposal;
    proposal.what = fix.summary;
    if (!is_static && c.finding.port.starts_with("in[") && !Covers(*wanted, *now)) {
      proposal.apply = [](Editor&) {
        return absl::FailedPreconditionError(
            "what it holds may lie beyond the encoding it would get");
      };
    } else {
      proposal.apply = [id, coding = *wanted](Editor& editor) {
        return editor.Encode(id, coding, Rounding::kNone);
      };
    }
    proposals.push_back(std::move(proposal));
  }
}

}  // namespace quantgate::fix
