#include "quantgate/validator.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/lower/resolve/resolve.h"
#include "core/lower/route/document_passes.h"
#include "core/lower/route/route.h"
#include "core/rules/raise.h"
#include "core/safety/safe_fixes.h"
#include "core/validate/cache/repeats.h"
#include "core/validate/check_ops.h"
#include "core/validate/finish.h"
#include "core/validate/target_table.h"
#include "core/validate/waivers.h"
#include "core/validate/walk_graph.h"
#include "core/validate/well_formed.h"
#include "quantgate/encodings_file.h"

namespace quantgate {
namespace {

constexpr std::array<std::pair<Route, std::string_view>, 5> kRoutes = {{
    {Route::kDefault, "default"},
    {Route::kDirect, "direct"},
    {Route::kOnnxruntime, "onnxruntime"},
    {Route::kExecutorch, "executorch"},
    {Route::kQairt, "qairt"},
}};

// Smaller graphs are checked node by node: there is little to win.
constexpr size_t kManyNodes = 256;

enum class Nodes : uint8_t { kList, kLeaveOut };

}  // namespace

std::string_view RouteName(Route route) {
  for (const auto& [value, name] : kRoutes) {
    if (value == route) return name;
  }
  return "";
}

std::optional<Route> RouteFromName(std::string_view name) {
  for (const auto& [value, route_name] : kRoutes) {
    if (route_name == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> RouteNames() {
  std::vector<std::string_view> names;
  for (const auto& [route, name] : kRoutes) {
    if (route != Route::kDefault) names.push_back(name);
  }
  return names;
}

std::vector<std::string_view> FailOnNames() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kConsequenceCount; ++i) {
    const auto consequence = static_cast<Consequence>(i);
    if (consequence != Consequence::kAccepted) names.push_back(ConsequenceName(consequence));
  }
  return names;
}

struct Validator::Impl {
  Target target;
  ValidatorOptions options;
  const Database* database;
  TargetTable table;
  GraphRules graph_rules;
  Waivers waivers;

  Impl(Target t, ValidatorOptions o, const Database& db)
      : target(std::move(t)),
        options(o),
        database(&db),
        table(db.view(), target),
        graph_rules(db.view(), target),
        waivers(db.view(), target.backend()) {}

  Report Begin(const Model& model) const {
    Report report;
    report.model = model.name;
    report.backend = target.backend();
    report.sdk = target.sdk();
    report.arch = target.arch();
    report.soc = target.soc();
    report.knowledge_sdk = target.knowledge_sdk();
    report.measured = target.measured();
    report.notes = target.notes();
    report.notes.insert(report.notes.end(), model.notes.begin(), model.notes.end());
    if (!target.conflict().empty()) {
      report.findings.push_back(
          rules::Raise(rules::kSocArchConflict, Consequence::kAdvice, target.conflict()));
    }
    return report;
  }

  static std::vector<NodeReport> ListNodes(const Model& model) {
    std::vector<NodeReport> nodes;
    nodes.reserve(model.nodes.size());
    for (const Node& node : model.nodes) {
      NodeReport& listed = nodes.emplace_back();
      listed.name = node.name;
      listed.op = node.op;
      listed.location = node.location;
    }
    return nodes;
  }

  // Some nodes of a model, checked as if they were all.
  struct Part {
    std::vector<int32_t> nodes;
    Model model;
    Resolved resolved;
    Report report;
  };

  std::unique_ptr<Part> CheckPart(const Model& model, const std::vector<bool>& taken,
                                  Route route) const {
    auto part = std::make_unique<Part>();
    for (size_t i = 0; i < taken.size(); ++i) {
      if (taken[i]) part->nodes.push_back(static_cast<int32_t>(i));
    }
    part->model = Excerpt(model, part->nodes);
    part->report.nodes = ListNodes(part->model);
    part->resolved = Resolve(part->model, target, database->view());
    ApplyRoute(route, target, database->view(), part->resolved);
    CheckOps(part->resolved, part->report);
    ApplySources(part->resolved, part->report);
    return part;
  }

  // A source model of many nodes of few forms; nullopt: it is none. See repeats.h.
  std::optional<Report> CheckRepeating(const Model& model, Route route, Nodes nodes) const {
    const opdb::Tree document = DocumentOf(route, database->view());
    if (model.dialect == Dialect::kQnn || model.nodes.size() < kManyNodes || options.as_run ||
        !target.unsupported().empty() || ChangesOps(document) || document["unprepared_chains"] ||
        document["unprepared_requantizations"]) {
      return std::nullopt;
    }
    mapping::Mapping mapping = MappingOf(model.dialect, target, database->view());
    Repeats repeats = FindRepeats(model, mapping);
    if (repeats.rest.empty() || graph_rules.NeedAll(model)) return std::nullopt;
    std::vector<bool> taken(model.nodes.size());  // what `part` is of
    for (const int32_t i : repeats.rest) taken[static_cast<size_t>(i)] = true;
    std::unique_ptr<Part> part = CheckPart(model, taken, route);
    std::vector<int32_t> concerned = ConcernedNodes(*part);
    // Judging leaves the part's graph with the numbers of others.
    const bool more = JudgeFollowers(model, repeats, *part, taken);
    if (more) {
      if (std::count(taken.begin(), taken.end(), true) > std::ssize(model.nodes) / 2) {
        return std::nullopt;
      }
      part = CheckPart(model, taken, route);
      concerned = ConcernedNodes(*part);
    }
    if (!concerned.empty() || graph_rules.Completes(part->report)) {
      if (TakeNeighbors(model, concerned, taken) || !more) part = CheckPart(model, taken, route);
      graph_rules.Walk(part->resolved, part->report);
    }

    Report report = Begin(model);
    report.route = RouteName(route);
    const std::vector<int32_t>& index = part->nodes;  // of the part's nodes, in the file
    std::move(part->report.findings.begin(), part->report.findings.end(),
              std::back_inserter(report.findings));
    report.nodes = std::move(part->report.nodes);
    waivers.Apply(report);
    fix::MarkSafeFixes(model, database->view(), report);
    Finish(options, report);
    for (Finding& finding : report.findings) {
      if (finding.node_index >= 0) {
        finding.node_index = index[static_cast<size_t>(finding.node_index)];
      }
    }
    std::stable_sort(report.findings.begin(), report.findings.end(), EarlierNode);
    report.counts[static_cast<size_t>(Consequence::kAccepted)] +=
        static_cast<int64_t>(model.nodes.size() - index.size());
    const std::vector<NodeReport> checked = std::exchange(report.nodes, {});
    if (nodes == Nodes::kLeaveOut) return report;
    report.nodes = ListNodes(model);
    std::vector<int32_t> where(model.nodes.size(), -1);
    for (size_t i = 0; i < index.size(); ++i) {
      where[static_cast<size_t>(index[i])] = static_cast<int32_t>(i);
    }
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const size_t from = where[i] >= 0 ? i : static_cast<size_t>(repeats.first[i]);
      const NodeReport& like = checked[static_cast<size_t>(where[from])];
      report.nodes[i].resolved = like.resolved;
      if (where[i] < 0) continue;
      report.nodes[i].verdict = like.verdict;
      report.nodes[i].into = like.into;
      report.nodes[i].reason = like.reason;
    }
    return report;
  }

  // Nodes of the file that are in the part and that rules between nodes have to do with.
  std::vector<int32_t> ConcernedNodes(const Part& part) const {
    const rules::GraphView view = graph_rules.View(part.resolved, part.report);
    std::vector<int32_t> nodes;
    std::vector<GraphRules::Concern> open;
    for (int32_t op = 0; op < view.op_count(); ++op) {
      open.clear();
      if (graph_rules.ConcernsForm(view, op, open) ||
          std::any_of(open.begin(), open.end(), [&](const GraphRules::Concern& concern) {
            return graph_rules.Concerns(view, concern);
          })) {
        nodes.push_back(part.nodes[static_cast<size_t>(view.SourceOf(op))]);
      }
    }
    return nodes;
  }

  // Takes what shares a tensor with some nodes; false = all of it was taken before.
  static bool TakeNeighbors(const Model& model, const std::vector<int32_t>& nodes,
                            std::vector<bool>& taken) {
    std::vector<bool> touched(model.tensors.size());
    for (const int32_t i : nodes) {
      const Node& node = model.nodes[static_cast<size_t>(i)];
      for (const TensorId id : node.inputs) {
        if (id != kNoTensor) touched[static_cast<size_t>(id)] = true;
      }
      for (const TensorId id : node.outputs) {
        if (id != kNoTensor) touched[static_cast<size_t>(id)] = true;
      }
    }
    const auto is_touched = [&](TensorId id) {
      return id != kNoTensor && touched[static_cast<size_t>(id)];
    };
    bool any = false;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      const Node& node = model.nodes[i];
      if (taken[i] || (std::none_of(node.inputs.begin(), node.inputs.end(), is_touched) &&
                       std::none_of(node.outputs.begin(), node.outputs.end(), is_touched))) {
        continue;
      }
      taken[i] = any = true;
    }
    return any;
  }

  // Takes followers that are not seen to be accepted; whether there were any.
  bool JudgeFollowers(const Model& model, const Repeats& repeats, Part& part,
                      std::vector<bool>& taken) const {
    std::vector<std::unique_ptr<FormJudge>> judges(part.nodes.size());
    std::vector<int32_t> position(model.nodes.size(), -1);
    for (size_t i = 0; i < part.nodes.size(); ++i) {
      position[static_cast<size_t>(part.nodes[i])] = static_cast<int32_t>(i);
    }
    const rules::GraphView view = graph_rules.View(part.resolved, part.report);
    // All of them first: judging changes the tensors that their nodes share.
    for (const int32_t first : repeats.first) {
      if (first < 0) continue;
      const auto at = static_cast<size_t>(position[static_cast<size_t>(first)]);
      if (judges[at] != nullptr || part.report.nodes[at].verdict != Consequence::kAccepted) {
        continue;
      }
      judges[at] = std::make_unique<FormJudge>(table, part.model, part.resolved,
                                               static_cast<int32_t>(at), graph_rules, view);
    }
    enum class Judged : uint8_t { kNotYet, kAccepted, kNotAccepted };
    std::vector<Judged> judged(model.nodes.size());
    bool any = false;
    for (size_t i = 0; i < model.nodes.size(); ++i) {
      if (repeats.first[i] < 0) continue;
      const size_t like = repeats.like[i] >= 0 ? static_cast<size_t>(repeats.like[i]) : i;
      if (judged[like] == Judged::kNotYet) {
        FormJudge* const judge =
            judges[static_cast<size_t>(position[static_cast<size_t>(repeats.first[i])])].get();
        const bool accepts =
            judge != nullptr && judge->usable() && judge->Accepts(model, model.nodes[i]);
        judged[like] = accepts ? Judged::kAccepted : Judged::kNotAccepted;
      }
      if (judged[like] == Judged::kAccepted) continue;
      taken[i] = any = true;
    }
    return any;
  }

  Route RouteOf(Route usual) const {
    return options.route == Route::kDefault ? usual : options.route;
  }

  Report Check(const Model& model, Nodes nodes) const {
    const Route usual = DefaultRoute(model.dialect);
    if (std::optional<Report> report = CheckRepeating(model, RouteOf(usual), nodes)) {
      return *std::move(report);
    }
    std::optional<Resolved> resolved;
    Report report = Check(model, FindMalformed(model), resolved, {}, usual);
    if (nodes == Nodes::kLeaveOut) report.nodes.clear();
    return report;
  }

  // `resolved` is made where it isn't there yet; nothing in it depends on arch or SDK. `found`:
  // findings on the model's nodes from before. `usual`: the route where none is asked for.
  Report Check(const Model& model, const std::string& malformed, std::optional<Resolved>& resolved,
               const std::vector<Finding>& found, Route usual) const {
    Report report = Begin(model);
    report.nodes = ListNodes(model);
    const Route route = RouteOf(usual);
    report.route = RouteName(route);
    const auto unchecked = [&](const std::string& reason) {
      for (NodeReport& node : report.nodes) {
        node.verdict = Consequence::kUnchecked;
        node.reason = reason;
      }
    };
    if (!malformed.empty()) {
      report.findings.push_back(rules::Raise(rules::kMalformedModel, Consequence::kRejected,
                                             "the model is malformed: " + malformed));
      unchecked("the model is malformed");
    } else if (!target.unsupported().empty()) {
      report.findings.push_back(
          rules::Raise(rules::kUnsupportedTarget, Consequence::kUnchecked, target.unsupported()));
      unchecked(target.unsupported());
      report.findings.insert(report.findings.end(), found.begin(), found.end());
    } else {
      if (!resolved) {
        resolved = Resolve(model, target, database->view());
        ApplyRoute(route, target, database->view(), *resolved);
        resolved->findings.insert(resolved->findings.begin(), found.begin(), found.end());
      }
      CheckOps(*resolved, report);
      ApplySources(*resolved, report);
      graph_rules.Walk(*resolved, report);
      AddUnprepared(route, database->view(), *resolved, report);
      if (options.as_run) {
        report.as_run = DescribeRun(route, database->view(), model, *resolved, report);
      }
    }
    waivers.Apply(report);
    fix::MarkSafeFixes(model, database->view(), report);
    Finish(options, report);
    return report;
  }

  void CheckOps(const Resolved& resolved, Report& report) const {
    const OpsCheck check = {table, target, *database, options.ways_out, options.threads};
    quantgate::CheckOps(check, resolved, report);
  }

  static void ApplySources(const Resolved& resolved, Report& report) {
    for (const Finding& f : resolved.findings) {
      if (f.node_index < 0) continue;
      NodeReport& node = report.nodes[static_cast<size_t>(f.node_index)];
      node.verdict = Worse(node.verdict, f.consequence);
    }
    for (size_t i = 0; i < resolved.sources.size(); ++i) {
      const SourceNode& source = resolved.sources[i];
      NodeReport& node = report.nodes[i];
      if (source.state == SourceNode::State::kUnchecked) {
        node.verdict = Worse(node.verdict, Consequence::kUnchecked);
        node.reason = source.reason;
      } else if (source.state == SourceNode::State::kAbsorbed && source.into >= 0) {
        node.into = report.nodes[static_cast<size_t>(source.into)].name;
      }
    }
    for (size_t i = 0; i < resolved.sources.size(); ++i) {
      const SourceNode& source = resolved.sources[i];
      if (source.state == SourceNode::State::kAbsorbed && source.shares_verdict &&
          source.into >= 0) {
        const NodeReport& host = report.nodes[static_cast<size_t>(source.into)];
        report.nodes[i].verdict = Worse(report.nodes[i].verdict, host.verdict);
        if (report.nodes[i].verdict == Consequence::kUnchecked)
          report.nodes[i].reason = host.reason;
      }
    }
  }
};

Validator::Validator(Target target, ValidatorOptions options)
    : Validator(std::move(target), options, Database::Embedded()) {}
Validator::Validator(Target target, ValidatorOptions options, const Database& database)
    : impl_(std::make_unique<Impl>(std::move(target), options, database)) {}
Validator::~Validator() = default;
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;

const Target& Validator::target() const { return impl_->target; }
const ValidatorOptions& Validator::options() const { return impl_->options; }

Report Validator::Check(const Model& model) const { return impl_->Check(model, Nodes::kList); }

Report Validator::CheckWithoutNodes(const Model& model) const {
  return impl_->Check(model, Nodes::kLeaveOut);
}

Report Validator::Check(Model model, const EncodingsFile& encodings) const {
  std::optional<Resolved> resolved;
  const std::string malformed = FindMalformed(model);
  // A model that is no graph is not looked into.
  std::vector<Finding> found;
  if (malformed.empty()) found = ApplyEncodings(encodings, model, *impl_->database);
  const Route usual = model.dialect == Dialect::kQnn ? DefaultRoute(model.dialect) : Route::kQairt;
  return impl_->Check(model, malformed, resolved, found, usual);
}

std::vector<Report> Validator::CheckEach(const std::vector<Validator>& validators,
                                         const Model& model) {
  std::optional<Resolved> resolved;
  const std::string malformed = FindMalformed(model);
  std::vector<Report> reports;
  for (const Validator& v : validators) {
    reports.push_back(v.impl_->Check(model, malformed, resolved, {}, DefaultRoute(model.dialect)));
  }
  return reports;
}

}  // namespace quantgate
