#include "core/validate/basis.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"

namespace quantgate {
namespace {

// Of one source. What only later SDKs were measured for is no document: it was measured elsewhere.
Basis BasisOfSource(const opdb::SourceRow& source, SdkKey sdk) {
  if (!source.measured()) return Basis::kDocuments;
  return source.sdk == sdk ? Basis::kMeasured : Basis::kMeasuredElsewhere;
}

// Below the SDK that was measured first, documents decide.
bool Counts(const opdb::SourceRow& source, SdkKey sdk) {
  return !source.measured() || source.sdk <= sdk;
}

// Of findings without sources, as those about the whole graph: what the backend was measured with.
Basis BasisOfBackend(const opdb::View& db, const Target& target) {
  Basis best = Basis::kDocuments;
  if (!target.measured()) return best;
  for (const opdb::SourceRow& source : db.sources()) {
    const auto backends = db.get(source.backends);
    const bool of_backend =
        std::any_of(backends.begin(), backends.end(),
                    [&](opdb::Str name) { return db.str(name) == target.backend(); });
    if (of_backend && Counts(source, target.sdk_key())) {
      best = std::max(best, BasisOfSource(source, target.sdk_key()));
    }
  }
  return best;
}

// Sources by id, read when the first finding asks.
class SourcesById {
 public:
  SourcesById(const opdb::View& db, SdkKey sdk) : db_(db), sdk_(sdk) {}

  Basis Of(const Finding& finding, Basis otherwise) {
    if (finding.sources->empty()) return otherwise;
    // Findings about one constraint share them.
    if (last_.SharesWith(finding.sources)) return last_basis_.value_or(otherwise);
    last_ = finding.sources;
    last_basis_ = BasisOfIds(*last_);
    return last_basis_.value_or(otherwise);
  }

 private:
  // Nothing where no source is known.
  std::optional<Basis> BasisOfIds(const std::vector<std::string>& ids) {
    if (by_id_.empty()) {
      for (size_t i = 0; i < db_.sources().size(); ++i) {
        by_id_.emplace(db_.str(db_.sources()[i].id), static_cast<uint16_t>(i));
      }
    }
    absl::InlinedVector<uint16_t, 8> sources;
    for (const std::string& id : ids) {
      const auto known = by_id_.find(id);
      if (known != by_id_.end()) sources.push_back(known->second);
    }
    return sources.empty() ? std::nullopt : std::optional(BasisOf(db_, sources, sdk_));
  }

  const opdb::View& db_;
  const SdkKey sdk_;
  absl::flat_hash_map<std::string_view, uint16_t> by_id_;
  Shared<std::vector<std::string>> last_;
  std::optional<Basis> last_basis_;
};

}  // namespace

Basis BasisOf(const opdb::View& db, std::span<const uint16_t> sources, SdkKey sdk) {
  Basis best = Basis::kNothing, later = Basis::kNothing;
  for (const uint16_t i : sources) {
    const opdb::SourceRow& source = db.sources()[i];
    Basis& of = Counts(source, sdk) ? best : later;
    of = std::max(of, BasisOfSource(source, sdk));
  }
  return best != Basis::kNothing ? best : later;
}

void AssignBasis(const opdb::View& db, const Target& target, const Resolved& resolved,
                 Report& report) {
  const SdkKey sdk = target.sdk_key();
  const Basis backend = BasisOfBackend(db, target);
  for (NodeReport& node : report.nodes) {
    if (node.verdict == Consequence::kUnchecked) node.basis = Basis::kNothing;
    if (node.resolved.empty() && node.verdict == Consequence::kAccepted) node.basis = backend;
  }
  SourcesById sources(db, sdk);
  int32_t last = -1;
  for (const Finding& finding : report.findings) {
    if (finding.node_index < 0) continue;
    NodeReport& node = report.nodes[static_cast<size_t>(finding.node_index)];
    if (finding.consequence != node.verdict || node.verdict == Consequence::kUnchecked) continue;
    const Basis basis = sources.Of(finding, backend);
    node.basis = finding.node_index == last ? std::max(node.basis, basis) : basis;
    last = finding.node_index;
  }
  for (size_t i = 0; i < resolved.sources.size(); ++i) {
    const SourceNode& source = resolved.sources[i];
    if (source.state == SourceNode::State::kAbsorbed && source.into >= 0 &&
        report.nodes[i].verdict != Consequence::kUnchecked) {
      report.nodes[i].basis = report.nodes[static_cast<size_t>(source.into)].basis;
    }
  }
}

}  // namespace quantgate
