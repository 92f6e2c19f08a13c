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

}  // namespace

OpVerdict CheckNode(const TargetTable& table, const Resolved& resolved, const Node& node,
                    std::vector<Finding>& findings, std::string& reason, KnownForm* form) {
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
  const size_t others = findings.size() - first;
  ReportBroken(table, *op, view, facts, broken, findings);
  const size_t reported = findings.size();
  CheckEncodingShapes(table, view, findings);

  Consequence worst = SortByPort(findings, first);
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
  const bool one_row_group = std::has_single_bit(groups);
  if (form != nullptr && others == 0 && findings.size() == reported && !facts.unknown_dtype &&
      (broken.empty() || one_row_group)) {
    Remember(*op, view, facts, best, broken, *form);
    form->basis = basis;
    form->one_row_group = one_row_group;
  }
  return {worst, basis};
}

}  // namespace quantgate
