#include "core/validate/check_ops.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/validate/cache/form_check.h"
#include "core/validate/cache/known_forms.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/check_node.h"
#include "core/validate/finish.h"
#include "core/validate/suggestions.h"

namespace quantgate {
namespace {

// Checking fewer takes less time than starting a thread does.
constexpr size_t kOpsOfThread = 4096;

// Said in the same words, or doing the same.
bool SameWay(const Fix& a, const Fix& b) {
  return a.summary == b.summary || (!a.edits.empty() && a.edits == b.edits);
}

// Suggestions for a refused op become the fixes of its worst finding. What a rule advises itself is
// the cheapest where it changes an encoding; of datatypes and targets the tried ones are better.
void Offer(Suggestions& suggestions, const Resolved& resolved, const Node& node,
           std::vector<Finding>& findings, size_t begin) {
  const auto first = findings.begin() + static_cast<std::ptrdiff_t>(begin);
  const std::vector<Finding> own(first, findings.end());
  std::vector<Fix> ways = suggestions.For(resolved, node, own);
  if (ways.empty() || own.empty()) return;
  const auto worst = std::max_element(
      first, findings.end(),
      [](const Finding& a, const Finding& b) { return a.consequence < b.consequence; });
  if (worst->rule->code[2] != '2') {
    ways.insert(ways.begin(), worst->fixes.begin(), worst->fixes.end());
  }
  worst->fixes.clear();
  for (Fix& way : ways) {
    const bool reported = std::any_of(worst->fixes.begin(), worst->fixes.end(),
                                  [&](const Fix& fix) { return SameWay(fix, way); });
    if (!reported) worst->fixes.push_back(std::move(way));
  }
}

// Ops `begin` to `end`; no other range has ops of the same nodes of the file.
void CheckRange(const OpsCheck& check, const Resolved& resolved, size_t begin, size_t end,
                std::vector<NodeReport>& nodes, std::vector<Finding>& findings) {
  const Model& graph = *resolved.graph;
  std::optional<Suggestions> suggestions;
  if (check.suggest) suggestions.emplace(check.table, check.target, check.database);
  KnownForms forms(graph);
  const bool far_apart = graph.nodes.size() > kNodesNearby;
  for (size_t i = begin; i < end; ++i) {
    if (far_apart) PrefetchBehind(graph, i);
    const Node& op = graph.nodes[i];
    const auto source =
        resolved.op_source.empty() ? static_cast<int32_t>(i) : resolved.op_source[i];
    NodeReport& node = nodes[static_cast<size_t>(source)];
    node.resolved.push_back(op.op);
    // What a tool doesn't hand over never reaches the backend.
    if (!resolved.sources.empty()) {
      const SourceNode& of = resolved.sources[static_cast<size_t>(source)];
      if (of.state == SourceNode::State::kRefused || of.replaced) continue;
    }
    if (!op.unchecked_reason.empty()) {
      node.reason = op.unchecked_reason;
      node.verdict = Worse(node.verdict, Consequence::kUnchecked);
      continue;
    }
    const bool repeats = check.shortcuts && forms.worthwhile() && HasShortForm(op);
    const size_t first = findings.size();
    const KnownForm* known = repeats ? forms.Find(op) : nullptr;
    std::optional<OpVerdict> decided;
    if (known != nullptr) decided = CheckByForm(check.table, resolved, op, *known, findings);
    if (decided && findings.size() == first) {  // accepted
      node.basis = std::min(node.basis, decided->basis);
      continue;
    }
    std::string reason;
    if (!decided) {
      KnownForm form;
      const bool learn = known == nullptr && repeats;
      decided = CheckNode(check.table, resolved, op, findings, reason, learn ? &form : nullptr);
      if (form.op != nullptr) forms.Insert(op, std::move(form));
    }
    const auto [verdict, basis] = *decided;
    node.verdict = Worse(node.verdict, verdict);
    node.basis = std::min(node.basis, basis);
    if (verdict == Consequence::kUnchecked) node.reason = std::move(reason);
    if (suggestions && verdict >= Consequence::kPrepareFails && verdict != Consequence::kUnchecked) {
      Offer(*suggestions, resolved, op, findings, first);
    }
    for (size_t f = first; f < findings.size(); ++f) {
      findings[f].node_index = source;
      findings[f].node = node.name;
      findings[f].op_index = static_cast<int32_t>(node.resolved.size()) - 1;
    }
  }
}

// Where ranges for `threads` begin, and the end: ops of one node of the file stay together.
std::vector<size_t> Ranges(const Resolved& resolved, bool in_order, int threads) {
  const size_t ops = resolved.graph->nodes.size();
  const size_t most = std::max<size_t>(ops / kOpsOfThread, 1);
  const size_t count = in_order ? std::min(static_cast<size_t>(std::max(threads, 1)), most) : 1;
  std::vector<size_t> bounds;
  for (size_t i = 0; i <= count; ++i) {
    size_t at = ops * i / count;
    const auto& source = resolved.op_source;
    while (at > 0 && at < source.size() && source[at] == source[at - 1]) ++at;
    bounds.push_back(at);
  }
  return bounds;
}

}  // namespace

void CheckOps(const OpsCheck& check, const Resolved& resolved, Report& report) {
  const bool found_before = !report.findings.empty();
  const bool in_order = std::is_sorted(resolved.op_source.begin(), resolved.op_source.end());
  const std::vector<size_t> bounds = Ranges(resolved, in_order, check.threads);
  std::vector<std::vector<Finding>> found(bounds.size() - 1);  // the first range's stay unused
  std::vector<std::thread> threads;
  for (size_t i = 1; i < found.size(); ++i) {
    threads.emplace_back(
        [&, i] { CheckRange(check, resolved, bounds[i], bounds[i + 1], report.nodes, found[i]); });
  }
  CheckRange(check, resolved, bounds[0], bounds[1], report.nodes, report.findings);
  for (std::thread& thread : threads) thread.join();
  for (std::vector<Finding>& part : found) {
    std::move(part.begin(), part.end(), std::back_inserter(report.findings));
  }
  // Findings of the way here came first, with their nodes.
  if ((!in_order || found_before) &&
      !std::is_sorted(report.findings.begin(), report.findings.end(), EarlierNode)) {
    std::stable_sort(report.findings.begin(), report.findings.end(), EarlierNode);
  }
}

}  // namespace quantgate
