#include "core/plan/confirm.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "core/plan/probe.h"
#include "core/rules/raise.h"

namespace quantgate::plan {
namespace {

// A model with the encodings of a plan. Numbers are made up: those of a tensor come from data.
class PlannedModel {
 public:
  PlannedModel(const Model& file, const Resolved& resolved, const GraphPlan& plan)
      : model_(file), resolved_(resolved), graph_(*resolved.graph), plan_(plan) {}

  Model Make() {
    absl::flat_hash_map<std::string_view, TensorId> planned;
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      if (plan_.SameAs(id) == id && plan_.IsUsed(id)) planned.emplace(graph_.tensors[i].name, id);
    }
    for (Tensor& tensor : model_.tensors) {
      const auto known = planned.find(tensor.name);
      if (known == planned.end() || plan_.role(known->second) == TensorRole::kBias) continue;
      Encode(known->second, known->second, tensor);
    }
    for (const ConvertAt& convert : plan_.converts()) Detach(convert);
    return std::move(model_);
  }

 private:
  void Encode(int32_t value_at, TensorId id, Tensor& tensor) const {
    const Value& value = plan_.value_at(value_at);
    if (!IsFixedPoint(value.dtype) || !IsFloat(tensor.dtype)) return;
    TensorId read_as = id;  // in the layout of its reader
    const Choice* of_weight = value_at == id ? plan_.ChoiceOf(read_as) : nullptr;
    Choice choice;
    choice.dtype = value.dtype;
    choice.kind = EncodingKind::kPerTensor;
    if (of_weight != nullptr) choice = *of_weight;
    const int32_t root = plan_.RootOf(value_at);
    const Value& encoding = plan_.value_at(root);
    // Classes differ in their numbers.
    constexpr double kScale8 = 0.02, kScale16 = kScale8 / 256, kStep = 0.0005;
    const double scale =
        (BitsOf(choice.dtype) > 8 ? kScale16 : kScale8) * (1 + kStep * (root % 1000));
    const int64_t middle = SymmetricZeroPoint(choice.dtype, choice.bits);
    const bool symmetric = encoding.symmetric || choice.symmetric;
    const int64_t zero_point = symmetric ? middle : middle - 3 - root % 32;
    Encoding made = TrialEncoding(choice, graph_.tensors[static_cast<size_t>(read_as)],
                                  encoding.scale.value_or(scale),
                                  encoding.zero_point.value_or(zero_point));
    const Choice in_file = InFile(resolved_, read_as, choice);
    made.kind = in_file.kind;
    made.axis = in_file.axis;
    tensor.dtype = choice.dtype;
    tensor.encoding = std::move(made);
  }

  // A converted tensor is another one, and where it comes from is not looked at.
  void Detach(const ConvertAt& convert) {
    const auto op = static_cast<size_t>(convert.op);
    const size_t source =
        resolved_.op_source.empty() ? op : static_cast<size_t>(resolved_.op_source[op]);
    const std::string_view name = graph_.tensors[static_cast<size_t>(convert.tensor)].name;
    TensorId made = kNoTensor;
    for (TensorId& input : model_.nodes[source].inputs) {
      if (input == kNoTensor || model_.tensors[static_cast<size_t>(input)].name.view() != name) {
        continue;
      }
      if (made == kNoTensor) made = AddConverted(convert, input);
      input = made;
    }
  }

  TensorId AddConverted(const ConvertAt& convert, TensorId from) {
    const auto made = static_cast<TensorId>(model_.tensors.size());
    Tensor tensor = model_.tensors[static_cast<size_t>(from)];
    const bool was_fixed = IsFixedPoint(tensor.dtype);
    tensor.name = fmt::format("{} as {}", tensor.name.view(), made);
    tensor.encoding = {};
    if (was_fixed) tensor.dtype = Dtype::kFloat32;
    Encode(convert.value, convert.tensor, tensor);
    if (!tensor.is_static) model_.inputs.push_back(made);
    model_.tensors.push_back(std::move(tensor));
    return made;
  }

  Model model_;
  const Resolved& resolved_;
  const Model& graph_;
  const GraphPlan& plan_;
};

// Scales, zero points and what they are compared with: the options of each op keep to them.
bool IsOfNumbers(const Finding& finding) {
  constexpr std::array kRules = {
      rules::kAsymmetricEncoding, rules::kFixedEncoding,    rules::kBadScale,
      rules::kZeroPointRange,     rules::kScaleRange,       rules::kEncodingShape,
      rules::kSymmetricEncoding,  rules::kDifferentEncoding, rules::kBiasScale};
  return std::any_of(kRules.begin(), kRules.end(),
                     [&](RuleId rule) { return rules::IsOf(finding, rule); });
}

// The node that stands for it in the graph.
int32_t HostOf(const Resolved& resolved, int32_t node) {
  if (resolved.sources.empty()) return node;
  const SourceNode& source = resolved.sources[static_cast<size_t>(node)];
  return source.state == SourceNode::State::kAbsorbed && source.into >= 0 ? source.into : node;
}

}  // namespace

Choice InFile(const Resolved& resolved, TensorId id, Choice choice) {
  const auto layout = resolved.layout.find(id);
  if (layout == resolved.layout.end() || choice.axis < 0) return choice;
  const auto at = static_cast<size_t>(choice.axis);
  choice.axis = at < layout->second.size() ? layout->second[at] : -1;
  if (choice.axis < 0 && choice.kind == EncodingKind::kPerChannel)
    choice.kind = EncodingKind::kPerTensor;
  return choice;
}

absl::flat_hash_map<int32_t, Finding> RefusedNodes(const CheckSetup& setup, const Model& model,
                                                   const Resolved& resolved) {
  LoweredModel lowered(model);
  const TakenRoute& route = setup.routes.For(model.dialect, /*with_encodings=*/false);
  Report report = RunPasses(setup, model, route, lowered);
  absl::flat_hash_map<int32_t, Finding> worst;
  for (Finding& finding : report.findings) {
    if (finding.node_index < 0 || finding.consequence < Consequence::kWrongValues ||
        finding.consequence == Consequence::kUnchecked || IsOfNumbers(finding)) {
      continue;
    }
    const int32_t node = HostOf(resolved, finding.node_index);
    const auto known = worst.find(node);
    if (known != worst.end() && known->second.consequence >= finding.consequence) continue;
    worst.insert_or_assign(node, std::move(finding));
  }
  return worst;
}

Model AsPlanned(const Model& file, const Resolved& resolved, const GraphPlan& plan) {
  return PlannedModel(file, resolved, plan).Make();
}

}  // namespace quantgate::plan
