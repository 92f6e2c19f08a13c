#include "core/plan/options.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace quantgate::plan {
namespace {

// More would never be chosen: a node has few kinds of neighbours.
constexpr size_t kMaxOptions = 6;
constexpr size_t kMaxTries = 256;
// A step of an activation that moves counts twice: its neighbours have to convert.
constexpr int kMovedWeight = 2;
constexpr std::array<Dtype, 6> kActivations = {Dtype::kUfixedPoint16, Dtype::kSfixedPoint16,
                                               Dtype::kUfixedPoint8,  Dtype::kSfixedPoint8,
                                               Dtype::kFloat16,       Dtype::kFloat32};
constexpr std::array<Dtype, 7> kBiases = {
    Dtype::kSfixedPoint32, Dtype::kFloat16,      Dtype::kFloat32,     Dtype::kSfixedPoint16,
    Dtype::kUfixedPoint16, Dtype::kSfixedPoint8, Dtype::kUfixedPoint8};

struct Draft {
  const ActiveVariant* row = nullptr;
  std::vector<Choice> choices;
  int distance = 0, preference = 0;
};

bool Allows(DtypeMask mask, Dtype dtype) { return (mask & MaskOf(dtype)) != 0; }

bool SameChoices(const std::vector<Choice>& a, const std::vector<Choice>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Choice& x, const Choice& y) {
    return std::tie(x.dtype, x.kind, x.bits, x.block_size) ==
           std::tie(y.dtype, y.kind, y.bits, y.block_size);
  });
}

Choice ActivationChoice(Dtype dtype, size_t slot) {
  // Every tensor has numbers of its own: what must be equal shows.
  constexpr double kScale8 = 0.02, kScale16 = kScale8 / 256, kStep = 0.13;
  Choice choice;
  choice.dtype = dtype;
  if (!IsFixedPoint(dtype)) return choice;
  choice.kind = EncodingKind::kPerTensor;
  choice.trial_scale =
      (BitsOf(dtype) > 8 ? kScale16 : kScale8) * (1 + kStep * static_cast<double>(slot));
  choice.trial_zero_point = SymmetricZeroPoint(dtype) - 3 - static_cast<int64_t>(slot % 32);
  return choice;
}

struct Weight {
  Dtype dtype;
  int bits;
  EncodingKind kind;
  int distance, preference;
};

// The forms a weight may have, whatever the op says of them.
std::vector<Weight> WeightsFor(const Wish& wish) {
  using enum EncodingKind;
  constexpr Dtype s8 = Dtype::kSfixedPoint8, u8 = Dtype::kUfixedPoint8;
  constexpr Dtype s16 = Dtype::kSfixedPoint16, u16 = Dtype::kUfixedPoint16;
  const int floats = wish.is_float() ? 0 : 3;
  std::vector<Weight> weights = {{Dtype::kFloat16, 0, kNone, floats, 0},
                                 {Dtype::kFloat32, 0, kNone, floats, 1}};
  if (wish.is_float()) return weights;
  const bool lpbq = wish.form == WeightForm::kLpbq;
  const int whole = wish.weight_bits == 8 ? 0 : 2;
  const int per_channel = wish.form == WeightForm::kPerTensor ? 1 : 0;
  const int per_tensor = wish.form == WeightForm::kPerChannel || lpbq ? 1 : 0;
  if (wish.weight_bits == 4) {
    if (lpbq) weights.push_back({s8, 4, kLpbq, 0, 0});
    weights.push_back({s8, 4, kPerChannel, lpbq ? 1 : per_channel, 1});
    weights.push_back({s8, 4, kPerTensor, per_tensor, 2});
  }
  const int wide = wish.weight_bits == 16 ? 0 : 2;
  weights.push_back({s16, 0, kPerChannel, wide + per_channel, 1});
  weights.push_back({s16, 0, kPerTensor, wide + per_tensor, 2});
  weights.push_back({u16, 0, kPerTensor, wide + per_tensor, 3});
  weights.push_back({s8, 0, kPerChannel, whole + per_channel, 1});
  weights.push_back({s8, 0, kPerTensor, whole + per_tensor, 2});
  weights.push_back({u8, 0, kPerChannel, whole + per_channel, 3});
  weights.push_back({u8, 0, kPerTensor, whole + per_tensor, 4});
  return weights;
}

class Search {
 public:
  Search(Probe& probe, const ActiveOp& op, const Wish& wish)
      : probe_(probe), op_(op), wish_(wish), weights_(WeightsFor(wish)) {}

  void Run(OpOptions& result) {
    for (const ActiveVariant& row : op_.variants) AddRow(row);
    std::stable_sort(drafts_.begin(), drafts_.end(), [](const Draft& a, const Draft& b) {
      return std::tie(a.distance, a.preference) < std::tie(b.distance, b.preference);
    });
    size_t tries = 0;
    for (Draft& draft : drafts_) {
      if (!result.list.empty() &&
          (draft.distance > result.list[0].distance || result.list.size() >= kMaxOptions)) {
        break;
      }
      if (++tries > kMaxTries) break;
      TryDraft(draft, result);
    }
    const bool as_wished = !result.list.empty() && result.list[0].distance == 0;
    if (as_wished) {
      result.why.reset();
    } else if (!result.why) {
      result.why = AskForWish();
    }
    std::stable_sort(result.list.begin(), result.list.end(),
                     [](const Option& a, const Option& b) { return a.preference < b.preference; });
  }

 private:
  void AddRow(const ActiveVariant& row) {
    // Most rows have one dtype a port: whichever is wished for first, the choice is the same.
    std::vector<std::vector<Choice>> seen;
    for (const Dtype first : kActivations) {
      Draft draft;
      draft.row = &row;
      draft.choices.resize(probe_.slots().size());
      draft.preference = row.consequence == Consequence::kAccepted ? 0 : 4;
      if (!PutActivations(row, first, draft)) return;  // no dtype for a slot, whatever comes first
      if (std::any_of(seen.begin(), seen.end(),
                      [&](const auto& other) { return SameChoices(other, draft.choices); })) {
        continue;
      }
      seen.push_back(draft.choices);
      AddWeights(row, std::move(draft));
    }
  }

  // False where the row has no dtype for a slot.
  bool PutActivations(const ActiveVariant& row, Dtype first, Draft& draft) {
    const auto& slots = probe_.slots();
    for (size_t i = 0; i < slots.size(); ++i) {
      const Slot& slot = slots[i];
      const DtypeMask allowed = probe_.Allowed(row, slot);
      if (slot.role == TensorRole::kPlain) {
        if (!Allows(allowed, slot.given)) return false;
        draft.choices[i].dtype = slot.given;
        continue;
      }
      if (slot.role == TensorRole::kWeight || slot.role == TensorRole::kBias) continue;
      const Dtype dtype = Allows(allowed, first) ? first : NearestOf(allowed);
      if (dtype == Dtype::kUndefined) return false;
      draft.choices[i] = ActivationChoice(dtype, i);
      draft.preference += Preference(dtype);
      if (slot.role == TensorRole::kConstant) {
        draft.distance += ConstantDistance(dtype);
        draft.preference += Distance(wish_, dtype);
      } else {
        draft.distance += Distance(wish_, dtype) * kMovedWeight;
      }
    }
    return true;
  }

  // Parameters that are no weights are as wished with the bits of either.
  int ConstantDistance(Dtype dtype) const {
    if (wish_.is_float() || IsFloat(dtype)) return Distance(wish_, dtype) == 0 ? 0 : 1;
    return BitsOf(dtype) >= std::min({wish_.activation_bits, wish_.weight_bits, 8}) ? 0 : 1;
  }

  Dtype NearestOf(DtypeMask allowed) const {
    Dtype best = Dtype::kUndefined;
    for (const Dtype dtype : kActivations) {
      if (!Allows(allowed, dtype)) continue;
      const auto far = [&](Dtype d) { return std::pair(Distance(wish_, d), Preference(d)); };
      if (best == Dtype::kUndefined || far(dtype) < far(best)) best = dtype;
    }
    return best;
  }

  void AddWeights(const ActiveVariant& row, Draft draft) {
    const auto& slots = probe_.slots();
    const bool weighted = std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
      return slot.role == TensorRole::kWeight;
    });
    if (!weighted) return AddBiases(row, std::move(draft), EncodingKind::kPerTensor);
    for (const Weight& weight : weights_) {
      Draft with = draft;
      if (PutWeights(row, weight, with)) AddBiases(row, std::move(with), weight.kind);
    }
  }

  bool PutWeights(const ActiveVariant& row, const Weight& weight, Draft& draft) {
    constexpr double kScale4 = 0.05, kScale8 = 0.01, kScale16 = 1e-4;
    const auto& slots = probe_.slots();
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].role != TensorRole::kWeight) continue;
      if (!Allows(probe_.Allowed(row, slots[i]), weight.dtype)) return false;
      Choice& choice = draft.choices[i];
      choice.dtype = weight.dtype;
      choice.kind = weight.kind;
      choice.bits = weight.bits;
      choice.symmetric = IsFixedPoint(weight.dtype);
      choice.trial_scale = weight.bits == 4            ? kScale4
                           : BitsOf(weight.dtype) == 8 ? kScale8
                                                       : kScale16;
      if (weight.kind == EncodingKind::kLpbq) choice.block_size = wish_.block_size;
      if (weight.kind == EncodingKind::kPerChannel || weight.kind == EncodingKind::kLpbq) {
        choice.axis = probe_.PortAxis(slots[i]);
        if (choice.axis < 0) return false;
      }
      draft.distance += weight.distance;
      draft.preference += weight.preference;
    }
    return true;
  }

  // A bias has a scale for each channel where the weight has one.
  void AddBiases(const ActiveVariant& row, Draft draft, EncodingKind of_weights) {
    const auto& slots = probe_.slots();
    const bool biased = std::any_of(slots.begin(), slots.end(), [](const Slot& slot) {
      return slot.role == TensorRole::kBias;
    });
    if (!biased) return Add(std::move(draft));
    const bool channels =
        of_weights == EncodingKind::kPerChannel || of_weights == EncodingKind::kLpbq;
    if (channels) {
      Draft with = draft;
      if (PutBiases(row, EncodingKind::kPerChannel, with)) Add(std::move(with));
      draft.preference += 1;
    }
    if (PutBiases(row, EncodingKind::kPerTensor, draft)) Add(std::move(draft));
  }

  bool PutBiases(const ActiveVariant& row, EncodingKind kind, Draft& draft) {
    constexpr double kScale = 2e-4;
    const auto& slots = probe_.slots();
    for (size_t i = 0; i < slots.size(); ++i) {
      if (slots[i].role != TensorRole::kBias) continue;
      const DtypeMask allowed = probe_.Allowed(row, slots[i]);
      const auto dtype =
          std::find_if(kBiases.begin(), kBiases.end(), [&](Dtype d) { return Allows(allowed, d); });
      if (dtype == kBiases.end()) return false;
      Choice& choice = draft.choices[i];
      choice.dtype = *dtype;
      draft.preference += static_cast<int>(dtype - kBiases.begin()) * 2;
      if (!IsFixedPoint(*dtype)) continue;
      choice.kind = kind;
      choice.symmetric = true;
      choice.trial_scale = kScale;
      if (kind == EncodingKind::kPerChannel) choice.axis = 0;
    }
    return true;
  }

  void Add(Draft draft) {
    for (Draft& known : drafts_) {
      if (!SameChoices(known.choices, draft.choices)) continue;
      if (draft.preference < known.preference) known = std::move(draft);
      return;
    }
    drafts_.push_back(std::move(draft));
  }

  void TryDraft(Draft& draft, OpOptions& result) {
    // Equally near ones differ in what neighbours see, or they are worth no second one.
    const auto alike = std::find_if(result.list.begin(), result.list.end(), [&](const Option& o) {
      return LooksAlike(o.choices, draft.choices);
    });
    if (alike != result.list.end() && alike->preference <= draft.preference) return;
    Trial trial = probe_.Try(*draft.row, draft.choices);
    std::optional<Finding> found;
    const bool holds = trial.worst < Consequence::kWrongValues;
    if (!holds || result.list.empty()) found = probe_.Ask(draft.choices);
    const bool refused = found && found->consequence >= Consequence::kWrongValues &&
                         found->consequence != Consequence::kUnchecked;
    if (holds && !refused) {
      const int penalty = trial.worst == Consequence::kAltered        ? 8
                          : trial.worst == Consequence::kUndocumented ? 4
                                                                      : 0;
      Option option{draft.row, std::move(draft.choices), draft.distance, draft.preference + penalty,
                    std::move(trial.shaped)};
      if (alike == result.list.end()) {
        result.list.push_back(std::move(option));
      } else if (option.preference < alike->preference) {
        *alike = std::move(option);
      }
    } else if (found && !result.why && draft.distance == 0) {
      result.why = std::move(found);
    }
  }

  bool LooksAlike(const std::vector<Choice>& a, const std::vector<Choice>& b) const {
    for (size_t i = 0; i < a.size(); ++i) {
      if (probe_.slots()[i].role == TensorRole::kActivation && a[i].dtype != b[i].dtype)
        return false;
    }
    return true;
  }

  // What the validator says of exactly what was wished, where no row has it.
  std::optional<Finding> AskForWish() {
    std::vector<Choice> choices(probe_.slots().size());
    const auto wanted =
        std::min_element(weights_.begin(), weights_.end(), [](const Weight& a, const Weight& b) {
          return std::pair(a.distance, a.preference) < std::pair(b.distance, b.preference);
        });
    for (size_t i = 0; i < choices.size(); ++i) {
      const Slot& slot = probe_.slots()[i];
      Choice& choice = choices[i];
      switch (slot.role) {
        case TensorRole::kPlain:
          choice.dtype = slot.given;
          break;
        case TensorRole::kWeight:
          choice.dtype = wanted->dtype;
          choice.bits = wanted->bits;
          choice.kind = wanted->kind;
          choice.axis = std::max(probe_.PortAxis(slot), 0);
          choice.block_size = wish_.block_size;
          choice.symmetric = true;
          choice.trial_scale = 0.01;
          break;
        case TensorRole::kBias:
          choice.dtype = wish_.is_float() ? Dtype::kFloat16 : Dtype::kSfixedPoint32;
          choice.kind = wish_.is_float() ? EncodingKind::kNone : EncodingKind::kPerTensor;
          choice.symmetric = true;
          choice.trial_scale = 2e-4;
          break;
        default:
          choice = ActivationChoice(NearestOf(~DtypeMask{0}), i);
      }
    }
    return probe_.Ask(choices);
  }

  Probe& probe_;
  const ActiveOp& op_;
  const Wish& wish_;
  const std::vector<Weight> weights_;
  std::vector<Draft> drafts_;
};

}  // namespace

OpOptions FindOptions(const TargetTable& table, const ActiveOp& op, const Model& graph,
                      const Node& node, const Wish& wish) {
  OpOptions result;
  Probe probe(table, op, graph, node);
  result.slots = probe.slots();
  result.slot_of_place = probe.slot_of_place();
  result.plain = std::all_of(result.slots.begin(), result.slots.end(),
                             [](const Slot& slot) { return slot.role == TensorRole::kPlain; });
  Search(probe, op, wish).Run(result);
  return result;
}

}  // namespace quantgate::plan
