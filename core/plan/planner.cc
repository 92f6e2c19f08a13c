#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"
#include "core/plan/confirm.h"
#include "core/plan/graph_plan.h"
#include "core/plan/settle.h"
#include "core/plan/wish.h"
#include "core/plan/wishes.h"
#include "core/rules/raise.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/passes.h"
#include "core/validate/well_formed.h"
#include "quantgate/plan.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using plan::ConvertAt;
using plan::ConvertReason;
using plan::GraphPlan;
using plan::OpChoice;
using plan::Option;
using plan::Slot;
using plan::Value;

// What is written of one model.
class Writer {
 public:
  Writer(const Target& target, const opdb::View& db, const Model& file, const Resolved& resolved,
         const plan::Wishes& wishes, const std::vector<bool>& float_only,
         const plan::SettledPlan& settled, Plan& plan)
      : target_(target),
        db_(db),
        file_(file),
        resolved_(resolved),
        graph_(*resolved.graph),
        wishes_(wishes),
        float_only_(float_only),
        settled_(settled),
        choices_(settled.graph()),
        plan_(plan) {}

  void Write() {
    WriteNodes();
    WriteTensors();
    WriteConverts();
  }

 private:
  size_t SourceOf(size_t op) const {
    return resolved_.op_source.empty() ? op : static_cast<size_t>(resolved_.op_source[op]);
  }
  std::string Id(std::string_view op, char separator, std::string_view id) const {
    return fmt::format("{}/{}{}{}", target_.backend(), op, separator, id);
  }

  static bool IsQuantized(const Option& option, const std::vector<Slot>& slots) {
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].role != TensorRole::kPlain && IsFixedPoint(option.choices[i].dtype)) return true;
    }
    return false;
  }

  std::string PrecisionOf(const Option& option, const std::vector<Slot>& slots) const {
    int activation = 0, weight = 0;
    bool any = false;
    for (size_t i = 0; i < slots.size(); ++i) {
      const plan::Choice& choice = option.choices[i];
      const bool fixed = IsFixedPoint(choice.dtype);
      const int bits = choice.bits > 0 ? choice.bits : BitsOf(choice.dtype);
      if (slots[i].role == TensorRole::kWeight && fixed) weight = bits;
      if (slots[i].role != TensorRole::kActivation) continue;
      any = true;
      // What it makes says more than what it reads.
      if (fixed && (activation == 0 || slots[i].is_output)) activation = bits;
    }
    return any ? plan::WishName(activation, weight) : "";
  }

  PlanFit FitOf(const OpChoice& op) const {
    if (op.options == nullptr) return PlanFit::kUnchecked;
    const Option* option = op.option();
    if (option == nullptr) {
      return op.options->why && op.options->why->consequence == Consequence::kUnchecked
                 ? PlanFit::kUnchecked
                 : PlanFit::kRefused;
    }
    if (op.options->plain) return PlanFit::kPlain;
    if (option->distance == 0) return PlanFit::kAsWished;
    return IsQuantized(*option, op.options->slots) ? PlanFit::kNearest : PlanFit::kFloat;
  }

  void WriteNodes() {
    plan_.nodes.resize(file_.nodes.size());
    for (size_t i = 0; i < file_.nodes.size(); ++i) {
      PlannedNode& node = plan_.nodes[i];
      node.name = file_.nodes[i].name;
      node.op = file_.nodes[i].op;
      node.wished = wishes_.names[static_cast<size_t>(wishes_.of_node[i])];
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) WriteOp(i);
    for (size_t i = 0; i < resolved_.sources.size(); ++i) WriteSource(i);
  }

  // Of a node that the validator refuses in what fits it best by itself.
  static PlanFit FitOfMoved(const plan::Moved& moved, const OpChoice& op, PlannedNode& node) {
    node.reason = moved.why.message;
    node.constraint = moved.why.constraint;
    node.rule = moved.why.rule->code;
    const Option* option = op.option();
    if (moved.refused || option == nullptr) return PlanFit::kRefused;
    return IsQuantized(*option, op.options->slots) ? PlanFit::kNearest : PlanFit::kFloat;
  }

  void WriteOp(size_t i) {
    const OpChoice& op = choices_.ops()[i];
    PlannedNode& node = plan_.nodes[SourceOf(i)];
    PlannedOp& made = node.ops.emplace_back();
    made.op = graph_.nodes[i].op;
    PlanFit fit = FitOf(op);
    const size_t source = SourceOf(i);
    const bool wants_float = wishes_.list[static_cast<size_t>(wishes_.of_node[source])].is_float();
    if (float_only_[source] && !wants_float && fit == PlanFit::kAsWished) {
      fit = PlanFit::kFloat;
      node.reason = fmt::format("{} is never a quantized unit: it runs in float", node.op.view());
      node.rule = rules::RuleOf(rules::kHalfQuantizedUnit).code;
    }
    if (const plan::Moved* moved = settled_.MovedAt(source)) fit = FitOfMoved(*moved, op, node);
    if (fit > node.fit || node.ops.size() == 1) node.fit = std::max(node.fit, fit);
    if (const Option* option = op.option()) {
      made.row = Id(made.op, '#', db_.str(option->row->row->id));
      made.precision = PrecisionOf(*option, op.options->slots);
      for (const plan::Shaped& shaped : option->shaped) {
        SharedString id = Id(made.op, '/', db_.str(shaped.row->id));
        if (std::find(made.constraints.begin(), made.constraints.end(), id) ==
            made.constraints.end())
          made.constraints.push_back(std::move(id));
      }
    }
    if (fit < PlanFit::kNearest || !node.reason.empty()) return;
    if (op.options != nullptr && op.options->why) {
      node.reason = op.options->why->message;
      node.constraint = op.options->why->constraint;
      node.rule = op.options->why->rule->code;
    } else if (op.options == nullptr) {
      const SharedString& said = graph_.nodes[i].unchecked_reason;
      if (!said.empty()) {
        node.reason = said;
      } else if (plan::HasTooManyPlaces(graph_.nodes[i])) {
        node.reason = fmt::format("it has more than {} inputs and outputs", plan::kMaxPlaces);
      } else {
        node.reason = fmt::format("op \"{}\" is not in the database for {}", Printable(made.op, 80),
                                  target_.backend());
      }
    }
  }

  // Nodes that no op stands for.
  void WriteSource(size_t i) {
    const SourceNode& source = resolved_.sources[i];
    PlannedNode& node = plan_.nodes[i];
    switch (source.state) {
      case SourceNode::State::kOps:
        return;
      case SourceNode::State::kAbsorbed:
        if (source.into >= 0) node.into = plan_.nodes[static_cast<size_t>(source.into)].name;
        return;
      case SourceNode::State::kUnchecked:
        node.fit = PlanFit::kUnchecked;
        node.reason = source.reason;
        return;
      case SourceNode::State::kRefused:
        node.fit = PlanFit::kRefused;
        for (const Finding& f : resolved_.findings) {
          if (f.node_index != static_cast<int32_t>(i) || f.consequence < Consequence::kPrepareFails)
            continue;
          node.reason = f.message;
          node.constraint = f.constraint;
          node.rule = f.rule->code;
          break;
        }
        return;
    }
  }

  void WriteTensors() {
    absl::flat_hash_set<std::string_view> names;
    const bool lowered = resolved_.graph != resolved_.file && resolved_.file != nullptr;
    if (lowered) {
      for (const Tensor& tensor : file_.tensors) names.insert(tensor.name);
    }
    written_.assign(graph_.tensors.size(), -1);
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const auto id = static_cast<TensorId>(i);
      if (choices_.SameAs(id) != id || !choices_.IsUsed(id)) continue;
      written_[i] = static_cast<int32_t>(plan_.tensors.size());
      PlannedTensor& tensor = plan_.tensors.emplace_back();
      tensor.name = graph_.tensors[i].name;
      tensor.internal = lowered && !names.contains(tensor.name);
      tensor.role = choices_.role(id);
      WriteTensor(id, tensor);
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) WriteTensorsOf(i);
  }

  void WriteTensor(TensorId id, PlannedTensor& tensor) {
    const Value& value = choices_.value(id);
    tensor.dtype = value.dtype == Dtype::kUndefined ? graph_.tensors[static_cast<size_t>(id)].dtype
                                                    : value.dtype;
    if (!IsFixedPoint(tensor.dtype)) return;
    tensor.kind = value.kind;
    const int32_t root = choices_.RootOf(id);
    const Value& encoding = choices_.value_at(root);
    tensor.symmetric = encoding.symmetric;
    tensor.scale = encoding.scale;
    tensor.zero_point = encoding.zero_point;
    if (!tensor.scale) tensor.least_scale = encoding.least_scale;
    if (tensor.symmetric && !tensor.zero_point)
      tensor.zero_point = SymmetricZeroPoint(tensor.dtype);
    if (root != id) tensor.shares_with = graph_.tensors[static_cast<size_t>(encoding.tensor)].name;
    TensorId read_as = id;  // in the layout of its reader
    if (const plan::Choice* choice = choices_.ChoiceOf(read_as)) {
      tensor.bits = choice->bits;
      tensor.block_size = choice->block_size;
      if (choice->kind == EncodingKind::kPerChannel || choice->kind == EncodingKind::kLpbq) {
        const plan::Choice in_file = plan::InFile(resolved_, read_as, *choice);
        tensor.kind = in_file.kind;
        tensor.file_axis = in_file.axis;
        if (tensor.file_axis >= 0) tensor.axis = choice->axis;
      }
    }
  }

  // What single ops say of their tensors.
  void WriteTensorsOf(size_t i) {
    const OpChoice& op = choices_.ops()[i];
    const Option* option = op.option();
    if (option == nullptr) return;
    const Node& node = graph_.nodes[i];
    const auto& places = op.options->slot_of_place;
    for (size_t p = 0; p < places.size(); ++p) {
      if (places[p] < 0) continue;
      const auto id_of = static_cast<size_t>(choices_.SameAs(TensorAt(node, p)));
      PlannedTensor& tensor = plan_.tensors[static_cast<size_t>(written_[id_of])];
      for (const plan::Shaped& shaped : option->shaped) {
        if (shaped.slot != places[p]) continue;
        SharedString id = Id(node.op, '/', db_.str(shaped.row->id));
        if (std::find(tensor.constraints.begin(), tensor.constraints.end(), id) ==
            tensor.constraints.end()) {
          tensor.constraints.push_back(std::move(id));
        }
      }
      if (tensor.role == TensorRole::kBias && BitsOf(tensor.dtype) == 32 &&
          IsFixedPoint(tensor.dtype) && !node.inputs.empty() && node.inputs[0] != kNoTensor) {
        tensor.derived_from = graph_.tensors[static_cast<size_t>(node.inputs[0])].name;
      }
    }
  }

  void WriteConverts() {
    for (const ConvertAt& at : choices_.converts()) {
      const auto op = static_cast<size_t>(at.op);
      const Value& value = choices_.value_at(at.value);
      const Value& encoding = choices_.value_at(choices_.RootOf(at.value));
      PlannedConvert& convert = plan_.converts.emplace_back();
      convert.tensor = graph_.tensors[static_cast<size_t>(at.tensor)].name;
      convert.from = choices_.value(at.tensor).dtype;
      convert.to = value.dtype;
      convert.scale = encoding.scale;
      convert.zero_point = encoding.zero_point;
      if (const int32_t root = choices_.RootOf(at.value); root != at.value)
        convert.shares_with = graph_.tensors[static_cast<size_t>(encoding.tensor)].name;
      convert.port = fmt::format("in[{}]", at.place);
      convert.elements = 1;
      for (const int64_t dim : graph_.tensors[static_cast<size_t>(at.tensor)].dims) {
        convert.elements = dim < 0 ? 0 : convert.elements * dim;
      }
      PlannedNode& node = plan_.nodes[SourceOf(op)];
      convert.node = node.name;
      ++node.converts;
      convert.reason = ReasonOf(at, op);
    }
  }

  std::string ReasonOf(const ConvertAt& at, size_t op) const {
    const std::string_view name = graph_.nodes[op].op;
    switch (at.reason) {
      case ConvertReason::kFixed:
        return fmt::format("{} dictates another encoding than its producer", name);
      case ConvertReason::kShared:
        return fmt::format("{} wants one encoding for both sides, and each is dictated", name);
      case ConvertReason::kDtype:
        break;
    }
    return fmt::format("{} reads {}, its producer makes {}", name,
                       DtypeName(choices_.value_at(at.value).dtype),
                       DtypeName(choices_.value(at.tensor).dtype));
  }

  const Target& target_;
  const opdb::View& db_;
  const Model& file_;
  const Resolved& resolved_;
  const Model& graph_;
  const plan::Wishes& wishes_;
  const std::vector<bool>& float_only_;
  const plan::SettledPlan& settled_;
  const GraphPlan& choices_;
  Plan& plan_;
  std::vector<int32_t> written_;  // by tensor of the graph: its place in the plan
};

// Nodes of the file that the route hands over in float whatever is quantized around them: operators
// that form no quantized unit (opdefs/resolve).
std::vector<bool> FloatOnly(const Model& file, const opdb::View& db, opdb::Tree route) {
  std::vector<bool> only(file.nodes.size(), false);
  if (!route["quantizes_units"].flag().value_or(false)) return only;
  const opdb::Tree ops = db.Document(fmt::format("resolve/{}", DialectName(file.dialect)))["ops"];
  for (size_t i = 0; i < only.size(); ++i) {
    const Node& node = file.nodes[i];
    if (file.DialectOf(node) != file.dialect) continue;
    const std::string name = node.domain.empty()
                                 ? node.op.str()
                                 : fmt::format("{}.{}", node.domain.view(), node.op.view());
    only[i] = ops[name]["unit"].str() == "float";
  }
  return only;
}

// Encodings of tensors of the file: what a route stores otherwise is not the user's doing.
absl::Status CheckFloat(const Model& file, const Model& graph) {
  absl::flat_hash_set<std::string_view> names;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.encoding->kind == EncodingKind::kNone && !IsFixedPoint(tensor.dtype)) continue;
    if (names.empty()) {
      for (const Tensor& own : file.tensors) names.insert(own.name);
    }
    if (!names.contains(tensor.name)) continue;
    return absl::InvalidArgumentError(
        fmt::format("the model is quantized already: tensor \"{}\" has an encoding; a plan is made "
                    "of the float model",
                    Printable(tensor.name, 80)));
  }
  return absl::OkStatus();
}

}  // namespace

struct Planner::Impl {
  Target target;
  PlanOptions options;
  CheckSetup setup;
};

std::string_view PlanGoalName(PlanGoal goal) {
  return goal == PlanGoal::kConverts ? "converts" : "bits";
}
std::vector<std::string_view> PlanGoalNames() {
  return {PlanGoalName(PlanGoal::kConverts), PlanGoalName(PlanGoal::kBits)};
}

std::string_view TensorRoleName(TensorRole role) {
  constexpr std::array<std::string_view, 5> kNames = {"activation", "constant", "weight", "bias",
                                                      "plain"};
  return kNames[static_cast<size_t>(role)];
}

std::string_view PlanFitName(PlanFit fit) {
  constexpr std::array<std::string_view, kPlanFitCount> kNames = {
      "plain", "as_wished", "nearest", "float", "refused", "unchecked"};
  return kNames[static_cast<size_t>(fit)];
}

int64_t Plan::count(PlanFit fit) const {
  return std::count_if(nodes.begin(), nodes.end(), [&](const PlannedNode& node) {
    return node.fit == fit && node.into.empty();
  });
}

Planner::Planner(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

absl::StatusOr<Planner> Planner::Make(const Target& target, const PlanOptions& options,
                                      const Database& database) {
  if (const auto wish = plan::ParseWish(options.precision, options.weights, options.minimize);
      !wish.ok()) {
    return wish.status();
  }
  if (!target.unsupported().empty()) return absl::InvalidArgumentError(target.unsupported());
  return Planner(std::unique_ptr<Impl>(
      new Impl{target, options, {target, {.route = options.route}, database}}));
}

absl::StatusOr<Plan> Planner::MakePlan(const Model& model) const {
  const Impl& self = *impl_;
  Producers producers;
  if (const std::string malformed = FindMalformed(model, producers); !malformed.empty()) {
    return absl::InvalidArgumentError("the model is malformed: " + malformed);
  }
  absl::StatusOr<plan::Wishes> wishes = plan::WishesFor(model, self.options);
  if (!wishes.ok()) return wishes.status();
  const opdb::View& db = self.setup.database.view();
  const auto& [route, document] = self.setup.routes.For(model.dialect, /*with_encodings=*/false);
  if (!document) return absl::InvalidArgumentError("the database has no route '" + route + "'");
  Resolved resolved = Resolve(model, self.target, db, document, ParseRouteName(route).release);
  ApplyRoute(document, resolved);
  const Model& graph = *resolved.graph;
  if (absl::Status status = CheckFloat(model, graph); !status.ok()) return status;

  const std::vector<bool> float_only = FloatOnly(model, db, document);
  const auto float_wish = static_cast<int>(wishes->list.size());
  wishes->list.push_back(*plan::ParseWish("fp16", "", self.options.minimize));
  std::vector<int> wish_of(graph.nodes.size());
  std::vector<bool> left_out(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const size_t source =
        resolved.op_source.empty() ? i : static_cast<size_t>(resolved.op_source[i]);
    wish_of[i] = float_only[source] ? float_wish : wishes->of_node[source];
    left_out[i] = !graph.nodes[i].unchecked_reason.empty() ||
                  (!resolved.sources.empty() &&
                   resolved.sources[source].state == SourceNode::State::kRefused);
  }
  const plan::SettledPlan settled(self.setup, model, resolved, wishes->list, std::move(wish_of),
                                  std::move(left_out));

  Plan plan;
  plan.model = model.name;
  plan.backend = self.target.backend();
  plan.sdk = self.target.sdk();
  plan.arch = self.target.arch();
  plan.soc = self.target.soc();
  plan.route = route;
  plan.precision = self.options.precision;
  plan.weights = self.options.weights;
  plan.minimize = PlanGoalName(self.options.minimize);
  plan.notes = self.target.notes();
  plan.notes.insert(plan.notes.end(), model.notes.begin(), model.notes.end());
  Writer(self.target, db, model, resolved, *wishes, float_only, settled, plan).Write();
  return plan;
}

}  // namespace quantgate
