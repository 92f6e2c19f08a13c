#include "core/validate/check_node.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/base/nearest.h"
#include "core/rules/raise.h"
#include "core/rules/support/awaits_numbers.h"
#include "core/rules/support/conditions.h"
#include "core/rules/support/format.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/same_breach.h"
#include "core/validate/structure.h"
#include "core/validate/subjects.h"
#include "core/validate/variant_search.h"
#include "core/validate/wording.h"

namespace quantgate {
namespace {

using rules::NodeView;
using rules::Subject;

constexpr size_t kMaxGroups = 64;  // bits of ConstraintRow::groups

struct Broken {
  const ActiveConstraint* constraint;
  const Tensor* tensor;
  int element;
};
using BrokenList = absl::InlinedVector<Broken, 8>;

void Evaluate(const NodeView& node, const ActiveConstraint& active, BrokenList& broken) {
  ForEachSubject(node, active, [&](const Subject& subject) {
    if (rules::AwaitsNumbers(*active.entry, subject)) return;
    if (!active.entry->holds(subject)) broken.push_back({&active, subject.tensor, subject.element});
  });
}

bool Passes(const Guard& guard, const PortFacts& facts) {
  if (guard.port < 0) return true;
  // A given port of unknown dtype has an empty dtype set: no condition on its dtype holds.
  const EncodingMask encodings = facts.encodings[guard.port] & guard.encodings;
  const DtypeMask mask = facts.dtypes[guard.port];
  return encodings != 0 && (mask == 0 ? guard.dtypes == ~DtypeMask{0} : (mask & guard.dtypes) != 0);
}

// Whether the facts alone show that a constraint holds.
bool HoldsByFacts(const ActiveConstraint& active, const PortFacts& facts) {
  const Shortcut& s = active.shortcut;
  if (!s.usable) return false;
  const int port = active.own.port;
  if (port < 0) return (facts.all_facts & s.facts) == s.facts;
  return (facts.facts[port] & s.facts) == s.facts && (facts.dtypes[port] & ~s.dtypes) == 0 &&
         (facts.encodings[port] & ~s.encodings) == 0 && facts.min_rank[port] >= s.min_rank &&
         facts.max_rank[port] <= s.max_rank;
}

int PortOf(const NodeView& node, const Broken& b) {
  if (b.constraint->row->port >= 0) return b.constraint->row->port;
  if (b.constraint->row->port != opdb::kPortAll || b.tensor == nullptr) return -1;
  for (int port = 0; port < node.port_count(); ++port) {
    for (int i = 0; i < node.tensors(port).count; ++i) {
      if (node.tensor(port, i) == b.tensor) return port;
    }
  }
  return -1;
}

// "htp/Conv2d/in[1]/symmetric": made for every finding, so without a format string to read.
SharedString ConstraintId(std::string_view backend, std::string_view op, std::string_view id) {
  std::string text;
  text.reserve(backend.size() + op.size() + id.size() + 2);
  return text.append(backend).append("/").append(op).append("/").append(id);
}

Finding Explain(const TargetTable& table, const ActiveOp& op, const NodeView& node,
                const PortFacts& facts, const Broken& b) {
  const opdb::View& db = table.db();
  const opdb::ConstraintRow& row = *b.constraint->row;
  Finding f;
  f.rule = &b.constraint->entry->rule;
  f.op = rules::OpName(node);
  f.constraint = ConstraintId(db.str(table.backend().name), f.op, db.str(row.id));
  f.consequence = b.constraint->consequence;
  const int port = PortOf(node, b);
  f.port = port >= 0 ? rules::PortName(node, port, b.element) : rules::ParamName(node, row.param);
  if (b.tensor != nullptr) f.tensor = b.tensor->name;
  f.sources = SourceIds(db, row.sources);
  f.note = db.str(row.note);
  opdb::ConstraintRow at_port = row;
  at_port.port = static_cast<int16_t>(port >= 0 ? port : row.port);
  const Subject subject{node, at_port, b.tensor, b.element};
  b.constraint->entry->explain(subject, f);
  if (auto fix = NearestRowFix(table, op, subject, facts)) f.fixes.push_back(*std::move(fix));
  if (b.constraint->consequence == f.consequence) WordByConsequence(db, row, f);
  return f;
}

// Whether a finding is made of this one: of several constraints that one value breaks the most
// severe decides, since an op that is refused computes nothing wrong. Equally severe ones are
// reported each, unless they demand the same.
bool Decides(const opdb::View& db, const BrokenList& broken, const Broken& b) {
  for (const Broken& other : broken) {
    if (&other == &b || other.tensor != b.tensor || other.element != b.element ||
        !SameBreach(db, *b.constraint->row, *other.constraint->row)) {
      continue;
    }
    if (b.constraint->consequence != other.constraint->consequence) {
      if (Worse(b.constraint->consequence, other.constraint->consequence) !=
          b.constraint->consequence) {
        return false;
      }
    } else if (&other < &b && b.constraint->row->args.begin == other.constraint->row->args.begin &&
               b.constraint->row->args.count == other.constraint->row->args.count) {
      return false;
    }
  }
  return true;
}

// In before out, ports before params, then the rule's code.
int PortOrder(const SharedString& port) {
  const auto number = [&](size_t prefix) { return std::atoi(port.c_str() + prefix); };
  if (port.rfind("in[", 0) == 0) return number(3);
  if (port.rfind("out[", 0) == 0) return 1'000'000 + number(4);
  return 2'000'000;
}

void Sort(std::vector<Finding>& findings, size_t begin) {
  std::stable_sort(findings.begin() + static_cast<std::ptrdiff_t>(begin), findings.end(),
                   [](const Finding& a, const Finding& b) {
                     const int x = PortOrder(a.port);
                     const int y = PortOrder(b.port);
                     return x != y ? x < y : a.rule->code < b.rule->code;
                   });
}

Finding UndocumentedRow(const TargetTable& table, const NodeView& node,
                        const ActiveVariant& variant) {
  const opdb::View& db = table.db();
  Finding f = rules::Raise(rules::kUndocumentedRow, Consequence::kUndocumented);
  f.op = rules::OpName(node);
  f.constraint =
      fmt::format("{}/{}#{}", db.str(table.backend().name), f.op, db.str(variant.row->id));
  f.found = fmt::format("row {}", db.str(variant.row->id));
  f.allowed = "a documented row";
  f.sources = SourceIds(db, variant.row->sources);
  const bool executed_later = table.sdk() < variant.row->undocumented_until;
  f.message =
      executed_later
          ? fmt::format("no document of this SDK lists row {} of {}; it was first measured with {}",
                        db.str(variant.row->id), f.op, SdkName(variant.row->undocumented_until))
          : fmt::format("no document lists row {} of {}; the library accepts it, and its numbers "
                        "were never looked at",
                        db.str(variant.row->id), f.op);
  return f;
}

// Every dtype alone is in some row, where rows are lists that stand alone.
bool DocumentedPortByPort(const ActiveOp& op, const PortFacts& facts) {
  for (int i = 0; i < facts.count; ++i) {
    DtypeMask any = 0;
    for (const ActiveVariant& v : op.variants) any |= v.masks[i];
    if ((facts.dtypes[i] & ~any) != 0) return false;
  }
  return true;
}

// Where rows are lists per port, a row says what goes together only if one port at most has a
// choice, or if all that have one take the same.
bool StatedTogether(const ActiveVariant& row, const PortFacts& facts) {
  DtypeMask same = ~DtypeMask{0};
  int choices = 0;
  for (int i = 0; i < facts.count; ++i) {
    const DtypeMask given = facts.dtypes[i];
    if (given == 0 || (row.masks[i] & (row.masks[i] - 1)) == 0) continue;
    if ((given & (given - 1)) != 0) return false;
    same &= given;
    ++choices;
  }
  return choices <= 1 || same != 0;
}

Finding UndocumentedMix(const TargetTable& table, const NodeView& node) {
  Finding f = rules::Raise(rules::kUndocumentedRow, Consequence::kUndocumented);
  f.op = rules::OpName(node);
  f.constraint = fmt::format("{}/{}/rows", table.db().str(table.backend().name), f.op);
  f.found = "a combination of documented datatypes";
  f.allowed = "not stated by the documents";
  f.sources = SourceIds(table.db(), node.op().sources);
  f.message = fmt::format(
      "the documents list these datatypes of {} for each port, and don't say whether they go "
      "together",
      f.op);
  return f;
}

// A likely op name for a misspelt one, in quotes; empty when nothing is near.
std::string NearestOp(const TargetTable& table, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& row : table.db().get(table.backend().ops))
    names.emplace_back(table.db().str(row.name));
  return DidYouMeanOf(name, names);
}

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
bool TakeLimits(const NodeView& node, const ActiveConstraint& active, AcceptedForm& form) {
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

bool KeepsLimit(const Model& graph, const Node& node, const LimitOfForm& form) {
  const auto encoding = [&](size_t place) {
    return &*graph.tensors[static_cast<size_t>(TensorAt(node, place))].encoding;
  };
  rules::ScaleUnits units{};
  for (size_t i = 0; i < static_cast<size_t>(form.limit.port_count); ++i) {
    units[i] = encoding(form.units[i]);
  }
  return rules::IsWithin(form.limit, encoding(form.tensor)->scales, units);
}

// What the next node of this form has to show.
void Remember(const ActiveOp& op, const NodeView& node, const PortFacts& facts, size_t group,
              AcceptedForm& form) {
  form.op = &op;
  const size_t places = node.node().inputs.size() + node.node().outputs.size();
  std::vector<uint8_t> demanded(places);
  const auto demand = [&](int port, uint8_t bits) {
    for (int i = 0; i < node.tensors(port).count; ++i) demanded[PlaceOf(node, port, i)] |= bits;
  };
  for (const ActiveConstraint& active : op.constraints) {
    if (((active.groups >> group) & 1u) == 0 || DecidedByForm(node, active) ||
        !Passes(active.own, facts) || !Passes(active.peer, facts)) {
      continue;
    }
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
    form.ranges.push_back(
        id == kNoTensor ? NumberRanges{}
                        : RangesOf(node.graph().tensors[static_cast<size_t>(id)], demanded[place]));
  }
}

}  // namespace

bool AcceptsForm(const TargetTable& table, const Resolved& resolved, const Node& node,
                 const AcceptedForm& form) {
  const Model& graph = *resolved.graph;
  const NumberRanges* range = form.ranges.data();
  const auto lies_within = [&](TensorId id) {
    const NumberRanges& own = *range++;
    return id == kNoTensor || LieWithin(graph.tensors[static_cast<size_t>(id)].encoding, own);
  };
  for (const TensorId id : node.inputs) {
    if (!lies_within(id)) return false;
  }
  for (const TensorId id : node.outputs) {
    if (!lies_within(id)) return false;
  }
  for (const LimitOfForm& limit : form.limits) {
    if (!KeepsLimit(graph, node, limit)) return false;
  }
  if (form.open.empty()) return true;
  const NodeView view(table.db(), *form.op->row, graph, node, table.arch_index());
  BrokenList broken;
  for (const ActiveConstraint* active : form.open) {
    Evaluate(view, *active, broken);
    if (!broken.empty()) return false;
  }
  return true;
}

OpVerdict CheckNode(const TargetTable& table, const Resolved& resolved, const Node& node,
                      std::vector<Finding>& findings, std::string& reason, AcceptedForm* accepted) {
  const opdb::View& db = table.db();
  const ActiveOp* op = table.Find(node.op);
  if (op == nullptr && !db.str(table.backend().unlisted).empty()) {
    Finding f = rules::Raise(rules::kOpNotInTarget, Consequence::kRejected);
    f.op = node.op;
    f.constraint = fmt::format("{}/{}", db.str(table.backend().name), node.op);
    f.message = fmt::format("{}: {}", node.op, db.str(table.backend().unlisted));
    f.found = node.op;
    f.allowed = "an op of this backend";
    findings.push_back(std::move(f));
    return {Consequence::kRejected};
  }
  if (op == nullptr) {
    reason = fmt::format("op \"{}\" is not in the database for {}{}", node.op,
                         db.str(table.backend().name), NearestOp(table, node.op));
    Finding f = rules::Raise(rules::kUnknownOp, Consequence::kUnchecked);
    f.op = node.op;
    f.message = reason;
    f.found = node.op;
    f.allowed = "a known op";
    findings.push_back(std::move(f));
    return {Consequence::kUnchecked};
  }

  const size_t first = findings.size();
  NodeView view(db, *op->row, *resolved.graph, node, table.arch_index());
  view.set_layout(&resolved.layout);
  if (!op->in_target) {
    Finding f = rules::Raise(rules::kOpNotInTarget, Consequence::kRejected);
    f.op = node.op;
    f.constraint = fmt::format("{}/{}", db.str(table.backend().name), f.op);
    f.found = fmt::format("SDK {}", SdkName(table.sdk()));
    f.allowed = op->row->range.since > table.sdk()
                    ? fmt::format("SDK {} and later", SdkName(op->row->range.since))
                    : "another SDK or arch";
    f.message = fmt::format("{} needs {}", f.op, f.allowed);
    f.sources = SourceIds(db, op->row->sources);
    findings.push_back(std::move(f));
    return {Consequence::kRejected};
  }

  CheckPortsAndParams(table, view, findings);

  const PortFacts facts = FactsOf(view);
  // The best matching row of each group; an entry counts where its bit in `groups` is set.
  std::array<const ActiveVariant*, kMaxGroups> best_of_group;
  uint64_t groups = 0;
  bool stated = table.tuple_rows();
  for (const ActiveVariant& variant : op->variants) {
    if (!Matches(variant.masks, facts)) continue;
    stated = stated || StatedTogether(variant, facts);
    const size_t group = std::min<size_t>(variant.row->group, kMaxGroups - 1);
    const uint64_t bit = uint64_t{1} << group;
    if ((groups & bit) == 0 || variant.consequence < best_of_group[group]->consequence) {
      best_of_group[group] = &variant;
    }
    groups |= bit;
  }

  // Without a matching row only what holds for every row is checked.
  const bool no_row = groups == 0;
  BrokenList broken;
  for (const ActiveConstraint& active : op->constraints) {
    const bool relevant = no_row ? active.groups == ~uint64_t{0} : (active.groups & groups) != 0;
    if (relevant && Passes(active.own, facts) && Passes(active.peer, facts) &&
        !HoldsByFacts(active, facts)) {
      Evaluate(view, active, broken);
    }
  }

  // The group of the row with the least severe findings.
  size_t best = 0;
  if (!no_row) {
    auto best_score = std::pair<int, int>(100, 0);
    for (uint64_t rest = groups; rest != 0; rest &= rest - 1) {
      const auto g = static_cast<size_t>(std::countr_zero(rest));
      auto score = std::pair<int, int>(static_cast<int>(best_of_group[g]->consequence), 0);
      for (const Broken& b : broken) {
        if (((b.constraint->row->groups >> g) & 1u) == 0) continue;
        score.first = std::max(score.first, static_cast<int>(b.constraint->consequence));
        ++score.second;
      }
      if (score < best_score) {
        best_score = score;
        best = g;
      }
    }
  }

  if (no_row) {
    if (!table.tuple_rows() && DocumentedPortByPort(*op, facts)) {
      findings.push_back(UndocumentedMix(table, view));
    } else {
      findings.push_back(ExplainNoRow(table, *op, view, facts));
    }
  } else if (best_of_group[best]->consequence == Consequence::kUndocumented) {
    findings.push_back(UndocumentedRow(table, view, *best_of_group[best]));
  } else if (!stated) {
    findings.push_back(UndocumentedMix(table, view));
  }
  const auto of_best = [&](const Broken& b) {
    return no_row || ((b.constraint->row->groups >> best) & 1u) != 0;
  };
  broken.erase(std::stable_partition(broken.begin(), broken.end(), of_best), broken.end());
  for (const Broken& b : broken) {
    if (Decides(db, broken, b)) findings.push_back(Explain(table, *op, view, facts, b));
  }
  CheckEncodingShapes(table, view, findings);

  Consequence worst = Consequence::kAccepted;
  for (size_t i = first; i < findings.size(); ++i) worst = Worse(worst, findings[i].consequence);
  if (findings.size() - first > 1) Sort(findings, first);
  if (facts.unknown_dtype && worst == Consequence::kAccepted) {
    const std::string port = rules::PortName(view, facts.unknown_port);
    reason = fmt::format("the datatype of {} is not known", port);
    Finding f = rules::Raise(rules::kUnknownDtype, Consequence::kUnchecked);
    f.op = node.op;
    f.port = port;
    f.message = fmt::format("{} of {} has no datatype", port, node.op);
    f.found = "unknown";
    f.allowed = "a datatype";
    findings.push_back(std::move(f));
    worst = Consequence::kUnchecked;
  }
  const Basis basis = no_row ? Basis::kDocuments : best_of_group[best]->basis;
  if (accepted != nullptr && findings.size() == first) {
    Remember(*op, view, facts, best, *accepted);
    accepted->basis = basis;
  }
  return {worst, basis};
}

}  // namespace quantgate
