#include "core/rules/support/alternatives.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/rules/support/args.h"
#include "core/rules/support/awaits_numbers.h"
#include "core/rules/support/conditions.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {

namespace {

// One tensor's part of a constraint, where it is broken.
std::optional<Subject> BrokenAt(const RuleEntry& entry, const Subject& subject) {
  if (AwaitsNumbers(entry, subject) || entry.holds(subject)) return std::nullopt;
  return subject;
}

// What of a constraint, its `when` included, doesn't hold; nothing: it holds. A constraint on the
// port at hand speaks of the tensor at hand, of a variadic port's others not.
std::optional<Subject> BrokenFor(const Subject& at_hand, const opdb::ConstraintRow& inner) {
  const NodeView& node = at_hand.node;
  const RuleEntry* entry = EntryOf(inner.kind);
  if (entry == nullptr || !Applies(node, inner)) return std::nullopt;
  if (at_hand.tensor != nullptr && inner.port == at_hand.constraint.port &&
      Means(inner, at_hand.element)) {
    return BrokenAt(*entry, {node, inner, at_hand.tensor, at_hand.element});
  }
  if (inner.port < 0) return BrokenAt(*entry, {node, inner});
  bool given = false;
  const int count = node.tensors(inner.port).count;
  for (int i = 0; i < count; ++i) {
    const Tensor* tensor = node.tensor(inner.port, i);
    if (tensor == nullptr || !Means(inner, i)) continue;
    given = true;
    if (const auto broken = BrokenAt(*entry, {node, inner, tensor, i})) return broken;
  }
  if (given || !entry->wants_absent) return std::nullopt;
  return BrokenAt(*entry, {node, inner});
}

template <typename Holds>
bool AnyWhereAll(const Subject& subject, Holds&& holds) {
  const auto& db = subject.node.db();
  const auto alternatives = db.get(subject.constraint.alternatives);
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const opdb::AltRow& alt) {
    const auto all = db.all_of(alt);
    return std::all_of(all.begin(), all.end(), holds);
  });
}

// What one alternative asks for beyond what holds.
struct Alternative {
  std::string allowed;
  Fix fix;
};

// Whether an alternative is for other nodes: a param or a size that follows from the shape says for which, and a bound
// that was computed may be one that no tensor meets.
bool IsOutOfReach(const NodeView& node, const opdb::ConstraintRow& inner) {
  if (inner.kind == opdb::Kind::kParamValue || inner.kind == opdb::Kind::kDimProduct) {
    const auto rows = Args(node, inner).rows();
    return std::any_of(rows.begin(), rows.end(),
                       [](const opdb::ArgRow& row) { return row.type == opdb::ArgType::kExpr; });
  }
  if (inner.kind != opdb::Kind::kRank) return false;
  const auto max = Args(node, inner).number(opdb::ArgKey::kMax);
  return max && *max <= 0;
}

std::vector<Alternative> AlternativesOf(const Subject& subject) {
  const auto& db = subject.node.db();
  std::vector<Alternative> alternatives;
  for (const opdb::AltRow& alt : db.get(subject.constraint.alternatives)) {
    Alternative alternative;
    bool reachable = true, whole = true;
    for (const opdb::ConstraintRow& inner : db.all_of(alt)) {
      const auto broken = BrokenFor(subject, inner);
      if (!broken) continue;
      reachable = reachable && !IsOutOfReach(subject.node, inner);
      Finding part;
      part.op = OpName(subject.node);
      part.port = inner.port >= 0 ? PortName(subject.node, inner.port, broken->element)
                                  : ParamName(subject.node, inner.param);
      EntryOf(inner.kind)->explain(*broken, part);
      // The subject's own port is named once, before all of them.
      const bool own = inner.port == subject.constraint.port &&
                       inner.param == subject.constraint.param;
      alternative.allowed += fmt::format("{}{}{}{}", alternative.allowed.empty() ? "" : " and ",
                                         own ? "" : part.port, own ? "" : " ", part.allowed);
      // Another rank moves the dimensions of which the alternative asks something, too.
      const auto all = db.all_of(alt);
      const bool moves = inner.kind == opdb::Kind::kRank &&
                         std::any_of(all.begin(), all.end(), [&](const opdb::ConstraintRow& other) {
                           return other.kind == opdb::Kind::kDim && other.port == inner.port;
                         });
      if (part.fixes.empty() || moves) {
        alternative.fix.summary.clear();
        whole = false;
        continue;
      }
      // Edits of a part alone would not do.
      Fix& fix = part.fixes.front();
      whole = whole && !fix.edits.empty();
      alternative.fix.summary +=
          (alternative.fix.summary.empty() ? "" : " and ") + fix.summary;
      alternative.fix.edits.insert(alternative.fix.edits.end(), fix.edits.begin(),
                                   fix.edits.end());
    }
    if (!whole) alternative.fix.edits.clear();
    if (reachable) alternatives.push_back(std::move(alternative));
  }
  return alternatives;
}

}  // namespace

bool AnyHolds(const Subject& subject) {
  return AnyWhereAll(subject,
                     [&](const opdb::ConstraintRow& inner) { return !BrokenFor(subject, inner); });
}

bool AnyHoldsByForm(const Subject& subject) {
  return AnyWhereAll(subject, [&](const opdb::ConstraintRow& inner) {
    if (!ConditionsReadFormOnly(subject.node.db(), inner)) return false;
    const RuleEntry* entry = EntryOf(inner.kind);
    return entry == nullptr || !Applies(subject.node, inner) ||
           (entry->reads_form_only && !BrokenFor(subject, inner));
  });
}

std::string AlternativesText(const Subject& subject) {
  std::string text;
  for (const Alternative& alternative : AlternativesOf(subject)) {
    text += fmt::format("{}{}", text.empty() ? "" : "; or ", alternative.allowed);
  }
  return text;
}

std::vector<Fix> AlternativeFixes(const Subject& subject) {
  std::vector<Fix> fixes;
  for (Alternative& alternative : AlternativesOf(subject)) {
    if (!alternative.fix.summary.empty()) fixes.push_back(std::move(alternative.fix));
  }
  return fixes;
}

}  // namespace quantgate::rules
