#include "core/validate/cache/repeats.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "core/lower/resolve/encodings.h"
#include "core/validate/cache/node_form.h"
#include "core/validate/check_node.h"
#include "core/validate/well_formed.h"

namespace quantgate {
namespace {

// Forms that are remembered, and nodes after which a graph must have shown that it repeats itself.
constexpr size_t kMaxForms = 4096;
constexpr size_t kTrial = 1024;
// The same for numbers: calibrated graphs have others in each node.
constexpr size_t kTrialOfNumbers = 4096;

bool SameValues(const Tensor& a, const Tensor& b) {
  if (a.value_range.has_value() != b.value_range.has_value()) return false;
  if (a.values == b.values) return true;
  return a.values != nullptr && b.values != nullptr && *a.values == *b.values;
}

// What the file's tensors need to have in common, of constants their values too.
bool SameFormInFile(const Tensor& a, const Tensor& b) { return SameForm(a, b) && SameValues(a, b); }

// Whether two tensors of one form have the same numbers.
bool SameNumbers(const Tensor& a, const Tensor& b) {
  const Encoding &x = a.encoding, &y = b.encoding;
  return x.scales == y.scales && x.zero_points == y.zero_points &&
         x.block_scales == y.block_scales && a.value_range == b.value_range;
}

// Equal for nodes of one form with the same numbers.
size_t HashNumbers(const Model& model, const Node& node, int32_t form) {
  size_t hash = absl::HashOf(form);
  const auto add = [&](const auto& ids) {
    for (const TensorId id : ids) {
      if (id == kNoTensor) continue;
      const Encoding& e = model.tensors[static_cast<size_t>(id)].encoding;
      hash = absl::HashOf(hash, e.scales, e.zero_points);
    }
  };
  add(node.inputs);
  add(node.outputs);
  return hash;
}

class Finder {
 public:
  Finder(const Model& model, mapping::Mapping& mapping)
      : model_(model),
        mapping_(mapping),
        odd_(model.tensors.size()),
        equal_(model.tensors.size()),
        form_(model.nodes.size(), -1),
        like_(model.nodes.size(), -1) {
    std::iota(equal_.begin(), equal_.end(), 0);
  }

  Repeats Run() {
    const size_t count = model_.nodes.size();
    WellFormed well_formed(model_);
    if (!well_formed.TakesEnds(model_)) return {};
    Repeats repeats;
    repeats.first.assign(count, -1);
    size_t following = 0;
    for (size_t i = 0; i < count; ++i) {
      if (i == kTrial && following < kTrial / 2) return {};
      PrefetchBehind(model_, i);
      const Node& node = model_.nodes[i];
      if (well_formed.WrongPort(node)) return {};
      const int32_t form = FormOf(static_cast<int32_t>(i), node);
      if (form < 0) continue;
      const int32_t first = forms_[static_cast<size_t>(form)].node;
      if (first == static_cast<int32_t>(i)) continue;
      repeats.first[i] = first;
      ++following;
    }
    // Nodes that something around them may change are resolved together with those they touch.
    for (const int32_t i : dependent_) MarkTensors(model_.nodes[static_cast<size_t>(i)]);
    for (size_t i = 0; i < count; ++i) {
      if (repeats.first[i] >= 0 && !dependent_.empty() && Touches(model_.nodes[i])) {
        repeats.first[i] = -1;
        --following;
      }
      if (repeats.first[i] < 0) repeats.rest.push_back(static_cast<int32_t>(i));
    }
    if (following < count / 2) return {};
    repeats.like = std::move(like_);
    return repeats;
  }

 private:
  struct Form {
    int32_t node;
    int32_t next = -1;  // the form that came behind it last time
  };

  // -1: the node depends on what is around it.
  int32_t FormOf(int32_t index, const Node& node) {
    if (node.unchecked_reason.empty() && node.domain.empty() && !node.dialect) {
      int32_t form = FormOfLike(index, node);
      const bool known = form >= 0;
      // What came behind the last form before, else by looking it up.
      if (!known && last_ >= 0) form = forms_[static_cast<size_t>(last_)].next;
      if (!known && (form < 0 || !ArriveAsTheyAre(node) || !AreOfOneForm(FirstOf(form), node))) {
        form = Independent(node) ? LookUp(index, node) : -1;
      }
      if (form >= 0) {
        if (!known) LookUpNumbers(index, node, form);
        form_[static_cast<size_t>(index)] = form;
        if (last_ >= 0) forms_[static_cast<size_t>(last_)].next = form;
        last_ = form;
        return form;
      }
    }
    dependent_.push_back(index);
    Classify(node);
    return -1;
  }

  // Where the node before is like an earlier one, this one is mostly like the one behind that.
  int32_t FormOfLike(int32_t index, const Node& node) {
    const int32_t before = index > 0 ? like_[static_cast<size_t>(index) - 1] : -1;
    if (before < 0) return -1;
    int32_t behind = before + 1;
    if (like_[static_cast<size_t>(behind)] >= 0) behind = like_[static_cast<size_t>(behind)];
    const int32_t form = form_[static_cast<size_t>(behind)];
    if (form < 0 || !ArriveAsTheyAre(node) ||
        !SameInAll(model_.nodes[static_cast<size_t>(behind)], node)) {
      return -1;
    }
    like_[static_cast<size_t>(index)] = behind;
    return form;
  }

  // The first node of the form with these numbers, which may be this one.
  void LookUpNumbers(int32_t index, const Node& node, int32_t form) {
    if (lookups_ >= kTrialOfNumbers && found_ < lookups_ / 4) return;
    ++lookups_;
    const auto [at, added] = numbers_.try_emplace(HashNumbers(model_, node, form), index);
    if (added || form_[static_cast<size_t>(at->second)] != form ||
        !SameInAll(model_.nodes[static_cast<size_t>(at->second)], node)) {
      return;
    }
    ++found_;
    like_[static_cast<size_t>(index)] = at->second;
  }

  bool AreOfOneForm(const Node& a, const Node& b) const {
    return SameNode(a, b, [&](TensorId x, TensorId y) {
      return SameFormInFile(model_.tensors[static_cast<size_t>(x)],
                            model_.tensors[static_cast<size_t>(y)]);
    });
  }

  bool SameInAll(const Node& earlier, const Node& later) {
    return SameNode(earlier, later, [&](TensorId x, TensorId y) { return Equal(x, y); });
  }

  // Compares a tensor once: what it is equal to is known from then on.
  bool Equal(TensorId earlier, TensorId later) {
    TensorId& known = equal_[static_cast<size_t>(later)];
    const TensorId wanted = equal_[static_cast<size_t>(earlier)];
    if (known == wanted) return true;
    const Tensor& a = model_.tensors[static_cast<size_t>(wanted)];
    const Tensor& b = model_.tensors[static_cast<size_t>(later)];
    if (!SameFormInFile(a, b) || !SameNumbers(a, b)) return false;
    known = wanted;
    return true;
  }

  const Node& FirstOf(int32_t form) const {
    return model_.nodes[static_cast<size_t>(forms_[static_cast<size_t>(form)].node)];
  }

  int32_t LookUp(int32_t index, const Node& node) {
    std::vector<int32_t>& bucket = buckets_[HashOfForm(model_, node)];
    for (const int32_t form : bucket) {
      if (AreOfOneForm(FirstOf(form), node)) return form;
    }
    const mapping::OpMapping* mapping = mapping_.Find(node.domain, node.op);
    if (forms_.size() >= kMaxForms || mapping == nullptr || !mapping->error.empty() ||
        mapping->role != mapping::Role::kOp || !mapping->fold.empty()) {
      return -1;
    }
    forms_.push_back({index});
    bucket.push_back(static_cast<int32_t>(forms_.size()) - 1);
    return bucket.back();
  }

  // No input may be a constant that was computed, or another name of a tensor.
  bool ArriveAsTheyAre(const Node& node) const {
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](TensorId id) {
      return id == kNoTensor || odd_[static_cast<size_t>(id)] == 0 ||
             model_.tensors[static_cast<size_t>(id)].is_static;
    });
  }

  // As far as its tensors tell.
  bool Independent(const Node& node) const {
    bool any = false;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      const Tensor& t = model_.tensors[static_cast<size_t>(id)];
      if (t.is_static) continue;
      if (odd_[static_cast<size_t>(id)] != 0 || !HasOwnEncoding(t)) return false;
      any = true;
    }
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor && !HasOwnEncoding(model_.tensors[static_cast<size_t>(id)])) return false;
    }
    return any;
  }

  // Marks what a node makes where it may be a constant, or another name of a tensor.
  void Classify(const Node& node) {
    const mapping::OpMapping* mapping = mapping_.Find(node.domain, node.op);
    bool plain = mapping != nullptr && mapping->role == mapping::Role::kOp && mapping->fold.empty();
    bool all_constant = true;
    for (const TensorId id : node.inputs) {
      if (id == kNoTensor) continue;
      all_constant &= model_.tensors[static_cast<size_t>(id)].is_static ||
                      (odd_[static_cast<size_t>(id)] & kMaybeConstant) != 0;
    }
    if (plain && !all_constant) return;
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) odd_[static_cast<size_t>(id)] |= kMaybeConstant;
    }
  }

  void MarkTensors(const Node& node) {
    for (const TensorId id : node.inputs) {
      if (id != kNoTensor) odd_[static_cast<size_t>(id)] |= kOfDependent;
    }
    for (const TensorId id : node.outputs) {
      if (id != kNoTensor) odd_[static_cast<size_t>(id)] |= kOfDependent;
    }
  }

  bool Touches(const Node& node) const {
    const auto any = [&](const auto& ids) {
      return std::any_of(ids.begin(), ids.end(), [&](TensorId id) {
        return id != kNoTensor && (odd_[static_cast<size_t>(id)] & kOfDependent) != 0;
      });
    };
    return any(node.inputs) || any(node.outputs);
  }

  static constexpr uint8_t kMaybeConstant = 1;
  static constexpr uint8_t kOfDependent = 2;

  const Model& model_;
  mapping::Mapping& mapping_;
  std::vector<uint8_t> odd_;     // per tensor
  std::vector<TensorId> equal_;  // per tensor: itself, or one that is equal but for its name
  std::vector<int32_t> form_;    // per node: index into forms_, -1 = none
  std::vector<int32_t> like_;    // Repeats::like
  std::vector<Form> forms_;
  absl::flat_hash_map<size_t, int32_t> numbers_;  // HashNumbers: the first such node
  size_t lookups_ = 0, found_ = 0;                // in numbers_
  absl::flat_hash_map<size_t, std::vector<int32_t>> buckets_;
  std::vector<int32_t> dependent_;
  int32_t last_ = -1;
};

}  // namespace

Model Excerpt(const Model& model, std::span<const int32_t> nodes) {
  Model part;
  part.name = model.name;
  part.dialect = model.dialect;
  part.opset = model.opset;
  struct Place {
    TensorId id = kNoTensor;
    bool made = false, read = false;
  };
  absl::flat_hash_map<TensorId, Place> places;
  const auto take = [&](TensorId& id) -> Place* {
    if (id == kNoTensor) return nullptr;
    Place& place = places[id];
    if (place.id == kNoTensor) {
      place.id = static_cast<TensorId>(part.tensors.size());
      part.tensors.push_back(model.tensors[static_cast<size_t>(id)]);
    }
    id = place.id;
    return &place;
  };
  for (const int32_t n : nodes) {
    Node node = model.nodes[static_cast<size_t>(n)];
    for (TensorId& id : node.inputs) {
      if (Place* const place = take(id)) place->read = true;
    }
    for (TensorId& id : node.outputs) {
      if (Place* const place = take(id)) place->made = true;
    }
    part.nodes.push_back(std::move(node));
  }
  for (const TensorId id : model.outputs) {
    const auto at = places.find(id);
    if (at != places.end()) at->second.read = false;
  }
  for (const auto& [id, place] : places) {
    if (place.made) {
      if (!place.read) part.outputs.push_back(place.id);
    } else if (!part.tensors[static_cast<size_t>(place.id)].is_static) {
      part.inputs.push_back(place.id);
    }
  }
  std::sort(part.inputs.begin(), part.inputs.end());
  std::sort(part.outputs.begin(), part.outputs.end());
  return part;
}

Repeats FindRepeats(const Model& model, mapping::Mapping& mapping) {
  return Finder(model, mapping).Run();
}

FormJudge::FormJudge(const TargetTable& table, const Model& file, Resolved& resolved, int32_t node,
                     const GraphRules& rules, const rules::GraphView& view)
    : table_(&table), resolved_(&resolved), rules_(&rules), view_(&view) {
  const Model& graph = *resolved.graph;
  const Node& first = file.nodes[static_cast<size_t>(node)];
  if (resolved.numbers_of.size() != graph.tensors.size()) return;
  const auto take = [&](TensorId id) {
    if (id == kNoTensor) return true;
    const Tensor& t = graph.tensors[static_cast<size_t>(id)];
    Port port;
    port.graph = id;
    port.encoding = t.encoding.kind != EncodingKind::kNone;
    port.values = t.values != nullptr || t.value_range.has_value();
    if (!port.encoding && !port.values) return true;
    const TensorId from = resolved.numbers_of[static_cast<size_t>(id)];
    if (from == kNoTensor) return false;
    const auto in = std::find(first.inputs.begin(), first.inputs.end(), from);
    const auto out = std::find(first.outputs.begin(), first.outputs.end(), from);
    if (in != first.inputs.end()) {
      port.place = static_cast<size_t>(in - first.inputs.begin());
    } else if (out != first.outputs.end()) {
      port.place = first.inputs.size() + static_cast<size_t>(out - first.outputs.begin());
    } else {
      return false;
    }
    if (std::none_of(ports_.begin(), ports_.end(),
                     [&](const Port& known) { return known.graph == id; })) {
      ports_.push_back(port);
    }
    return true;
  };
  const auto begin = std::lower_bound(resolved.op_source.begin(), resolved.op_source.end(), node);
  for (auto at = begin; at != resolved.op_source.end() && *at == node; ++at) {
    Op op{static_cast<size_t>(at - resolved.op_source.begin()), {}};
    const Node& made = graph.nodes[op.node];
    if (!std::all_of(made.inputs.begin(), made.inputs.end(), take) ||
        !std::all_of(made.outputs.begin(), made.outputs.end(), take)) {
      return;
    }
    std::vector<Finding> findings;
    std::string reason;
    CheckNode(table, resolved, made, findings, reason, &op.form);
    if (op.form.op == nullptr) return;
    // A rule between nodes has to do with all nodes of this form.
    if (rules.ConcernsForm(view, static_cast<int32_t>(op.node), concerns_)) return;
    ops_.push_back(std::move(op));
  }
  usable_ = !ops_.empty();
}

bool FormJudge::Accepts(const Model& model, const Node& node) {
  Model& graph = *resolved_->owned;
  for (const Port& port : ports_) {
    const Tensor& from = model.tensors[static_cast<size_t>(TensorAt(node, port.place))];
    Tensor& to = graph.tensors[static_cast<size_t>(port.graph)];
    if (port.encoding) {
      to.encoding.scales = from.encoding.scales;
      to.encoding.zero_points = from.encoding.zero_points;
      if (!from.encoding.block_scales.empty()) {
        to.encoding.block_scales = from.encoding.block_scales;
      }
    }
    if (port.values) {
      to.values = from.values;
      to.value_range = from.value_range;
    }
  }
  return std::all_of(ops_.begin(), ops_.end(),
                     [&](const Op& op) {
                       return AcceptsForm(*table_, *resolved_, graph.nodes[op.node], op.form);
                     }) &&
         std::none_of(concerns_.begin(), concerns_.end(), [&](const GraphRules::Concern& concern) {
           return rules_->Concerns(*view_, concern);
         });
}

}  // namespace quantgate
