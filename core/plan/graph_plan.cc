#include "core/plan/graph_plan.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/hash/hash.h"
#include "core/validate/cache/node_form.h"

namespace quantgate::plan {
namespace {

// A Convert costs more than anything else that distinguishes equally near options.
constexpr int kConvertCost = 100;
constexpr int kSweeps = 3;

bool IsData(Dtype dtype) { return IsFloat(dtype) || IsFixedPoint(dtype); }

// Floats of any width need no Convert between them that a quantizer would place.
bool SameType(Dtype a, Dtype b) { return a == b || (IsFloat(a) && IsFloat(b)); }

}  // namespace

const OpOptions* OptionTable::Find(const Node& node, int wish_index, const Wish& wish) {
  const ActiveOp* op = table_.Find(node.op);
  if (op == nullptr || HasTooManyPlaces(node)) return nullptr;
  std::vector<Entry>& same = entries_[absl::HashOf(HashOfForm(graph_, node), wish_index)];
  for (const Entry& entry : same) {
    if (entry.wish == wish_index && SameForm(graph_, *entry.node, node)) return entry.options.get();
  }
  same.push_back({&node, wish_index,
                  std::make_unique<OpOptions>(FindOptions(table_, *op, graph_, node, wish))});
  return same.back().options.get();
}

GraphPlan::GraphPlan(OptionTable& options, const Model& graph, const std::vector<Wish>& wishes,
                     const std::vector<int>& wish_of, const std::vector<bool>& left_out)
    : graph_(graph) {
  ops_.resize(graph.nodes.size());
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (left_out[i]) continue;
    const auto wish = static_cast<size_t>(wish_of[i]);
    ops_[i].options = options.Find(graph.nodes[i], wish_of[i], wishes[wish]);
  }
  FindSame();
  FindUses();
  FindRoles();
  ChooseRows();
  MakeValues();
  PlaceConverts();
  DictateOutputs();
  JoinShared();
  DictateInputs();
}

void GraphPlan::FindSame() {
  absl::flat_hash_map<std::string_view, TensorId> first;
  first.reserve(graph_.tensors.size());
  same_as_.resize(graph_.tensors.size());
  for (size_t id = 0; id < same_as_.size(); ++id) {
    same_as_[id] =
        first.try_emplace(graph_.tensors[id].name, static_cast<TensorId>(id)).first->second;
  }
}

TensorId GraphPlan::At(const Node& node, size_t place) const {
  const TensorId id = TensorAt(node, place);
  return id == kNoTensor ? id : SameAs(id);
}

void GraphPlan::FindUses() {
  uses_.resize(graph_.tensors.size());
  is_used_.assign(graph_.tensors.size(), false);
  producer_.assign(graph_.tensors.size(), -1);
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    for (size_t place = 0; place < node.inputs.size(); ++place) {
      if (node.inputs[place] == kNoTensor) continue;
      const auto id = static_cast<size_t>(SameAs(node.inputs[place]));
      is_used_[id] = true;
      uses_[id].push_back({static_cast<int32_t>(i), static_cast<int16_t>(place)});
    }
    for (const TensorId id : node.outputs) {
      if (id == kNoTensor) continue;
      is_used_[static_cast<size_t>(SameAs(id))] = true;
      producer_[static_cast<size_t>(SameAs(id))] = static_cast<int32_t>(i);
    }
  }
}

// What a tensor is: a weight where any op reads it as one.
void GraphPlan::FindRoles() {
  roles_.assign(graph_.tensors.size(), TensorRole::kPlain);
  std::vector<bool> known(graph_.tensors.size(), false);
  const auto mark = [&](TensorId id, TensorRole role) {
    const auto at = static_cast<size_t>(id);
    if (known[at] && roles_[at] == TensorRole::kWeight) return;
    if (known[at] && role != TensorRole::kWeight) return;
    known[at] = true;
    roles_[at] = role;
  };
  for (size_t i = 0; i < ops_.size(); ++i) {
    const OpOptions* options = ops_[i].options;
    const Node& node = graph_.nodes[i];
    if (options == nullptr) continue;
    for (size_t p = 0; p < options->slot_of_place.size(); ++p) {
      const int16_t slot = options->slot_of_place[p];
      if (slot >= 0) mark(At(node, p), options->slots[static_cast<size_t>(slot)].role);
    }
  }
  for (size_t id = 0; id < roles_.size(); ++id) {
    const Tensor& tensor = graph_.tensors[id];
    if (known[id] || !IsFloat(tensor.dtype)) continue;
    roles_[id] = tensor.is_static ? TensorRole::kConstant : TensorRole::kActivation;
  }
}

Dtype GraphPlan::DtypeAt(size_t op, TensorId tensor, size_t option) const {
  const OpChoice& choice = ops_[op];
  const Dtype given = graph_.tensors[static_cast<size_t>(tensor)].dtype;
  if (choice.options == nullptr || choice.options->list.empty()) return given;
  const Node& node = graph_.nodes[op];
  for (size_t p = 0; p < choice.options->slot_of_place.size(); ++p) {
    const int16_t slot = choice.options->slot_of_place[p];
    if (slot < 0 || At(node, p) != tensor) continue;
    return choice.options->list[option].choices[static_cast<size_t>(slot)].dtype;
  }
  return given;
}

Dtype GraphPlan::ProducedBy(TensorId tensor) const {
  const int32_t op = producer_[static_cast<size_t>(tensor)];
  if (op < 0) return end_[static_cast<size_t>(tensor)];
  return DtypeAt(static_cast<size_t>(op), tensor, ops_[static_cast<size_t>(op)].chosen);
}

int GraphPlan::CostOf(size_t op, size_t option) const {
  const Node& node = graph_.nodes[op];
  int converts = 0;
  for (const TensorId input : node.inputs) {
    const TensorId id = input == kNoTensor ? input : SameAs(input);
    if (id == kNoTensor || roles_[static_cast<size_t>(id)] != TensorRole::kActivation) continue;
    const Dtype from = ProducedBy(id);
    converts += from != Dtype::kUndefined && !SameType(from, DtypeAt(op, id, option)) ? 1 : 0;
  }
  // A tensor that many read is looked at through the first of them: their number counts once.
  constexpr size_t kMaxReaders = 16;
  for (const TensorId output : node.outputs) {
    const TensorId id = output == kNoTensor ? output : SameAs(output);
    if (id == kNoTensor || roles_[static_cast<size_t>(id)] != TensorRole::kActivation) continue;
    const Dtype made = DtypeAt(op, id, option);
    const auto& uses = uses_[static_cast<size_t>(id)];
    for (size_t i = 0; i < std::min(uses.size(), kMaxReaders); ++i) {
      const auto reader = static_cast<size_t>(uses[i].op);
      converts += !SameType(made, DtypeAt(reader, id, ops_[reader].chosen)) ? 1 : 0;
    }
  }
  return converts * kConvertCost + ops_[op].options->list[option].preference;
}

// Inputs of the graph and constants are what most of their readers want.
void GraphPlan::SettleEnds() {
  end_.assign(graph_.tensors.size(), Dtype::kUndefined);
  for (size_t id = 0; id < uses_.size(); ++id) {
    if (producer_[id] >= 0) continue;
    std::array<int, kDtypeCount> votes{};
    for (const Use& use : uses_[id]) {
      const auto op = static_cast<size_t>(use.op);
      ++votes[static_cast<size_t>(DtypeAt(op, static_cast<TensorId>(id), ops_[op].chosen))];
    }
    const auto most = std::max_element(votes.begin(), votes.end());
    end_[id] = *most > 0 ? static_cast<Dtype>(most - votes.begin()) : graph_.tensors[id].dtype;
  }
}

void GraphPlan::ChooseRows() {
  SettleEnds();
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool changed = false;
    for (size_t n = 0; n < ops_.size(); ++n) {
      const size_t i = sweep % 2 == 0 ? n : ops_.size() - 1 - n;
      OpChoice& op = ops_[i];
      if (op.options == nullptr || op.options->list.size() < 2) continue;
      size_t best = op.chosen;
      int cost = CostOf(i, best);
      for (size_t o = 0; o < op.options->list.size(); ++o) {
        const int other = CostOf(i, o);
        if (other < cost) {
          cost = other;
          best = o;
        }
      }
      changed = changed || best != op.chosen;
      op.chosen = best;
    }
    SettleEnds();
    if (!changed) break;
  }
}

int64_t GraphPlan::ElementsOf(TensorId id) const {
  constexpr int64_t kMost = int64_t{1} << 48;
  int64_t elements = 1;
  for (const int64_t dim : graph_.tensors[static_cast<size_t>(id)].dims) {
    elements = std::min(kMost, elements * std::max<int64_t>(dim, 1));
  }
  return elements;
}

void GraphPlan::MakeValues() {
  values_.resize(graph_.tensors.size());
  choices_.assign(graph_.tensors.size(), {nullptr, kNoTensor});
  for (size_t id = 0; id < values_.size(); ++id) {
    values_[id].tensor = static_cast<TensorId>(id);
    values_[id].dtype = ProducedBy(static_cast<TensorId>(id));
    if (IsFixedPoint(values_[id].dtype)) values_[id].kind = EncodingKind::kPerTensor;
  }
  value_of_.resize(ops_.size());
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Node& node = graph_.nodes[i];
    for (size_t p = 0; p < node.inputs.size(); ++p) value_of_[i].push_back(At(node, p));
    const Option* option = ops_[i].option();
    if (option == nullptr) continue;
    for (size_t p = 0; p < node.inputs.size(); ++p) {
      const int16_t slot = ops_[i].options->slot_of_place[p];
      if (slot < 0) continue;
      const TensorRole role = ops_[i].options->slots[static_cast<size_t>(slot)].role;
      if (role != TensorRole::kWeight && role != TensorRole::kBias) continue;
      const auto id = static_cast<size_t>(At(node, p));
      auto& [choice, of] = choices_[id];
      if (choice != nullptr) continue;  // one that several read is as the first of them wants it
      choice = &option->choices[static_cast<size_t>(slot)];
      of = node.inputs[p];
      values_[id].kind = choice->kind;
      values_[id].symmetric = choice->symmetric;
      values_[id].dtype = choice->dtype;
    }
  }
}

int32_t GraphPlan::Convert(size_t op, size_t place, Dtype to, ConvertReason reason) {
  const TensorId tensor = At(graph_.nodes[op], place);
  // Readers that want the same of a tensor share a Convert of dtypes.
  if (reason == ConvertReason::kDtype) {
    const auto& uses = uses_[static_cast<size_t>(tensor)];
    constexpr size_t kMaxReaders = 64;
    for (size_t i = 0; i < std::min(uses.size(), kMaxReaders); ++i) {
      const Use& use = uses[i];
      const int32_t value = value_of_[static_cast<size_t>(use.op)][static_cast<size_t>(use.place)];
      if (value == tensor || values_[static_cast<size_t>(value)].dtype != to) continue;
      // An op that reads a tensor twice reads one converted.
      if (use.op == static_cast<int32_t>(op)) return value;
      converts_.push_back(
          {static_cast<int32_t>(op), static_cast<int16_t>(place), tensor, value, reason});
      return value;
    }
  }
  const auto made = static_cast<int32_t>(values_.size());
  Value value;
  value.tensor = tensor;
  value.dtype = to;
  if (IsFixedPoint(to)) value.kind = EncodingKind::kPerTensor;
  values_.push_back(value);
  converts_.push_back(
      {static_cast<int32_t>(op), static_cast<int16_t>(place), tensor, made, reason});
  return made;
}

void GraphPlan::PlaceConverts() {
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Node& node = graph_.nodes[i];
    for (size_t p = 0; p < node.inputs.size(); ++p) {
      const TensorId id = At(node, p);
      if (id == kNoTensor) continue;
      const TensorRole role = roles_[static_cast<size_t>(id)];
      if (role != TensorRole::kActivation && role != TensorRole::kConstant) continue;
      const Dtype want = DtypeAt(i, id, ops_[i].chosen);
      const Dtype have = values_[static_cast<size_t>(id)].dtype;
      if (SameType(want, have) || !IsData(want) || !IsData(have)) continue;
      value_of_[i][p] = Convert(i, p, want, ConvertReason::kDtype);
    }
  }
}

int32_t GraphPlan::RootOf(int32_t value) const {
  while (values_[static_cast<size_t>(value)].parent >= 0) {
    value = values_[static_cast<size_t>(value)].parent;
  }
  return value;
}

int32_t GraphPlan::Find(int32_t value) {
  const int32_t root = RootOf(value);
  while (values_[static_cast<size_t>(value)].parent >= 0) {
    value = std::exchange(values_[static_cast<size_t>(value)].parent, root);
  }
  return root;
}

bool GraphPlan::Dictate(int32_t value, const Choice& choice) {
  Value& root = values_[static_cast<size_t>(Find(value))];
  const auto contradict = [](const auto& a, const auto& b) { return a && b && *a != *b; };
  if (contradict(root.scale, choice.scale) || contradict(root.zero_point, choice.zero_point)) {
    return false;
  }
  const auto middle = [&](Dtype dtype) { return SymmetricZeroPoint(dtype, 0); };
  const auto zero_point = choice.zero_point ? choice.zero_point : root.zero_point;
  const bool symmetric = root.symmetric || choice.symmetric;
  if (symmetric && zero_point && *zero_point != middle(root.dtype)) return false;
  if (choice.scale) root.scale = choice.scale;
  root.zero_point = zero_point;
  root.symmetric = symmetric;
  root.least_scale = std::max(root.least_scale, choice.least_scale);
  return true;
}

bool GraphPlan::Join(int32_t a, int32_t b) {
  a = Find(a);
  b = Find(b);
  if (a == b) return true;
  if (values_[static_cast<size_t>(a)].dtype != values_[static_cast<size_t>(b)].dtype) return false;
  if (b < a) std::swap(a, b);  // the first tensor of the file speaks for the class
  const Value& other = values_[static_cast<size_t>(b)];
  Choice choice;
  choice.symmetric = other.symmetric;
  choice.scale = other.scale;
  choice.zero_point = other.zero_point;
  choice.least_scale = other.least_scale;
  if (!Dictate(a, choice)) return false;
  values_[static_cast<size_t>(b)].parent = a;
  return true;
}

// What an op dictates of what it makes.
void GraphPlan::DictateOutputs() {
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Option* option = ops_[i].option();
    if (option == nullptr) continue;
    const Node& node = graph_.nodes[i];
    for (size_t p = node.inputs.size(); p < ops_[i].options->slot_of_place.size(); ++p) {
      const int16_t slot = ops_[i].options->slot_of_place[p];
      const TensorId id = At(node, p);
      if (slot < 0 || id == kNoTensor) continue;
      const Choice& choice = option->choices[static_cast<size_t>(slot)];
      if (IsFixedPoint(choice.dtype)) Dictate(id, choice);
    }
  }
}

// The places of an op whose tensors share one encoding: outputs, then inputs, the largest first.
void GraphPlan::FindShared(size_t op, std::vector<Shared>& shared) const {
  const Option* option = ops_[op].option();
  if (option == nullptr) return;
  const std::vector<Choice>& choices = option->choices;
  if (std::none_of(choices.begin(), choices.end(),
                   [](const Choice& c) { return c.same_as >= 0; })) {
    return;
  }
  const auto root_of = [&](size_t slot) {
    while (choices[slot].same_as >= 0) slot = static_cast<size_t>(choices[slot].same_as);
    return slot;
  };
  const Node& node = graph_.nodes[op];
  const auto& slots = ops_[op].options->slot_of_place;
  for (size_t root = 0; root < choices.size(); ++root) {
    Shared at{static_cast<int32_t>(op), {}, 0};
    for (size_t place = 0; place < slots.size(); ++place) {
      if (slots[place] < 0 || root_of(static_cast<size_t>(slots[place])) != root) continue;
      at.places.push_back(place);
      at.elements = std::max(at.elements, ElementsOf(At(node, place)));
    }
    if (at.places.size() < 2) continue;
    std::stable_sort(at.places.begin(), at.places.end(), [&](size_t a, size_t b) {
      const bool a_in = a < node.inputs.size(), b_in = b < node.inputs.size();
      return a_in != b_in ? b_in : ElementsOf(At(node, a)) > ElementsOf(At(node, b));
    });
    shared.push_back(std::move(at));
  }
}

// Classes of one encoding, those of the largest tensors first: where two are dictated otherwise,
// the smallest tensor on the way between them is converted.
void GraphPlan::JoinShared() {
  std::vector<Shared> shared;
  for (size_t i = 0; i < ops_.size(); ++i) FindShared(i, shared);
  std::stable_sort(shared.begin(), shared.end(),
                   [](const Shared& a, const Shared& b) { return a.elements > b.elements; });
  for (const Shared& s : shared) {
    const auto op = static_cast<size_t>(s.op);
    const Node& node = graph_.nodes[op];
    const auto value_at = [&](size_t place) {
      return place < node.inputs.size() ? value_of_[op][place] : At(node, place);
    };
    const int32_t first = value_at(s.places[0]);
    for (size_t i = 1; i < s.places.size(); ++i) {
      const size_t place = s.places[i];
      const int32_t value = value_at(place);
      if (Join(first, value) || place >= node.inputs.size()) continue;
      // Of a weight that another op reads per channel even the dtype is not this op's.
      const auto slot = static_cast<size_t>(ops_[op].options->slot_of_place[place]);
      const int32_t made =
          Convert(op, place, ops_[op].option()->choices[slot].dtype, ConvertReason::kShared);
      value_of_[op][place] = made;
      Join(first, made);
    }
  }
}

// What an op dictates of what it reads.
void GraphPlan::DictateInputs() {
  for (size_t i = 0; i < ops_.size(); ++i) {
    const Option* option = ops_[i].option();
    if (option == nullptr) continue;
    const Node& node = graph_.nodes[i];
    for (size_t p = 0; p < node.inputs.size(); ++p) {
      const int16_t slot = ops_[i].options->slot_of_place[p];
      if (slot < 0) continue;
      const TensorRole role = ops_[i].options->slots[static_cast<size_t>(slot)].role;
      if (role != TensorRole::kActivation && role != TensorRole::kConstant) continue;
      const Choice& choice = option->choices[static_cast<size_t>(slot)];
      if (!IsFixedPoint(choice.dtype) || Dictate(value_of_[i][p], choice)) continue;
      const int32_t made = Convert(i, p, choice.dtype, ConvertReason::kFixed);
      value_of_[i][p] = made;
      Dictate(made, choice);
    }
  }
}

const Choice* GraphPlan::ChoiceOf(TensorId& id) const {
  const auto& [choice, of] = choices_[static_cast<size_t>(id)];
  if (choice != nullptr) id = of;
  return choice;
}

}  // namespace quantgate::plan
