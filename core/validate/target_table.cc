#include "core/validate/target_table.h"

namespace quantgate {
namespace {

Consequence ConsequenceAt(const opdb::VariantRow& row, SdkKey sdk) {
  return sdk < row.undocumented_until ? Consequence::kUndocumented : row.consequence;
}

Consequence ConsequenceAt(const opdb::ConstraintRow& row, SdkKey sdk) {
  return sdk >= row.measured_since ? row.measured_consequence : row.consequence;
}

// Conditions on one port's dtype and encoding, joined.
Guard GuardFor(const opdb::View& db, const opdb::ConstraintRow& row, int16_t port) {
  Guard guard;
  guard.port = port;
  for (const opdb::CondRow& cond : db.get(row.when)) {
    const int16_t cond_port = cond.port >= 0 ? cond.port : row.port;
    if (cond_port != port) continue;
    if (cond.key == opdb::CondKey::kDtype) guard.dtypes &= cond.mask;
    if (cond.key == opdb::CondKey::kEncoding) guard.encodings &= cond.mask;
  }
  return guard;
}

ActiveConstraint Activate(const opdb::View& db, const opdb::ConstraintRow& row,
                          const rules::RuleEntry& entry, Consequence consequence) {
  ActiveConstraint active{&row, &entry, consequence, {}, {}};
  if (row.port >= 0 && !entry.wants_absent) active.own = GuardFor(db, row, row.port);
  for (const opdb::CondRow& cond : db.get(row.when)) {
    const bool sieves = cond.key == opdb::CondKey::kDtype || cond.key == opdb::CondKey::kEncoding;
    if (sieves && cond.port >= 0 && cond.port != row.port) {
      active.peer = GuardFor(db, row, cond.port);
      break;
    }
  }
  return active;
}

}  // namespace

TargetTable::TargetTable(const opdb::View& db, const Target& target)
    : db_(&db),
      backend_(&db.backends()[static_cast<size_t>(target.backend_index())]),
      sdk_(target.knowledge_key()),
      arch_(target.arch_index()) {
  struct Counts {
    size_t variants, constraints;
  };
  const auto ops = db.get(backend_->ops);
  std::vector<Counts> ends;
  ends.reserve(ops.size());
  ops_.resize(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    ops_[i].row = &ops[i];
    ops_[i].in_target = opdb::Covers(ops[i].range, sdk_, arch_);
    for (const auto& row : db.get(ops[i].variants)) {
      if (!opdb::Covers(row.range, sdk_, arch_)) continue;
      variants_.push_back({&row, db.get(row.dtypes).data(), ConsequenceAt(row, sdk_)});
    }
    for (const auto& row : db.get(ops[i].constraints)) {
      if (!opdb::Covers(row.range, sdk_, arch_)) continue;
      const rules::RuleEntry* entry = rules::EntryOf(row.kind);
      const Consequence consequence = ConsequenceAt(row, sdk_);
      if (entry == nullptr || consequence == Consequence::kAccepted) continue;
      constraints_.push_back(Activate(db, row, *entry, consequence));
    }
    ends.push_back({variants_.size(), constraints_.size()});
  }
  // Spans only now: the vectors no longer move.
  Counts begin{0, 0};
  for (size_t i = 0; i < ops.size(); ++i) {
    ops_[i].variants =
        std::span(variants_).subspan(begin.variants, ends[i].variants - begin.variants);
    ops_[i].constraints =
        std::span(constraints_).subspan(begin.constraints, ends[i].constraints - begin.constraints);
    begin = ends[i];
  }
}

const ActiveOp* TargetTable::Find(std::string_view op) const {
  const int index = db_->FindOp(*backend_, op);
  return index < 0 ? nullptr : &ops_[static_cast<size_t>(index)];
}

}  // namespace quantgate
