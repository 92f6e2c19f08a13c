// Chains of ops that a backend prepares one by one, and not together.
#include <algorithm>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/database/conditions.h"
#include "core/ir/encoding_math.h"
#include "core/lower/expression/expr.h"
#include "core/lower/route/graph_scope.h"
#include "core/lower/route/moved_transposes.h"
#include "core/lower/route/route.h"
#include "core/lower/route/unprepared_parts.h"
#include "core/lower/route/sequences.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

// What the tensor of an op comes from: kEdge is a `to` of floats that no op computed.
enum class Origin : uint8_t { kOther, kEdge, kFrom, kTo };

// What leads to a tensor.
struct Lead {
  Origin origin = Origin::kOther;
  int float_ops = 0;     // since it was dequantized
  bool has_op = false;   // the row's `with_float_op` is one of them
  bool is_last = false;  // the row's `last_float_op` made it
};

// Whether floats with this lead, quantized again, are such as a row speaks of.
bool Concerns(opdb::Tree row, const Lead& lead) {
  return (!row["last_float_op"] || lead.is_last) &&
         (!row["with_float_op"] || (lead.has_op && lead.float_ops > 1));
}

void FindChains(opdb::Tree document, opdb::Tree row, const Resolved& resolved, Report& report) {
  const Model& graph = *resolved.graph;
  absl::flat_hash_set<std::string_view> fatal;
  for (size_t i = 0; i < row["ops"].size(); ++i) fatal.insert(row["ops"].at(i).str());
  absl::flat_hash_set<std::string_view> through;
  for (size_t i = 0; i < row["float_ops"].size(); ++i) through.insert(row["float_ops"].at(i).str());
  mapping::Condition when(row["when"]);
  const std::string_view from = row["dequantize_op"].str(), to = row["quantize_op"].str();
  // By name: a tensor and its view in another layout have the same.
  absl::flat_hash_map<std::string_view, Lead> leads;
  const std::string_view last_op = row["last_float_op"].str(), with_op = row["with_float_op"].str();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    // Outside of the graph a chain ends.
    if (IsOutside(resolved, report, i)) continue;
    bool behind_op = false, behind_from = false, behind_to = false;
    Lead lead;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      const auto at = leads.find(graph.tensors[static_cast<size_t>(id)].name);
      const Lead before = at == leads.end() ? Lead() : at->second;
      if (at == leads.end() || (node.op == to && !Concerns(row, before))) continue;
      behind_op |= before.origin != Origin::kEdge;
      behind_from |= before.origin == Origin::kFrom;
      behind_to |= before.origin == Origin::kTo;
      lead.float_ops = std::max(lead.float_ops, before.float_ops);
      lead.has_op |= before.has_op;
    }
    // What is dequantized right after a `to` or an input never was computed in integers.
    if (node.op == from) {
      lead = {.origin = behind_op ? Origin::kFrom : Origin::kOther};
    } else if (behind_to || behind_from) {
      lead.origin = behind_to || node.op == to ? Origin::kTo : Origin::kFrom;
      // Other floats than these were seen to be prepared.
      if (lead.origin == Origin::kFrom && !through.contains(node.op)) lead.origin = Origin::kOther;
    } else if (node.op == to) {
      lead.origin = Origin::kEdge;
    }
    if (behind_to && fatal.contains(node.op) && HasDtype(row["dtypes"], graph, node.outputs) &&
        when.Holds(GraphScope(graph, i))) {
      Finding& f = AddFailure(rules::Raise(rules::kFloatBetween, Consequence::kPrepareFails), i, resolved,
                              report);
      f.message =
          absl::StrCat(node.op.str(), ": ", std::string(row["reason"].str()), " on ", report.arch);
      f.note = std::string(document["source"].str());
      f.fixes.push_back({absl::StrCat("quantize the float ops before ", node.op.str()), false, {}});
      lead.origin = Origin::kOther;  // reported once a chain
    }
    if (node.op != from) ++lead.float_ops;
    lead.has_op |= node.op == with_op;
    lead.is_last = node.op == last_op;
    for (const TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      leads[graph.tensors[static_cast<size_t>(id)].name] = lead;
    }
  }
}

bool SameEncodings(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && SameScales(a.encoding, b.encoding) &&
         SameZeroPoints(a.encoding, b.encoding);
}

// The tensor that the only reader of `from` makes of it in another encoding: by a conversion, or
// through floats that no op computes with. Null where something else becomes of it.
const Tensor* Requantized(const Model& graph, opdb::Tree row, EndsByName& ends, const Tensor& from) {
  const Tensor* at = &from;
  bool in_float = false;
  // As long a chain as there are nodes: a cycle is no graph.
  for (size_t step = 0; step < graph.nodes.size(); ++step) {
    const int32_t next = ends.OnlyReader(at->name);
    if (next < 0) return nullptr;
    const Node& reader = graph.nodes[static_cast<size_t>(next)];
    if (reader.outputs.empty() || reader.outputs[0] == kNoTensor) return nullptr;
    at = &graph.tensors[static_cast<size_t>(reader.outputs[0])];
    if (reader.op == row[in_float ? "quantize_op" : "convert_op"].str()) {
      return SameEncodings(from, *at) ? nullptr : at;
    }
    if (in_float ? !opdb::Lists(row["float_ops"], reader.op)
                 : reader.op != row["dequantize_op"].str()) {
      return nullptr;
    }
    in_float = true;
  }
  return nullptr;
}

void FindRequantizations(opdb::Tree document, opdb::Tree row, const Resolved& resolved, EndsByName& ends,
                         Report& report) {
  const Model& graph = *resolved.graph;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!opdb::Lists(row["ops"], node.op) || node.outputs.empty()) continue;
    if (IsOutside(resolved, report, i) || node.outputs[0] == kNoTensor) continue;
    const Tensor& out = graph.tensors[static_cast<size_t>(node.outputs[0])];
    if (!IsFixedPoint(out.dtype)) continue;
    const Tensor* changed = Requantized(graph, row, ends, out);
    if (changed == nullptr) continue;
    Finding& f = AddFailure(rules::Raise(rules::kFloatBetween, Consequence::kPrepareFails), i, resolved,
                            report);
    f.port = "out[0]";
    f.tensor = out.name;
    f.message = absl::StrCat(node.op.str(), ": ", std::string(row["reason"].str()), " on ", report.arch);
    f.note = std::string(document["source"].str());
    f.fixes.push_back(
        {absl::StrCat("give ", changed->name.str(), " the encoding of ", out.name.str()), false, {}});
  }
}

}  // namespace

void AddUnprepared(opdb::Tree document, const Resolved& resolved, Report& report) {
  const opdb::Tree rows = document["unprepared_chains"];
  const size_t before = report.findings.size();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (opdb::Lists(rows.at(i)["archs"], report.arch)) {
      FindChains(document, rows.at(i), resolved, report);
    }
  }
  EndsByName ends(*resolved.graph);
  const opdb::Tree requantized = document["unprepared_requantizations"];
  for (size_t i = 0; i < requantized.size(); ++i) {
    if (opdb::Lists(requantized.at(i)["archs"], report.arch)) {
      FindRequantizations(document, requantized.at(i), resolved, ends, report);
    }
  }
  AddSequences(document, resolved, ends, report);
  AddMovedTransposes(document, resolved, report);
  if (report.findings.size() == before) return;
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.node_index < b.node_index; });
}

}  // namespace quantgate
