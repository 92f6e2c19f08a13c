#include "core/lower/resolve/source_resolver.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {


SourceResolver::SourceResolver(const Model& file, mapping::Mapping& mapping, opdb::Tree route,
                               Resolved& resolved)
    : file_(file),
      mapping_(mapping),
      route_(route),
      resolved_(resolved),
      builder_(file, resolved) {}

void SourceResolver::Run() {
  Classify();
  if (route_["drops_unread_nodes"].flag().value_or(false)) DropUnread();
  CountReaders();
  FindConstants();
  ReadEncodings();
  FoldQuantizedConstants();
  FormUnits();
  Emit();
  FillSources();
}

void SourceResolver::Report(int32_t node, RuleId rule, Consequence consequence,
                            const SharedString& message, TensorId tensor) {
  const SharedString& shared = *messages_.insert(message).first;
  Finding& finding = resolved_.findings.emplace_back(rules::Raise(rule, consequence, shared));
  finding.node_index = node;
  finding.node = file_.nodes[static_cast<size_t>(node)].name;
  finding.op = file_.nodes[static_cast<size_t>(node)].op;
  if (tensor != kNoTensor) finding.tensor = FileTensor(tensor).name;
}

void SourceResolver::Uncheck(int32_t node, std::string reason) {
  SourceNode& source = resolved_.sources[static_cast<size_t>(node)];
  source.state = SourceNode::State::kUnchecked;
  Report(node, rules::kUnmappedSourceOp, Consequence::kUnchecked, reason);
  source.reason = reason;
}

void SourceResolver::Refuse(int32_t node, std::string reason, bool form) {
  const Node& source = file_.nodes[static_cast<size_t>(node)];
  // The finding that says why it does not run in full is pointless where it does not run at all.
  std::erase_if(resolved_.findings, [&](const Finding& f) {
    return f.node_index == node && f.consequence == Consequence::kAltered;
  });
  Report(node, form ? rules::kRefusedByRoute : rules::kUnmappedSourceOp, Consequence::kRejected,
         absl::StrCat(source.op.str(), form ? " is not translated: " : " is not supported: ",
                      std::move(reason)));
  resolved_.sources[static_cast<size_t>(node)].state = SourceNode::State::kRefused;
}

void SourceResolver::FillEnds() {
  const auto note = [&](TensorId quantized, TensorId end) {
    const TensorId id = quantized == kNoTensor ? kNoTensor : builder_.FirstFixed(quantized);
    if (id != kNoTensor) resolved_.end_of.emplace(id, end);
  };
  for (const TensorId end : file_.inputs) {
    for (const int32_t reader : Readers(end)) {
      if (states_[static_cast<size_t>(reader)].kind != Kind::kQuantize) continue;
      note(file_.nodes[static_cast<size_t>(reader)].outputs[0], end);
    }
  }
  for (const TensorId end : file_.outputs) {
    const int32_t maker = Producer(end);
    if (maker < 0 || states_[static_cast<size_t>(maker)].kind != Kind::kDequantize) continue;
    note(file_.nodes[static_cast<size_t>(maker)].inputs[0], end);
  }
}

// Who absorbed the nodes that became no op: their host, else the first reader that became one.
void SourceResolver::FillSources() {
  std::vector<bool> has_op(file_.nodes.size());
  for (const int32_t source : resolved_.op_source) has_op[static_cast<size_t>(source)] = true;
  for (size_t k = file_.nodes.size(); k-- > 0;) {
    const NodeState& state = states_[k];
    SourceNode& source = resolved_.sources[k];
    if (source.state != SourceNode::State::kOps || has_op[k] || state.kind == Kind::kUnknown) {
      continue;
    }
    source.state = SourceNode::State::kAbsorbed;
    source.shares_verdict = state.shares;
    source.into = state.host;
    if (state.host >= 0) continue;
    for (const TensorId id : file_.nodes[k].outputs) {
      if (id == kNoTensor) continue;
      for (const int32_t reader : Readers(Real(id))) {
        if (source.into >= 0) break;
        const SourceNode& r = resolved_.sources[static_cast<size_t>(reader)];
        // Nodes after this one are settled.
        source.into = r.state == SourceNode::State::kAbsorbed ? r.into : reader;
      }
    }
  }
}

}  // namespace quantgate
