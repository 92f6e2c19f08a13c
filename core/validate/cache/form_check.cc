#include "core/validate/cache/form_check.h"

#include <algorithm>
#include <array>
#include <span>

#include "core/rules/support/conditions.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/subjects.h"
#include "quantgate/calibration.h"

namespace quantgate {
namespace {

using rules::NodeView;
using rules::Subject;

// Whether a constraint that holds for a node holds for every node of its form.
bool DecidedByForm(const NodeView& node, const ActiveConstraint& active) {
  const rules::RuleEntry& entry = *active.entry;
  if (!rules::ConditionsReadFormOnly(node.db(), *active.row)) return false;
  if (entry.reads_form_only) return true;
  bool decided = true;
  ForEachSubject(node, active, [&](const Subject& subject) {
    decided = decided && entry.holds_by_form != nullptr && entry.holds_by_form(subject);
  });
  return decided;
}

// The place of a tensor of a node, as TensorAt() expects it.
size_t PlaceOf(const NodeView& node, int port, int element) {
  const size_t inputs = node.node().inputs.size();
  const TensorId* const id = node.tensors(port).ids + element;
  return static_cast<size_t>(node.is_input(port) ? id - node.node().inputs.data()
                                                 : id - node.node().outputs.data()) +
         (node.is_input(port) ? 0 : inputs);
}

// Appends the limits that this constraint comes to for nodes of the form; false = it is more.
bool TakeLimits(const NodeView& node, const ActiveConstraint& active, KnownForm& form) {
  if (active.entry->scale_limit == nullptr ||
      !rules::ConditionsReadFormOnly(node.db(), *active.row)) {
    return false;
  }
  ForEachSubject(node, active, [&](const Subject& subject) {
    const auto limit = active.entry->scale_limit(subject);
    if (!limit) return;
    LimitOfForm& taken = form.limits.emplace_back();
    taken.limit = *limit;
    taken.tensor = static_cast<uint8_t>(PlaceOf(node, subject.constraint.port, subject.element));
    for (size_t i = 0; i < static_cast<size_t>(limit->port_count); ++i) {
      taken.units[i] = static_cast<uint8_t>(PlaceOf(node, limit->ports[i], 0));
    }
  });
  return true;
}

// The encoding of each tensor of a node by its place; null = not given.
struct EncodingsOfNode {
  EncodingsOfNode(const Model& graph, const Node& node) {
    const Tensor* const tensors = graph.tensors.data();
    size_t place = 0;
    const auto add = [&](std::span<const TensorId> ids) {
      for (const TensorId id : ids) of[place++] = id == kNoTensor ? nullptr : &*tensors[id].encoding;
    };
    add(node.inputs);
    add(node.outputs);
  }
  std::array<const Encoding*, kMaxFormParts> of;
};

bool KeepsLimit(const EncodingsOfNode& encodings, const LimitOfForm& form) {
  const Encoding& limited = *encodings.of[form.tensor];
  if (IsUncalibrated(limited)) return true;  // waits for numbers, as in Evaluate()
  rules::ScaleUnits units{};
  for (size_t i = 0; i < static_cast<size_t>(form.limit.port_count); ++i) {
    units[i] = encodings.of[form.units[i]];
  }
  return rules::IsWithin(form.limit, limited.scales, units);
}

// Whether the numbers of a node of the form lie where those of the first one had to.
bool KeepsForm(const EncodingsOfNode& encodings, const KnownForm& form) {
  for (const RangeOfForm& range : form.ranges) {
    if (!LieWithin(*encodings.of[range.tensor], range.numbers)) return false;
  }
  for (const LimitOfForm& limit : form.limits) {
    if (!KeepsLimit(encodings, limit)) return false;
  }
  return true;
}

}  // namespace

void Remember(const ActiveOp& op, const NodeView& node, const PortFacts& facts, size_t group,
              const BrokenList& broken, KnownForm& form) {
  form.op = &op;
  const auto is_broken = [&](const ActiveConstraint& active) {
    return std::any_of(broken.begin(), broken.end(), [&](const Broken& b) { return b.constraint == &active; });
  };
  const size_t places = node.node().inputs.size() + node.node().outputs.size();
  std::vector<uint8_t> demanded(places);
  const auto demand = [&](int port, uint8_t bits) {
    for (int i = 0; i < node.tensors(port).count; ++i) demanded[PlaceOf(node, port, i)] |= bits;
  };
  for (const ActiveConstraint& active : op.constraints) {
    if (((active.groups >> group) & 1u) == 0 || !Passes(active.own, facts) || !Passes(active.peer, facts)) continue;
    if (is_broken(active)) {
      form.open.push_back(&active);
      continue;
    }
    if (DecidedByForm(node, active)) continue;
    const Shortcut& s = active.shortcut;
    if (HoldsByFacts(active, facts) && (s.facts & ~kFactsOfNumbers) == 0) {
      if (active.row->port >= 0) {
        demand(active.row->port, s.facts);
      } else {
        for (int port = 0; port < node.port_count(); ++port) demand(port, s.facts);
      }
    } else if (!TakeLimits(node, active, form)) {
      form.open.push_back(&active);
    }
  }
  for (size_t place = 0; place < places; ++place) {
    const TensorId id = TensorAt(node.node(), place);
    if (id == kNoTensor || demanded[place] == 0) continue;
    const Tensor& tensor = node.graph().tensors[static_cast<size_t>(id)];
    form.ranges.push_back({RangesOf(tensor, demanded[place]), static_cast<uint8_t>(place)});
  }
}

std::optional<OpVerdict> CheckByForm(const TargetTable& table, const Resolved& resolved, const Node& node,
                                     const KnownForm& form, std::vector<Finding>& findings) {
  const Model& graph = *resolved.graph;
  if (!KeepsForm({graph, node}, form)) return std::nullopt;
  const OpVerdict accepted{Consequence::kAccepted, form.basis};
  if (form.open.empty()) return accepted;
  NodeView view(table.db(), *form.op->row, graph, node, table.arch_index());
  view.set_layout(&resolved.layout);
  BrokenList broken;
  for (const ActiveConstraint* active : form.open) {
    Evaluate(view, *active, broken);
    if (!broken.empty() && !form.one_row_group) return std::nullopt;
  }
  if (broken.empty()) return accepted;
  const size_t first = findings.size();
  ReportBroken(table, *form.op, view, FactsOf(view), broken, findings);
  return OpVerdict{SortByPort(findings, first), form.basis};
}

}  // namespace quantgate
