#include "core/validate/check_node.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "core/base/nearest.h"
#include "core/rules/raise.h"
#include "core/rules/support/format.h"
#include "core/validate/broken.h"
#include "core/validate/cache/form_check.h"
#include "core/validate/structure.h"
#include "core/validate/variant_search.h"

namespace quantgate {
namespace {

using rules::NodeView;

constexpr size_t kMaxGroups = 64;  // bits of ConstraintRow::groups

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

// A likely op name for a misspelt one, in quotes; empty when nothing is near.
std::string NearestOp(const TargetTable& table, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& row : table.db().get(table.backend().ops))
    names.emplace_back(table.db().str(row.name));
  return DidYouMeanOf(name, names);
}

// Whether a document that an op rests on is about this backend too.
bool IsInDocumentsOf(const opdb::View& db, const opdb::OpRow& op, std::string_view backend) {
  // A page that only names the op rests on nothing.
  if (op.variants.count == 0 && op.constraints.count == 0) return false;
  const auto ids = db.get(op.sources);
  return std::any_of(ids.begin(), ids.end(), [&](uint16_t id) {
    const opdb::SourceRow& source = db.sources()[id];
    const auto names = db.get(source.backends);
    return source.kind == opdb::SourceKind::kDocuments &&
           std::any_of(names.begin(), names.end(), [&](opdb::Str name) { return db.str(name) == backend; });
  });
}

// The other backends for which the documents of this one list the op; empty = none.
std::string BackendsWith(const TargetTable& table, std::string_view op) {
  const opdb::View& db = table.db();
  const std::string_view own = db.str(table.backend().name);
  std::string names;
  for (const opdb::BackendRow& row : db.backends()) {
    const int index = db.FindOp(row, op);
    if (index < 0 || !IsInDocumentsOf(db, db.get(row.ops)[static_cast<size_t>(index)], own)) continue;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", db.str(row.name));
  }
  return names;
}

// What is said where the target lacks the op: it has no such op at all, or only for others.
OpVerdict ReportUnlisted(const TargetTable& table, const Node& node, std::vector<Finding>& findings,
                         std::string& reason) {
  const opdb::View& db = table.db();
  const std::string_view backend = db.str(table.backend().name);
  const std::string_view unlisted =
      table.sdk() >= table.backend().unlisted_since ? db.str(table.backend().unlisted) : std::string_view();
  Finding f;
  if (const std::string others = unlisted.empty() ? BackendsWith(table, node.op) : std::string();
      !unlisted.empty() || !others.empty()) {
    f = rules::Raise(rules::kOpNotInTarget, Consequence::kRejected);
    f.constraint = fmt::format("{}/{}", backend, node.op);
    f.message = others.empty()
                    ? fmt::format("{}: {}{}", node.op, unlisted, NearestOp(table, node.op))
                    : fmt::format("{}: the documents of {} list no such op, those of {} do", node.op, backend, others);
    f.allowed = "an op of this backend";
    reason = f.message.str();
  } else {
    reason = fmt::format("op \"{}\" is not in the database for {}{}", node.op, backend,
                         NearestOp(table, node.op));
    f = rules::Raise(rules::kUnknownOp, Consequence::kUnchecked);
    f.message = reason;
    f.allowed = "a known op";
  }
  f.op = f.found = node.op;
  const Consequence consequence = f.consequence;
  findings.push_back(std::move(f));
  return {consequence};
}

OpVerdict ReportNotInTarget(const TargetTable& table, const opdb::OpRow& op, const Node& node,
                            std::vector<Finding>& findings) {
  const opdb::View& db = table.db();
  Finding f = rules::Raise(rules::kOpNotInTarget, Consequence::kRejected);
  f.op = node.op;
  f.constraint = fmt::format("{}/{}", db.str(table.backend().name), f.op);
  f.found = fmt::format("SDK {}", SdkName(table.sdk()));
  f.allowed = op.range.since > table.sdk() ? fmt::format("SDK {} and later", SdkName(op.range.since))
                                           : "another SDK or arch";
  f.message = fmt::format("{} needs {}", f.op, f.allowed);
  f.sources = SourceIds(db, op.sources);
  findings.push_back(std::move(f));
  return {Consequence::kRejected};
}

// The rows that the datatypes of a node match, the best of each group.
struct MatchedRows {
  std::array<const ActiveVariant*, kMaxGroups> best;  // an entry counts where its bit in `groups` is set
  uint64_t groups = 0;
  bool stated = false;  // some document says that these datatypes go together

  bool none() const { return groups == 0; }
};

MatchedRows MatchRows(const TargetTable& table, const ActiveOp& op, const PortFacts& facts) {
  MatchedRows rows;
  rows.stated = table.tuple_rows();
  for (const ActiveVariant& variant : op.variants) {
    if (!Matches(variant.masks, facts)) continue;
    rows.stated = rows.stated || StatedTogether(variant, facts);
    const size_t group = std::min<size_t>(variant.row->group, kMaxGroups - 1);
    const uint64_t bit = uint64_t{1} << group;
    if ((rows.groups & bit) == 0 || variant.consequence < rows.best[group]->consequence) {
      rows.best[group] = &variant;
    }
    rows.groups |= bit;
  }
  return rows;
}

// What the node breaks of the constraints of the rows it matches; without any, of those of every row.
void FindBroken(const NodeView& node, const ActiveOp& op, const PortFacts& facts, uint64_t groups,
                BrokenList& broken) {
  for (const ActiveConstraint& active : op.constraints) {
    const bool relevant = groups == 0 ? active.groups == ~uint64_t{0} : (active.groups & groups) != 0;
    if (relevant && Passes(active.own, facts) && Passes(active.peer, facts) &&
        !HoldsByFacts(active, facts)) {
      Evaluate(node, active, broken);
    }
  }
}

bool IsOfGroup(const Broken& broken, size_t group) {
  return ((broken.constraint->row->groups >> group) & 1u) != 0;
}

// The group of the row with the least severe findings, then the fewest.
size_t LeastSevereGroup(const MatchedRows& rows, const BrokenList& broken) {
  size_t best = 0;
  auto best_score = std::pair<int, int>(100, 0);
  for (uint64_t rest = rows.groups; rest != 0; rest &= rest - 1) {
    const auto g = static_cast<size_t>(std::countr_zero(rest));
    auto score = std::pair<int, int>(static_cast<int>(rows.best[g]->consequence), 0);
    for (const Broken& b : broken) {
      if (!IsOfGroup(b, g)) continue;
      score.first = std::max(score.first, static_cast<int>(b.constraint->consequence));
      ++score.second;
    }
    if (score < best_score) {
      best_score = score;
      best = g;
    }
  }
  return best;
}

// What there is to say of the row itself.
void ReportRow(const TargetTable& table, const ActiveOp& op, const NodeView& view, const PortFacts& facts,
               const MatchedRows& rows, size_t best, std::vector<Finding>& findings) {
  if (rows.none()) {
    const bool mix = !table.tuple_rows() && DocumentedPortByPort(op, facts);
    findings.push_back(mix ? ExplainMix(table, op, view, facts) : ExplainNoRow(table, op, view, facts));
  } else if (rows.best[best]->consequence == Consequence::kUndocumented) {
    findings.push_back(UndocumentedRow(table, view, *rows.best[best]));
  } else if (!rows.stated) {
    findings.push_back(ExplainMix(table, op, view, facts));
  }
}

void ReportUnknownDtype(const NodeView& view, const PortFacts& facts, std::vector<Finding>& findings,
                        std::string& reason) {
  Finding f = rules::Raise(rules::kUnknownDtype, Consequence::kUnchecked);
  f.op = view.node().op;
  f.port = rules::PortName(view, facts.unknown_port);
  f.message = fmt::format("{} of {} has no datatype", f.port, f.op);
  f.found = "unknown";
  f.allowed = "a datatype";
  reason = fmt::format("the datatype of {} is not known", f.port);
  findings.push_back(std::move(f));
}

}  // namespace

OpVerdict CheckNode(const TargetTable& table, const Resolved& resolved, const Node& node,
                    std::vector<Finding>& findings, std::string& reason, KnownForm* form) {
  const ActiveOp* op = table.Find(node.op);
  if (op == nullptr) return ReportUnlisted(table, node, findings, reason);
  if (!op->in_target) return ReportNotInTarget(table, *op->row, node, findings);

  const size_t first = findings.size();
  NodeView view(table.db(), *op->row, *resolved.graph, node, table.arch_index());
  view.set_layout(&resolved.layout);
  CheckPortsAndParams(table, view, findings);
  const bool as_written = resolved.owned == nullptr && resolved.graph->dialect == Dialect::kQnn;
  if (as_written) CheckParamStorage(table, view, findings);

  const PortFacts facts = FactsOf(view);
  const MatchedRows rows = MatchRows(table, *op, facts);
  BrokenList broken;
  FindBroken(view, *op, facts, rows.groups, broken);
  const size_t best = LeastSevereGroup(rows, broken);
  ReportRow(table, *op, view, facts, rows, best, findings);
  const auto of_best = [&](const Broken& b) { return rows.none() || IsOfGroup(b, best); };
  broken.erase(std::stable_partition(broken.begin(), broken.end(), of_best), broken.end());
  const size_t others = findings.size() - first;
  ReportBroken(table, *op, view, facts, broken, findings);
  const size_t reported = findings.size();
  CheckEncodingShapes(table, view, findings);

  Consequence worst = SortByPort(findings, first);
  if (facts.unknown_dtype && worst == Consequence::kAccepted) {
    ReportUnknownDtype(view, facts, findings, reason);
    worst = Consequence::kUnchecked;
  }
  const Basis basis = rows.none() ? Basis::kDocuments : rows.best[best]->basis;
  const bool one_row_group = std::has_single_bit(rows.groups);
  if (form != nullptr && others == 0 && findings.size() == reported && !facts.unknown_dtype &&
      (broken.empty() || one_row_group)) {
    Remember(*op, view, facts, best, broken, *form);
    form->basis = basis;
    form->one_row_group = one_row_group;
  }
  return {worst, basis};
}

}  // namespace quantgate
