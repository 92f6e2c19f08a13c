// From the options of each op to one choice for the whole graph: rows, Converts, shared encodings.
#ifndef QUANTGATE_CORE_PLAN_GRAPH_PLAN_H_
#define QUANTGATE_CORE_PLAN_GRAPH_PLAN_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/plan/options.h"
#include "core/plan/wish.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"

namespace quantgate::plan {

// Ops of more inputs and outputs are left alone: nothing in a network has them.
inline constexpr size_t kMaxPlaces = 4096;
inline bool HasTooManyPlaces(const Node& node) {
  return node.inputs.size() + node.outputs.size() > kMaxPlaces;
}

// An op of the lowered graph.
struct OpChoice {
  const OpOptions* options = nullptr;  // null = nothing is known of it
  size_t chosen = 0;

  const Option* option() const {
    return options == nullptr || options->list.empty() ? nullptr : &options->list[chosen];
  }
};

// The options of every op; ops of one form and wish share them.
class OptionTable {
 public:
  OptionTable(const TargetTable& table, const Model& graph) : table_(table), graph_(graph) {}
  // Null where the target has no such op.
  const OpOptions* Find(const Node& node, int wish_index, const Wish& wish);

 private:
  struct Entry {
    const Node* node;
    int wish;
    std::unique_ptr<OpOptions> options;
  };
  const TargetTable& table_;
  const Model& graph_;
  absl::flat_hash_map<size_t, std::vector<Entry>> entries_;
};

// A value that has one encoding: a tensor, or what a Convert makes of it for one reader.
struct Value {
  TensorId tensor = kNoTensor;
  Dtype dtype = Dtype::kUndefined;
  EncodingKind kind = EncodingKind::kNone;
  bool symmetric = false;
  std::optional<double> scale;
  std::optional<int64_t> zero_point;
  double least_scale = 0;  // 0 = none is known
  int32_t parent = -1;  // of the class with one encoding; -1 = it is the root
};

enum class ConvertReason : uint8_t { kDtype, kFixed, kShared };

struct ConvertAt {
  int32_t op = -1;    // in the graph
  int16_t place = 0;  // input of the op
  TensorId tensor = kNoTensor;
  int32_t value = -1;  // what it makes
  ConvertReason reason = ConvertReason::kDtype;
};

class GraphPlan {
 public:
  // `wish_of` gives the wish of each op, an index into `wishes`.
  GraphPlan(OptionTable& options, const Model& graph, const std::vector<Wish>& wishes,
            const std::vector<int>& wish_of, const std::vector<bool>& left_out);

  const std::vector<OpChoice>& ops() const { return ops_; }
  const std::vector<ConvertAt>& converts() const { return converts_; }
  // Of the tensor as it is produced (the first of its values).
  const Value& value(TensorId id) const { return values_[static_cast<size_t>(id)]; }
  const Value& value_at(int32_t value) const { return values_[static_cast<size_t>(value)]; }
  // A tensor that a tool lays out anew is the same one: the first of its name stands for all.
  TensorId SameAs(TensorId id) const { return same_as_[static_cast<size_t>(id)]; }
  // Whose encoding it has: scale, zero point and symmetry are the root's.
  int32_t RootOf(int32_t value) const;
  // Of a weight or bias, where it is one; else null. `id` becomes the tensor that it speaks of.
  const Choice* ChoiceOf(TensorId& id) const;
  bool IsUsed(TensorId id) const { return is_used_[static_cast<size_t>(id)]; }
  TensorRole role(TensorId id) const { return roles_[static_cast<size_t>(id)]; }

 private:
  struct Shared {
    int32_t op;
    std::vector<size_t> places;
    int64_t elements;  // of the largest
  };
  struct Use {
    int32_t op;
    int16_t place;
  };

  void ChooseRows();
  void FindSame();
  TensorId At(const Node& node, size_t place) const;
  void FindUses();
  void FindRoles();
  int CostOf(size_t op, size_t option) const;
  Dtype DtypeAt(size_t op, TensorId tensor, size_t option) const;
  Dtype ProducedBy(TensorId tensor) const;
  void SettleEnds();
  void MakeValues();
  void PlaceConverts();
  void DictateOutputs();
  void FindShared(size_t op, std::vector<Shared>& shared) const;
  void JoinShared();
  void DictateInputs();
  int32_t Find(int32_t value);  // the root, with shorter ways to it
  int32_t Convert(size_t op, size_t place, Dtype to, ConvertReason reason);
  bool Join(int32_t a, int32_t b);
  bool Dictate(int32_t value, const Choice& choice);
  int64_t ElementsOf(TensorId tensor) const;

  const Model& graph_;
  std::vector<OpChoice> ops_;
  std::vector<std::vector<Use>> uses_;  // by tensor
  std::vector<int32_t> producer_;       // by tensor; -1 = none
  std::vector<Dtype> end_;              // of tensors that nothing produces
  std::vector<TensorRole> roles_;
  std::vector<std::pair<const Choice*, TensorId>> choices_;  // of weights and biases
  std::vector<TensorId> same_as_;                            // by tensor
  std::vector<bool> is_used_;  // by tensor: of those that stand for their name
  std::vector<Value> values_;
  std::vector<std::vector<int32_t>> value_of_;  // by op and input: what it reads
  std::vector<ConvertAt> converts_;
};

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_GRAPH_PLAN_H_
