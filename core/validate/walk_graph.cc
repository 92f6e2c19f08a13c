#include "core/validate/walk_graph.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/base/huge_pages.h"
#include "core/database/conditions.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/graph_view.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/finish.h"
#include "quantgate/calibration.h"

namespace quantgate {
namespace {

// What the conversions cost that were inserted for a node, reported with the finding.
void Price(const rules::GraphView& view, const rules::SetMask conversions,
           const std::vector<const Rule*>& priced, Report& report) {
  absl::flat_hash_map<int32_t, double> bytes;
  for (Finding& f : report.findings) {
    if (std::find(priced.begin(), priced.end(), f.rule) == priced.end()) continue;
    if (bytes.empty()) {
      for (int32_t op = 0; op < view.op_count(); ++op) {
        const Tensor* in = view.Is(op, conversions) ? view.input(op, 0) : nullptr;
        const Tensor* out = view.output(op);
        if (in == nullptr || out == nullptr) continue;
        bytes[view.SourceOf(op)] += rules::BytesOf(*in) + rules::BytesOf(*out);
      }
    }
    const auto at = bytes.find(f.node_index);
    if (at == bytes.end() || at->second == 0) continue;
    f.message += absl::StrCat("; it reads and writes ", rules::Bytes(at->second), " a run");
  }
}

// Rules look at so many ops in turn: what one has fetched from memory is there for the next.
constexpr int32_t kOpsOfTurn = 512;

// Whether a graph has encodings without numbers. Only files of source operators have them.
bool HasUncalibrated(const Resolved& resolved) {
  if (resolved.owned == nullptr) return false;
  const std::vector<Tensor>& tensors = resolved.graph->tensors;
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const Tensor& tensor) { return quantgate::IsUncalibrated(tensor.encoding); });
}

}  // namespace

GraphRules::GraphRules(const opdb::View& db, const Target& target)
    : db_(&db), target_(target), sets_(db, target) {
  for (const rules::RuleEntry* entry : rules::AllEntries()) {
    if (!entry->is_between_nodes()) continue;
    const opdb::Tree document = db.Document(absl::StrCat("rules/", std::string(entry->rule.slug)));
    if (!document || !opdb::Lists(document["backends"], target.backend()) ||
        !opdb::IsFor(document, target))
      continue;
    std::shared_ptr<const rules::Settings> settings =
        rules::ReadSettings(entry->settings, document, sets_, target);
    if (settings == nullptr) continue;
    priced_.insert(priced_.end(), settings->priced_rules.begin(), settings->priced_rules.end());
    priced_ops_ |= settings->priced_sets;
    active_.push_back({entry, std::move(settings)});
  }
}

std::vector<Finding> GraphRules::Collect(rules::GraphView& view, bool uncalibrated) const {
  std::vector<Running> running;
  for (const Active& active : active_) {
    if (uncalibrated && active.entry->reads_numbers) continue;
    const rules::SetMask required = active.settings->required_sets;
    if (required == 0 || (required & view.any_sets()) != 0) running.push_back({&active});
  }
  const auto run = [&](Running& rule, auto&& with) {
    const Active& active = *rule.active;
    view.set_settings(*active.settings);
    rules::GraphFindings findings(view, active.entry->rule, std::string(active.settings->basis),
                                  rule.found, rule.amount);
    with(*active.entry, findings);
  };
  const bool far_apart = view.graph().nodes.size() > kNodesNearby;
  for (int32_t begin = 0; begin < view.op_count(); begin += kOpsOfTurn) {
    const int32_t end = std::min(begin + kOpsOfTurn, view.op_count());
    if (far_apart) PrefetchInputs(view.graph(), static_cast<size_t>(begin), static_cast<size_t>(end));
    for (Running& rule : running) {
      if (rule.active->entry->amount != nullptr) rule.amount += rule.active->entry->amount(view, begin, end);
      if (rule.active->entry->visit == nullptr) continue;
      run(rule, [&](const rules::RuleEntry& entry, rules::GraphFindings& findings) {
        const rules::SetMask visited = rule.active->settings->required_sets;
        for (int32_t op = begin; op < end; ++op) {
          if (visited == 0 || view.Is(op, visited)) entry.visit(view, op, findings);
        }
      });
    }
  }
  std::vector<Finding> all;
  for (Running& rule : running) {
    if (rule.active->entry->walk != nullptr) {
      run(rule, [&](const rules::RuleEntry& entry, rules::GraphFindings& findings) {
        entry.walk(view, findings);
      });
    }
    std::move(rule.found.begin(), rule.found.end(), std::back_inserter(all));
  }
  return all;
}

void GraphRules::Walk(const Resolved& resolved, Report& report) const {
  std::vector<bool> refused;
  if (!resolved.sources.empty()) {
    refused.resize(resolved.sources.size());
    for (size_t i = 0; i < refused.size(); ++i) {
      refused[i] = resolved.sources[i].state == SourceNode::State::kRefused;
    }
  }
  rules::GraphView view({*db_, target_, sets_, *resolved.graph, resolved.op_source, report, refused,
                         resolved.file, resolved.end_of, resolved.layout, resolved.view_of});
  Price(view, priced_ops_, priced_, report);
  std::vector<Finding> found = Collect(view, HasUncalibrated(resolved));
  if (found.empty()) return;
  for (const Finding& f : found) {
    if (f.node_index < 0) continue;
    NodeReport& node = report.nodes[static_cast<size_t>(f.node_index)];
    node.verdict = Worse(node.verdict, f.consequence);
  }
  // Behind those of the node itself: a finding is large, so each is moved once.
  if (!std::is_sorted(found.begin(), found.end(), EarlierNode)) {
    std::stable_sort(found.begin(), found.end(), EarlierNode);
  }
  std::vector<Finding> all;
  ReserveLarge(all, report.findings.size() + found.size());
  std::merge(std::make_move_iterator(report.findings.begin()),
             std::make_move_iterator(report.findings.end()), std::make_move_iterator(found.begin()),
             std::make_move_iterator(found.end()), std::back_inserter(all), EarlierNode);
  report.findings = std::move(all);
}

}  // namespace quantgate
