#include "core/lower/route/moved_transposes.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/database/conditions.h"
#include "core/ir/channel_move.h"
#include "core/lower/route/unprepared_parts.h"
#include "core/rules/raise.h"
#include "quantgate/rule.h"

namespace quantgate {
namespace {

class Finder {
 public:
  Finder(opdb::Tree row, const Resolved& resolved, const Report& report)
      : layout_operators_(row["layout_operators"]), through_(row["through"]), toward_(row["toward"]),
        transpose_(row["transpose"].str()), reshape_(row["reshape"].str()), report_(report),
        file_(*resolved.file), arriving_(file_.tensors.size()), leads_(file_.tensors.size()) {}

  // The reshapes of the file at which a moved Transpose ends the session.
  std::vector<int32_t> Find() {
    std::vector<int32_t> found = FlatReshapes();
    if (found.empty()) return found;
    for (const Node& node : file_.nodes) Descend(node);
    for (size_t i = file_.nodes.size(); i-- > 0;) Ascend(file_.nodes[i]);
    std::erase_if(found, [&](int32_t i) {
      const Node& node = file_.nodes[static_cast<size_t>(i)];
      return Of(node.inputs[0]) == ChannelMove::kNone || !leads_[static_cast<size_t>(node.outputs[0])];
    });
    return found;
  }

 private:
  // Reshapes to a single dimension.
  std::vector<int32_t> FlatReshapes() const {
    std::vector<int32_t> found;
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      const Node& node = file_.nodes[i];
      if (!Is(node, reshape_) || node.inputs.empty() || node.outputs.empty()) continue;
      if (node.inputs[0] == kNoTensor || node.outputs[0] == kNoTensor) continue;
      if (file_.tensors[static_cast<size_t>(node.outputs[0])].rank() == 1) found.push_back(static_cast<int32_t>(i));
    }
    return found;
  }
  static bool Standard(const Node& node) { return node.domain.empty() || node.domain == "ai.onnx"; }
  bool Is(const Node& node, std::string_view op) const {
    return node.op == op && Standard(node) && Handed(node);
  }
  bool Listed(const Node& node, opdb::Tree ops) const { return opdb::Lists(ops, node.op) && Handed(node); }
  bool Handed(const Node& node) const {
    const Consequence verdict = report_.nodes[static_cast<size_t>(&node - file_.nodes.data())].verdict;
    return verdict != Consequence::kRejected && verdict != Consequence::kUnchecked;
  }

  // What arrives at the results of a node.
  void Descend(const Node& node) {
    ChannelMove arrives = ChannelMove::kNone;
    if (Listed(node, layout_operators_)) {
      arrives = ChannelMove::kToFirst;
    } else if (Is(node, transpose_)) {
      const Param* perm = node.FindParam("perm");
      const auto* order = perm == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(&perm->value);
      const ChannelMove own = order == nullptr ? ChannelMove::kNone : ChannelMoveOf(*order);
      const ChannelMove before = node.inputs.empty() ? ChannelMove::kNone : Of(node.inputs[0]);
      // Two of them are none, or none that only moves the channels.
      if (before == ChannelMove::kNone) arrives = own;
    } else if (Listed(node, through_)) {
      for (const TensorId id : node.inputs) {
        if (arrives == ChannelMove::kNone) arrives = Of(id);
      }
    }
    if (arrives == ChannelMove::kNone) return;
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) arriving_[static_cast<size_t>(id)] = arrives;
    }
  }

  // Whether the inputs of a node lead to a Transpose.
  void Ascend(const Node& node) {
    bool leads = Is(node, transpose_);
    const bool layout = Listed(node, layout_operators_);
    if (Listed(node, through_) || Listed(node, toward_)) {
      for (const TensorId id : node.outputs) leads |= id != kNoTensor && leads_[static_cast<size_t>(id)];
    }
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] == kNoTensor || !(leads || (layout && i == 0))) continue;
      leads_[static_cast<size_t>(node.inputs[i])] = true;
    }
  }

  ChannelMove Of(TensorId id) const {
    return id == kNoTensor ? ChannelMove::kNone : arriving_[static_cast<size_t>(id)];
  }

  opdb::Tree layout_operators_, through_, toward_;  // of the row: lists of operators of the file
  std::string_view transpose_, reshape_;
  const Report& report_;
  const Model& file_;
  std::vector<ChannelMove> arriving_;
  std::vector<bool> leads_;
};

// An op of the graph that a node of the file became, -1: none.
int64_t OpOf(const Resolved& resolved, int32_t source) {
  for (size_t i = 0; i < resolved.graph->nodes.size(); ++i) {
    if (SourceOf(resolved, i) == source) return static_cast<int64_t>(i);
  }
  return -1;
}

}  // namespace

void AddMovedTransposes(opdb::Tree document, const Resolved& resolved, Report& report) {
  const opdb::Tree row = document["moved_transposes"];
  if (!row || resolved.file == nullptr) return;
  for (const int32_t node : Finder(row, resolved, report).Find()) {
    const int64_t op = OpOf(resolved, node);
    if (op < 0) continue;
    Finding& f = AddFailure(
        rules::Raise(rules::kBuiltOtherwise, Consequence::kPrepareFails,
                     absl::StrCat(resolved.file->nodes[static_cast<size_t>(node)].op.str(), ": ",
                                  std::string(row["reason"].str()))),
        static_cast<size_t>(op), resolved, report);
    f.note = std::string(document["source"].str());
    f.fixes.push_back({std::string(row["fix"].str()), false, {}});
  }
}

}  // namespace quantgate
