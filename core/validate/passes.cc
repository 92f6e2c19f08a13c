#include "core/validate/passes.h"

#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "core/base/huge_pages.h"
#include "core/database/arch_order.h"
#include "core/database/conditions.h"
#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"
#include "core/rules/raise.h"
#include "core/safety/safe_fixes.h"
#include "core/validate/basis.h"
#include "core/validate/check_ops.h"
#include "core/validate/file_names.h"
#include "core/validate/finish.h"

namespace quantgate {
namespace {

// The head of the report.
void BeginReport(CheckState& state) {
  const Target& target = state.setup.target;
  Report& report = state.report;
  report.model = state.model.name;
  report.backend = target.backend();
  report.sdk = target.sdk();
  report.arch = target.arch();
  report.soc = target.soc();
  report.knowledge_sdk = target.knowledge_sdk();
  report.measured = target.measured();
  report.measured_by = target.measured_by();
  report.has_op_validation = target.has_op_validation();
  report.route = state.route.name;
  report.notes = target.notes();
  report.notes.insert(report.notes.end(), state.model.notes.begin(), state.model.notes.end());
  if (!target.conflict().empty()) {
    report.findings.push_back(
        rules::Raise(rules::kSocArchConflict, Consequence::kAdvice, target.conflict()));
  }
  if (auto found = DynamicShapesOf(state.route.document, state.model)) {
    report.findings.push_back(*std::move(found));
  }
}

// An entry for each node of the file. After lowering, whose working memory is free again by then.
void ListNodes(CheckState& state) {
  std::vector<NodeReport>& nodes = state.report.nodes;
  ReserveLarge(nodes, state.model.nodes.size());
  for (const Node& node : state.model.nodes) {
    NodeReport& listed = nodes.emplace_back();
    listed.name = node.name;
    listed.op = node.op;
    listed.location = node.location;
  }
}

void LeaveUnchecked(CheckState& state, const SharedString& reason) {
  state.stopped = true;
  ListNodes(state);
  for (NodeReport& node : state.report.nodes) {
    node.verdict = Consequence::kUnchecked;
    node.basis = Basis::kNothing;
    node.reason = reason;
  }
}

// The chip is older than the first arch of the backend.
bool RunsNothing(const CheckSetup& setup) {
  const opdb::View& db = setup.database.view();
  const auto archs =
      db.get(db.backends()[static_cast<size_t>(setup.target.backend_index())].archs);
  return !archs.empty() && opdb::IsOlderArch(setup.target.arch(), db.str(archs[0]));
}

// A model that is no graph, or a target of which nothing is known.
void StopWhereNothingCanBeChecked(CheckState& state) {
  std::vector<Finding>& findings = state.report.findings;
  if (!state.lowered.malformed.empty()) {
    findings.push_back(rules::Raise(rules::kMalformedModel, Consequence::kRejected,
                                    "the model is malformed: " + state.lowered.malformed));
    LeaveUnchecked(state, "the model is malformed");
  } else if (std::string reason =
                 state.setup.target.WhyNot(DialectName(state.model.dialect));
             !reason.empty()) {
    findings.push_back(rules::Raise(rules::kUnsupportedTarget, Consequence::kUnchecked, reason));
    LeaveUnchecked(state, reason);
  } else if (!state.route.document) {
    const std::string reason = "the database has no route '" + state.route.name + "'";
    findings.push_back(rules::Raise(rules::kUnsupportedTarget, Consequence::kUnchecked, reason));
    LeaveUnchecked(state, reason);
  } else if (const std::string& reason = state.setup.target.unsupported(); !reason.empty()) {
    findings.push_back(rules::Raise(
        rules::kUnsupportedTarget,
        RunsNothing(state.setup) ? Consequence::kRejected : Consequence::kUnchecked, reason));
    LeaveUnchecked(state, reason);
    findings.insert(findings.end(), state.lowered.findings.begin(), state.lowered.findings.end());
  }
}

// Source operators -> QNN ops, and what the tools on the way change.
void Lower(CheckState& state) {
  if (state.lowered.resolved) return;
  const opdb::View& database = state.setup.database.view();
  Resolved& resolved =
      state.lowered.resolved.emplace(Resolve(state.model, state.setup.target, database,
                                              state.route.document, ParseRouteName(state.route.name).release));
  ApplyRoute(state.route.document, resolved);
  const std::vector<Finding>& before = state.lowered.findings;
  resolved.findings.insert(resolved.findings.begin(), before.begin(), before.end());
}

// What lowering found, with its nodes.
void ReportLowering(CheckState& state) {
  Report& report = state.report;
  std::vector<Finding>& found = state.lowered.resolved->findings;
  std::vector<Finding> all = state.lowered.shared ? found : std::exchange(found, {});
  for (Finding& f : all) {
    if (f.node_index < 0) continue;
    NodeReport& node = report.nodes[static_cast<size_t>(f.node_index)];
    f.node = node.name;
    node.verdict = Worse(node.verdict, f.consequence);
  }
  all.insert(all.begin(), std::make_move_iterator(report.findings.begin()),
             std::make_move_iterator(report.findings.end()));
  report.findings = std::move(all);
}

// Each op by itself: its row, its constraints.
void CheckEachOp(CheckState& state) {
  const ValidatorOptions& options = state.setup.options;
  CheckOps({state.setup.table, state.setup.target, state.setup.database, options.suggest,
            options.threads, options.shortcuts},
           *state.lowered.resolved, state.report);
}

// From ops to nodes of the file: what is not known, and what became part of another node.
void ConcludeNodes(CheckState& state) {
  const Resolved& resolved = *state.lowered.resolved;
  std::vector<NodeReport>& nodes = state.report.nodes;
  for (const auto& [archs, finding] : resolved.arch_findings) {
    if (!opdb::Lists(archs, state.report.arch)) continue;
    NodeReport& node = nodes[static_cast<size_t>(finding.node_index)];
    node.verdict = Worse(node.verdict, finding.consequence);
    state.report.findings.push_back(finding);
  }
  for (size_t i = 0; i < resolved.sources.size(); ++i) {
    const SourceNode& source = resolved.sources[i];
    if (source.state == SourceNode::State::kUnchecked) {
      nodes[i].verdict = Worse(nodes[i].verdict, Consequence::kUnchecked);
      nodes[i].reason = source.reason;
    } else if (source.state == SourceNode::State::kAbsorbed && source.into >= 0) {
      nodes[i].into = nodes[static_cast<size_t>(source.into)].name;
    }
  }
  for (size_t i = 0; i < resolved.sources.size(); ++i) {
    const SourceNode& source = resolved.sources[i];
    if (source.state != SourceNode::State::kAbsorbed || !source.shares_verdict || source.into < 0)
      continue;
    const NodeReport& host = nodes[static_cast<size_t>(source.into)];
    nodes[i].verdict = Worse(nodes[i].verdict, host.verdict);
    if (nodes[i].verdict == Consequence::kUnchecked) nodes[i].reason = host.reason;
  }
}

// The rules that look at the whole graph.
void WalkGraph(CheckState& state) {
  state.setup.graph_rules.Walk(*state.lowered.resolved, state.report);
}

// Chains that are accepted op by op and fail when the graph is prepared.
void FindUnprepared(CheckState& state) {
  AddUnprepared(state.route.document, *state.lowered.resolved, state.report);
}

// What each verdict rests on.
void FindBasis(CheckState& state) {
  AssignBasis(state.setup.database.view(), state.setup.target, *state.lowered.resolved,
              state.report);
}

// What runs, where it is wanted.
void ForecastRun(CheckState& state) {
  if (!state.setup.options.as_run) return;
  state.report.as_run = DescribeRun(state.route.document, state.model, *state.lowered.resolved, state.report);
}

void ApplyWaivers(CheckState& state) { state.setup.waivers.Apply(state.report); }

void FindSafeFixes(CheckState& state) {
  fix::MarkSafeFixes(state.model, state.lowered.producers, state.setup.database.view(), state.report);
}

void UseNamesOfFile(CheckState& state) {
  NameAsInFile(state.model, state.setup.target, state.setup.database.view(), state.report);
}

// Levels, counts, the verdict of the model.
void Conclude(CheckState& state) { Finish(state.setup.options, state.report); }

struct Pass {
  void (*run)(CheckState&);
  bool looks_at_nodes;  // left out where the check has stopped
};

constexpr Pass kPasses[] = {
    {BeginReport, false},
    {StopWhereNothingCanBeChecked, false},
    {Lower, true},
    {ListNodes, true},
    {ReportLowering, true},
    {CheckEachOp, true},
    {ConcludeNodes, true},
    {WalkGraph, true},
    {FindUnprepared, true},
    {FindBasis, true},
    {ForecastRun, true},
    {ApplyWaivers, false},
    {FindSafeFixes, false},
    {UseNamesOfFile, false},
    {Conclude, false},
};

}  // namespace

CheckSetup::CheckSetup(Target t, ValidatorOptions o, const Database& db)
    : target(std::move(t)),
      options(std::move(o)),
      database(db),
      table(db.view(), target),
      graph_rules(db.view(), target),
      waivers(db.view(), target.backend()),
      routes(options.route, target, db.view()) {}

Report RunPasses(const CheckSetup& setup, const Model& model, const TakenRoute& route, LoweredModel& lowered) {
  CheckState state{setup, model, route, lowered, {}};
  for (const Pass& pass : kPasses) {
    if (!state.stopped || !pass.looks_at_nodes) pass.run(state);
  }
  return std::move(state.report);
}

}  // namespace quantgate
