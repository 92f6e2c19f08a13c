#include "core/validate/broken.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "core/rules/support/awaits_numbers.h"
#include "core/rules/support/format.h"
#include "core/validate/same_breach.h"
#include "core/validate/subjects.h"
#include "core/validate/variant_search.h"
#include "core/validate/wording.h"

namespace quantgate {
namespace {

using rules::NodeView;
using rules::Subject;

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

Finding Explain(const TargetTable& table, const ActiveOp& op, const NodeView& node,
                const PortFacts& facts, const Broken& b) {
  const opdb::View& db = table.db();
  const opdb::ConstraintRow& row = *b.constraint->row;
  Finding f;
  f.rule = &b.constraint->entry->rule;
  f.op = rules::OpName(node);
  const ConstraintTexts& texts = table.TextsOf(f.op, row);
  f.constraint = texts.id;
  f.consequence = b.constraint->consequence;
  const int port = PortOf(node, b);
  f.port = port >= 0 ? rules::PortName(node, port, b.element) : rules::ParamName(node, row.param);
  if (b.tensor != nullptr) f.tensor = b.tensor->name;
  f.sources = texts.sources;
  f.note = texts.note;
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
    if (&other == &b || other.tensor != b.tensor || other.element != b.element) continue;
    // "Works where measured" is not so where the same value, a param or what has no documented alternative, fails by
    // another constraint.
    const bool same_value = b.tensor != nullptr ? b.constraint->row->kind == opdb::Kind::kAnyOf
                                                : b.constraint->row->param >= 0 &&
                                                      b.constraint->row->param == other.constraint->row->param;
    if (same_value && b.constraint->consequence == Consequence::kUndocumented &&
        other.constraint->consequence >= Consequence::kWrongValues) {
      return false;
    }
    if (!SameBreach(db, *b.constraint->row, *other.constraint->row)) continue;
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

}  // namespace

bool Passes(const Guard& guard, const PortFacts& facts) {
  if (guard.port < 0) return true;
  // A given port of unknown dtype has an empty dtype set: no condition on its dtype holds.
  const EncodingMask encodings = facts.encodings[guard.port] & guard.encodings;
  const DtypeMask mask = facts.dtypes[guard.port];
  return encodings != 0 && (mask == 0 ? guard.dtypes == ~DtypeMask{0} : (mask & guard.dtypes) != 0);
}

bool HoldsByFacts(const ActiveConstraint& active, const PortFacts& facts) {
  const Shortcut& s = active.shortcut;
  if (!s.usable) return false;
  const int port = active.own.port;
  if (port < 0) return (facts.all_facts & s.facts) == s.facts;
  return (facts.facts[port] & s.facts) == s.facts && (facts.dtypes[port] & ~s.dtypes) == 0 &&
         (facts.encodings[port] & ~s.encodings) == 0 && facts.min_rank[port] >= s.min_rank &&
         facts.max_rank[port] <= s.max_rank;
}

void Evaluate(const NodeView& node, const ActiveConstraint& active, BrokenList& broken) {
  ForEachSubject(node, active, [&](const Subject& subject) {
    if (rules::AwaitsNumbers(*active.entry, subject)) return;
    if (!active.entry->holds(subject)) broken.push_back({&active, subject.tensor, subject.element});
  });
}

void ReportBroken(const TargetTable& table, const ActiveOp& op, const NodeView& node, const PortFacts& facts,
                  const BrokenList& broken, std::vector<Finding>& findings) {
  for (const Broken& b : broken) {
    if (Decides(table.db(), broken, b)) findings.push_back(Explain(table, op, node, facts, b));
  }
}

Consequence SortByPort(std::vector<Finding>& findings, size_t begin) {
  Consequence worst = Consequence::kAccepted;
  for (size_t i = begin; i < findings.size(); ++i) worst = Worse(worst, findings[i].consequence);
  if (findings.size() < begin + 2) return worst;
  std::stable_sort(findings.begin() + static_cast<std::ptrdiff_t>(begin), findings.end(),
                   [](const Finding& a, const Finding& b) {
                     const int x = PortOrder(a.port);
                     const int y = PortOrder(b.port);
                     return x != y ? x < y : a.rule->code < b.rule->code;
                   });
  return worst;
}

}  // namespace quantgate
