#include "core/rules/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/rules/conditions.h"
#include "core/rules/format.h"

namespace quantgate::rules {

namespace {

// Whether a constraint on a port speaks of this tensor of it.
bool Means(const opdb::ConstraintRow& constraint, int element) {
  return constraint.element < 0 || constraint.element == element;
}

// What of a constraint, its `when` included, doesn't hold; nothing: it holds.
std::optional<Subject> BrokenAsAWhole(const NodeView& node, const opdb::ConstraintRow& constraint) {
  const RuleEntry* entry = EntryOf(constraint.kind);
  if (entry == nullptr || !Applies(node, constraint)) return std::nullopt;
  const auto broken = [&](const Tensor* tensor, int element) -> std::optional<Subject> {
    const Subject subject{node, constraint, tensor, element};
    if (entry->holds(subject)) return std::nullopt;
    return subject;
  };
  if (constraint.port < 0) return broken(nullptr, 0);
  bool given = false;
  const int count = node.tensors(constraint.port).count;
  for (int i = 0; i < count; ++i) {
    const Tensor* tensor = node.tensor(constraint.port, i);
    if (tensor == nullptr || !Means(constraint, i)) continue;
    given = true;
    if (const auto subject = broken(tensor, i)) return subject;
  }
  return !given && entry->wants_absent ? broken(nullptr, 0) : std::nullopt;
}

// A constraint on the port at hand speaks of the tensor at hand, of a variadic port's others not.
std::optional<Subject> BrokenFor(const Subject& subject, const opdb::ConstraintRow& inner) {
  if (subject.tensor == nullptr || inner.port != subject.constraint.port ||
      !Means(inner, subject.element)) {
    return BrokenAsAWhole(subject.node, inner);
  }
  const RuleEntry* entry = EntryOf(inner.kind);
  const Subject at_hand{subject.node, inner, subject.tensor, subject.element};
  if (entry == nullptr || !Applies(subject.node, inner) || entry->holds(at_hand)) {
    return std::nullopt;
  }
  return at_hand;
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
