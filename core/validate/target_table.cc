#include "core/validate/target_table.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/validate/basis.h"
#include "core/validate/port_facts.h"

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

// The argument where it is one number whatever the node is.
std::optional<int64_t> ConstantArg(const opdb::View& db, const opdb::ConstraintRow& row,
                                   opdb::ArgKey key) {
  for (const opdb::ArgRow& arg : db.get(row.args)) {
    if (arg.key != key) continue;
    switch (arg.type) {
      case opdb::ArgType::kInt:
      case opdb::ArgType::kFlag:
      case opdb::ArgType::kDtypeMask:
      case opdb::ArgType::kEncMask:
        return arg.v.i;
      case opdb::ArgType::kExpr: {
        const auto ops = db.get(opdb::Slice<opdb::ExprOp>{arg.a, arg.b});
        if (ops.size() == 1 && ops[0].code == opdb::ExprCode::kConst) return ops[0].value;
        return std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }
  return std::nullopt;
}

// Only minimum and maximum, both constant where given.
Shortcut RankShortcut(const opdb::View& db, const opdb::ConstraintRow& row) {
  Shortcut shortcut;
  size_t known = 0;
  if (const auto min = ConstantArg(db, row, opdb::ArgKey::kMin)) {
    shortcut.min_rank = static_cast<int8_t>(std::clamp<int64_t>(*min, 0, 127));
    ++known;
  }
  if (const auto max = ConstantArg(db, row, opdb::ArgKey::kMax)) {
    shortcut.max_rank = static_cast<int8_t>(std::clamp<int64_t>(*max, 0, 127));
    ++known;
  }
  shortcut.usable = known > 0 && known == db.get(row.args).size();
  return shortcut;
}

// Whether minimum and maximum are constants or absent, and `allows` what they leave.
template <typename Allows>
bool ConstantBounds(const opdb::View& db, const opdb::ConstraintRow& row, Allows&& allows) {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  for (const opdb::ArgRow& arg : db.get(row.args)) {
    if (arg.key != opdb::ArgKey::kMin && arg.key != opdb::ArgKey::kMax) return false;
    double& bound = arg.key == opdb::ArgKey::kMin ? min : max;
    if (arg.type == opdb::ArgType::kReal) {
      bound = arg.v.d;
    } else if (const auto number = ConstantArg(db, row, arg.key)) {
      bound = static_cast<double>(*number);
    } else {
      return false;
    }
  }
  return allows(min, max);
}

// Whether every zero point that is a value of its type keeps within the bounds.
bool AllowsZeroPoints(const opdb::View& db, const opdb::ConstraintRow& row, DtypeMask dtypes) {
  return ConstantBounds(db, row, [&](double min, double max) {
    for (int i = 0; i < kDtypeCount; ++i) {
      const auto dtype = static_cast<Dtype>(i);
      if (!IsFixedPoint(dtype) || (MaskOf(dtype) & dtypes) == 0) continue;
      const ValueRange range = RangeOf(dtype);  // bounds are of QNN's offset, -zero_point
      if (static_cast<double>(-range.max) < min || static_cast<double>(-range.min) > max)
        return false;
    }
    return true;
  });
}

Shortcut ShortcutFor(const opdb::View& db, const opdb::ConstraintRow& row);

// All that the constraints of one alternative ask for, where they are all about the port at hand.
Shortcut JointShortcut(const opdb::View& db, std::span<const opdb::ConstraintRow> all,
                       int16_t port) {
  Shortcut joint;
  joint.usable = true;
  for (const opdb::ConstraintRow& row : all) {
    const Shortcut one = row.port == port ? ShortcutFor(db, row) : Shortcut{};
    joint.usable = joint.usable && one.usable;
    joint.facts |= one.facts;
    joint.dtypes &= one.dtypes;
    joint.encodings &= one.encodings;
    joint.min_rank = std::max(joint.min_rank, one.min_rank);
    joint.max_rank = std::min(joint.max_rank, one.max_rank);
  }
  return joint;
}

Shortcut ShortcutFor(const opdb::View& db, const opdb::ConstraintRow& row) {
  using opdb::Kind;
  const auto by_fact = [](uint8_t facts) {
    Shortcut shortcut;
    shortcut.usable = true;
    shortcut.facts = facts;
    return shortcut;
  };
  Shortcut shortcut;
  switch (row.kind) {
    case Kind::kEncodingDefined:
      return by_fact(kFactEncoded);
    case Kind::kValidScale:
      return by_fact(kFactGoodScales);
    case Kind::kSymmetric:
      return by_fact(kFactSymmetric);
    case Kind::kOffsetRange: {
      const DtypeMask dtypes = row.port >= 0 ? GuardFor(db, row, row.port).dtypes : ~DtypeMask{0};
      return AllowsZeroPoints(db, row, dtypes) ? by_fact(kFactInRange) : shortcut;
    }
    case Kind::kScaleRange: {
      const bool usual = ConstantBounds(db, row, [](double min, double max) {
        return min <= double{kUsualScales.min} && max >= double{kUsualScales.max};
      });
      return usual ? by_fact(kFactUsualScales) : shortcut;
    }
    case Kind::kSigned:
      return by_fact(kFactSigned);
    case Kind::kStatic:
      return by_fact(kFactStatic);
    case Kind::kDynamicDims:
      return by_fact(kFactFixedShape);
    case Kind::kRank:
      return row.port >= 0 ? RankShortcut(db, row) : shortcut;
    case Kind::kDtypes:
    case Kind::kEncodings: {
      if (row.port < 0) return shortcut;
      const auto allowed = ConstantArg(db, row, opdb::ArgKey::kAllowed);
      const auto denied = ConstantArg(db, row, opdb::ArgKey::kDenied);
      if (!allowed && !denied) return shortcut;
      const auto mask = allowed ? static_cast<uint32_t>(*allowed) : ~static_cast<uint32_t>(*denied);
      shortcut.usable = true;
      (row.kind == Kind::kDtypes ? shortcut.dtypes : shortcut.encodings) = mask;
      return shortcut;
    }
    case Kind::kAnyOf:
      if (row.port < 0) return shortcut;
      for (const opdb::AltRow& alternative : db.get(row.alternatives)) {
        const Shortcut joint = JointShortcut(db, db.all_of(alternative), row.port);
        if (joint.usable) return joint;
      }
      return shortcut;
    default:
      return shortcut;
  }
}

ActiveConstraint Activate(const opdb::View& db, const opdb::ConstraintRow& row,
                          const rules::RuleEntry& entry, Consequence consequence) {
  ActiveConstraint active{&row, &entry, consequence, row.groups, {}, {}, {}};
  if (row.port >= 0 || row.port == opdb::kPortAll) active.shortcut = ShortcutFor(db, row);
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
      wanted_sdk_(target.sdk_key()),
      arch_(target.arch_index()),
      lacks_(target.lacks()),
      soc_(target.soc()),
      entries_(std::make_unique<Entry[]>(db.get(backend_->ops).size())) {}

void TargetTable::Pick(const opdb::OpRow& row, Entry& entry) const {
  for (const auto& variant : db_->get(row.variants)) {
    if (!opdb::Covers(variant.range, sdk_, arch_) || (variant.needs & lacks_) != 0) continue;
    entry.variants.push_back(
        {&variant, db_->get(variant.dtypes).data(), ConsequenceAt(variant, sdk_),
         BasisOf(*db_, db_->get(variant.sources), wanted_sdk_)});
  }
  for (const auto& constraint : db_->get(row.constraints)) {
    if (!opdb::Covers(constraint.range, sdk_, arch_)) continue;
    const rules::RuleEntry* rule = rules::EntryOf(constraint.kind);
    const Consequence consequence = ConsequenceAt(constraint, sdk_);
    if (rule == nullptr || consequence == Consequence::kAccepted) continue;
    entry.constraints.push_back(Activate(*db_, constraint, *rule, consequence));
  }
  entry.op = {.row = &row,
              .in_target = opdb::Covers(row.range, sdk_, arch_),
              .variants = entry.variants,
              .constraints = entry.constraints};
}

const ActiveOp* TargetTable::Find(std::string_view op) const {
  const int index = db_->FindOp(*backend_, op);
  if (index < 0) return nullptr;
  const auto at = static_cast<size_t>(index);
  Entry& entry = entries_[at];
  if (!entry.is_picked.load(std::memory_order_acquire)) {
    const std::lock_guard lock(picking_);
    if (!entry.is_picked.load(std::memory_order_relaxed)) {
      Pick(db_->get(backend_->ops)[at], entry);
      entry.is_picked.store(true, std::memory_order_release);
    }
  }
  return &entry.op;
}

}  // namespace quantgate
