#include "core/rules/support/alternatives.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "core/rules/support/conditions.h"
#include "core/rules/support/format.h"
#include "core/rules/support/node_view.h"
#include "quantgate/report.h"

namespace quantgate::rules {

namespace {

// One tensor's part of a constraint, where it is broken.
std::optional<Subject> BrokenAt(const RuleEntry& entry, const Subject& subject) {
  if (entry.holds(subject)) return std::nullopt;
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
  const auto& db = subject.node.db();
  std::string text;
  for (const opdb::AltRow& alt : db.get(subject.constraint.alternatives)) {
    if (!text.empty()) text += "; or ";
    bool first = true;
    for (const opdb::ConstraintRow& inner : db.all_of(alt)) {
      const auto broken = BrokenFor(subject, inner);
      if (!broken) continue;
      if (!first) text += " and ";
      first = false;
      Finding part;
      part.op = OpName(subject.node);
      part.port = inner.port >= 0 ? PortName(subject.node, inner.port, broken->element)
                                  : ParamName(subject.node, inner.param);
      EntryOf(inner.kind)->explain(*broken, part);
      text += fmt::format("{} {}", part.port, part.allowed);
    }
  }
  return text;
}

}  // namespace quantgate::rules
