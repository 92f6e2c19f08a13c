#include "core/rules/alternatives.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/rules/conditions.h"
#include "core/rules/format.h"

namespace quantgate::rules {

bool HoldsAsAWhole(const NodeView& node, const opdb::ConstraintRow& constraint) {
  const RuleEntry* entry = EntryOf(constraint.kind);
  if (entry == nullptr || !Applies(node, constraint)) return true;
  if (constraint.port < 0) return entry->holds({node, constraint});
  const int count = node.tensors(constraint.port).count;
  for (int i = 0; i < count; ++i) {
    const Tensor* tensor = node.tensor(constraint.port, i);
    if (tensor != nullptr && !entry->holds({node, constraint, tensor, i})) return false;
  }
  return count > 0 || !entry->wants_absent || entry->holds({node, constraint});
}

namespace {

// A constraint on the port at hand speaks of the tensor at hand, of a variadic port's others not.
bool HoldsFor(const Subject& subject, const opdb::ConstraintRow& inner) {
  if (subject.tensor == nullptr || inner.port != subject.constraint.port) {
    return HoldsAsAWhole(subject.node, inner);
  }
  const RuleEntry* entry = EntryOf(inner.kind);
  return entry == nullptr || !Applies(subject.node, inner) ||
         entry->holds({subject.node, inner, subject.tensor, subject.element});
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
                     [&](const opdb::ConstraintRow& inner) { return HoldsFor(subject, inner); });
}

bool AnyHoldsByForm(const Subject& subject) {
  return AnyWhereAll(subject, [&](const opdb::ConstraintRow& inner) {
    if (!ConditionsReadFormOnly(subject.node.db(), inner)) return false;
    const RuleEntry* entry = EntryOf(inner.kind);
    return entry == nullptr || !Applies(subject.node, inner) ||
           (entry->reads_form_only && HoldsFor(subject, inner));
  });
}

std::string AlternativesText(const Subject& subject) {
  const auto& db = subject.node.db();
  std::string text;
  for (const opdb::AltRow& alt : db.get(subject.constraint.alternatives)) {
    if (!text.empty()) text += "; or ";
    bool first = true;
    for (const opdb::ConstraintRow& inner : db.all_of(alt)) {
      if (!first) text += " and ";
      first = false;
      const RuleEntry* entry = EntryOf(inner.kind);
      Finding part;
      part.op = OpName(subject.node);
      part.port = inner.port >= 0 ? PortName(subject.node, inner.port)
                                  : ParamName(subject.node, inner.param);
      const Tensor* tensor = inner.port >= 0 ? subject.node.tensor(inner.port) : nullptr;
      if (entry == nullptr || (inner.port >= 0 && tensor == nullptr)) continue;
      entry->explain({subject.node, inner, tensor}, part);
      text += fmt::format("{} {}", part.port, part.allowed);
    }
  }
  return text;
}

}  // namespace quantgate::rules
