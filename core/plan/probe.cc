#include "core/plan/probe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/rules/support/args.h"
#include "core/rules/support/encoding_facts.h"
#include "core/rules/support/scale_limit.h"
#include "core/validate/check_node.h"
#include "core/validate/subjects.h"

namespace quantgate::plan {
namespace {

using opdb::ArgKey;
using opdb::Kind;

// Constraints that repairs bring to hold come one after the other.
constexpr int kProbeRounds = 16;

TensorRole RoleOf(const Tensor& tensor, std::string_view port_role) {
  const bool quantizable = IsFloat(tensor.dtype) || tensor.dtype == Dtype::kUndefined;
  if (!quantizable) return TensorRole::kPlain;
  if (!tensor.is_static) return TensorRole::kActivation;
  if (port_role.find("weight") != std::string_view::npos) return TensorRole::kWeight;
  // Added to the accumulator: what a norm calls beta too.
  if (port_role.find("bias") != std::string_view::npos || port_role == "beta") {
    return TensorRole::kBias;
  }
  return TensorRole::kConstant;
}

int64_t InputChannelsOf(const Tensor& tensor, int axis) {
  const int rank = static_cast<int>(tensor.dims.size());
  const int at = axis == rank - 1 ? rank - 2 : rank - 1;
  return at >= 0 && at < rank ? tensor.dims[static_cast<size_t>(at)] : 0;
}

size_t RootOf(const std::vector<Choice>& choices, size_t slot) {
  for (size_t steps = 0; choices[slot].same_as >= 0 && steps < choices.size(); ++steps) {
    slot = static_cast<size_t>(choices[slot].same_as);
  }
  return slot;
}

}  // namespace

Encoding TrialEncoding(const Choice& choice, const Tensor& tensor, double scale, int64_t zero_point) {
  Encoding e;
  if (!IsFixedPoint(choice.dtype)) return e;
  e.kind = choice.kind;
  e.bitwidth = choice.bits;
  e.axis = choice.axis;
  e.scales.assign(1, static_cast<float>(scale));
  e.zero_points.assign(1, static_cast<int32_t>(zero_point));
  if (choice.kind == EncodingKind::kLpbq) {
    const int64_t channels = InputChannelsOf(tensor, choice.axis);
    e.num_blocks = choice.block_size > 0 && channels % choice.block_size == 0
                       ? static_cast<int32_t>(channels / choice.block_size)
                       : 0;
    e.block_scales = {3};
    e.block_scale_bitwidth = 4;
    e.block_scale_storage_bits = 8;
  }
  return e;
}

struct Probe::Broken {
  const ActiveConstraint* active;
  opdb::ConstraintRow row;  // put onto a port
  const Tensor* tensor;
  int element;
};

Probe::Probe(const TargetTable& table, const ActiveOp& op, const Model& graph, const Node& node)
    : table_(table), op_(op) {
  FindSlots(graph, node);
  resolved_.graph = &model_;
  view_.emplace(table.db(), *op.row, model_, model_.nodes[0], table.arch_index());
  const auto ports = table.db().get(op.row->ports);
  for (int port = 0; port < view_->port_count(); ++port) {
    for (int element = 0; element < view_->tensors(port).count; ++element) {
      const int slot = SlotAt(port, element);
      if (slot < 0) continue;
      Slot& s = slots_[static_cast<size_t>(slot)];
      if (s.places.empty()) {
        s.role = RoleOf(TensorOf(static_cast<size_t>(slot)),
                        table.db().str(ports[static_cast<size_t>(port)].role));
      }
      s.is_output = s.is_output || !view_->is_input(port);
      s.places.emplace_back(static_cast<int16_t>(port), static_cast<int16_t>(element));
    }
  }
}

void Probe::FindSlots(const Model& graph, const Node& node) {
  absl::flat_hash_map<TensorId, int16_t> known;
  Node& own = model_.nodes.emplace_back(node);
  const auto add = [&](auto& ids) {
    for (TensorId& id : ids) {
      if (id == kNoTensor) {
        slot_of_place_.push_back(-1);
        continue;
      }
      const auto [found, is_new] = known.try_emplace(id, static_cast<int16_t>(slots_.size()));
      if (is_new) {
        const Tensor& tensor = graph.tensors[static_cast<size_t>(id)];
        model_.tensors.push_back(tensor);
        slots_.push_back({.id = id, .given = tensor.dtype, .is_static = tensor.is_static});
      }
      slot_of_place_.push_back(found->second);
      id = found->second;
    }
  };
  add(own.inputs);
  add(own.outputs);
}

int Probe::SlotAt(int port, int element) const {
  const TensorId id = view_->tensors(port).ids[element];
  return id == kNoTensor ? -1 : static_cast<int>(id);
}

DtypeMask Probe::Allowed(const ActiveVariant& row, const Slot& slot) const {
  DtypeMask allowed = ~DtypeMask{0};
  for (const auto& [port, element] : slot.places) allowed &= row.masks[port];
  return allowed;
}

int Probe::PortAxis(const Slot& slot) const {
  if (slot.places.empty()) return -1;
  const auto port = static_cast<size_t>(slot.places[0].first);
  const int axis = table_.db().get(op_.row->ports)[port].channel_axis;
  const Tensor& tensor =
      model_.tensors[static_cast<size_t>(SlotAt(static_cast<int>(port), slot.places[0].second))];
  if (axis == -128 || tensor.unknown_rank || tensor.dims.empty()) return -1;
  const auto normal = static_cast<int>(rules::NormalAxis(axis, tensor.rank()));
  return normal >= 0 && normal < tensor.rank() ? normal : -1;
}

void Probe::PutOne(size_t slot, const std::vector<Choice>& choices) {
  const Choice& own = choices[slot];
  const Choice& root = choices[RootOf(choices, slot)];
  Tensor& tensor = model_.tensors[slot];
  tensor.dtype = own.dtype;
  const int64_t middle = IsFixedPoint(own.dtype) ? SymmetricZeroPoint(own.dtype, own.bits) : 0;
  const int64_t zero_point =
      root.zero_point.value_or(root.symmetric ? middle : root.trial_zero_point);
  tensor.encoding = TrialEncoding(own, tensor, root.scale.value_or(root.trial_scale), zero_point);
}

void Probe::Put(const std::vector<Choice>& choices) {
  for (size_t i = 0; i < choices.size(); ++i) {
    if (slots_[i].role != TensorRole::kPlain) PutOne(i, choices);
  }
}

template <typename Visit>
void Probe::ForEachOfGroup(const ActiveVariant& row, const Visit& visit) {
  const uint64_t group = uint64_t{1} << std::min<int>(row.row->group, 63);
  for (const ActiveConstraint& active : op_.constraints) {
    if ((active.groups & group) == 0) continue;
    ForEachSubject(*view_, active, [&](const rules::Subject& subject) { visit(active, subject); });
  }
}

std::vector<Probe::Broken> Probe::FindBroken(const ActiveVariant& row) {
  std::vector<Broken> broken;
  ForEachOfGroup(row, [&](const ActiveConstraint& active, const rules::Subject& subject) {
    if (active.entry->holds(subject)) return;
    broken.push_back({&active, subject.constraint, subject.tensor, subject.element});
  });
  // What the op dictates comes first: what others ask for may follow from it.
  std::stable_sort(broken.begin(), broken.end(), [](const Broken& a, const Broken& b) {
    const auto order = [](Kind kind) {
      return kind == Kind::kFixedEncoding ? 0 : kind == Kind::kSameEncoding ? 1 : 2;
    };
    return order(a.row.kind) < order(b.row.kind);
  });
  return broken;
}

bool Probe::RepairFixed(const rules::Subject& subject, Choice& choice) {
  const rules::Args args(subject.node, subject.constraint);
  const auto scale = args.real(ArgKey::kScale);
  const auto offset = args.number(ArgKey::kOffset);
  bool changed = false;
  // A scale of 0 stands for that of the accumulator.
  if (scale && *scale > 0 && !choice.scale) {
    choice.scale = *scale;
    changed = true;
  }
  if (offset && !choice.zero_point) {
    choice.zero_point = FromQnnOffset(static_cast<int32_t>(*offset));
    changed = true;
  }
  return changed;
}

bool Probe::RepairShared(const rules::Subject& subject, size_t slot, std::vector<Choice>& choices) {
  const rules::Args args(subject.node, subject.constraint);
  const auto as = args.number(ArgKey::kAs);
  if (!as || *as < 0 || view_->tensors(static_cast<int>(*as)).count == 0) return false;
  const int other = SlotAt(static_cast<int>(*as), 0);
  if (other < 0) return false;
  const size_t own_root = RootOf(choices, slot);
  const size_t other_root = RootOf(choices, static_cast<size_t>(other));
  Choice& own = choices[own_root];
  Choice& root = choices[other_root];
  if (own_root == other_root || own.dtype != root.dtype || own.kind != root.kind) return false;
  const auto contradict = [](const auto& a, const auto& b) { return a && b && *a != *b; };
  if (contradict(own.scale, root.scale) || contradict(own.zero_point, root.zero_point)) {
    return false;
  }
  if (own.scale) root.scale = own.scale;
  if (own.zero_point) root.zero_point = own.zero_point;
  root.symmetric = root.symmetric || own.symmetric;
  own.same_as = static_cast<int16_t>(other_root);
  return true;
}

bool Probe::RepairNumbers(const rules::Subject& subject, const rules::RuleEntry& entry,
                          Choice& choice) {
  const rules::Args args(subject.node, subject.constraint);
  if (subject.constraint.kind == Kind::kOffsetRange) {
    if (choice.zero_point || choice.symmetric) return false;
    const auto min = args.real(ArgKey::kMin), max = args.real(ArgKey::kMax);
    int64_t zero_point = choice.trial_zero_point;
    if (max) zero_point = std::max(zero_point, static_cast<int64_t>(std::ceil(-*max)));
    if (min) zero_point = std::min(zero_point, static_cast<int64_t>(std::floor(-*min)));
    return std::exchange(choice.trial_zero_point, zero_point) != zero_point;
  }
  if (choice.scale || entry.scale_limit == nullptr) return false;
  const auto limit = entry.scale_limit(subject);
  if (!limit) return false;
  rules::ScaleUnits units{};
  for (int16_t i = 0; i < limit->port_count; ++i) {
    const auto at = static_cast<size_t>(i);
    const Tensor* tensor = view_->tensor(limit->ports[at]);
    if (tensor == nullptr || tensor->encoding->scales.empty()) return false;
    units[at] = &*tensor->encoding;
  }
  const auto [least, most] = rules::EndsOf(*limit, units);
  double scale = choice.trial_scale;
  if (limit->min && limit->max) {
    scale = std::sqrt(*limit->min * most * *limit->max * least);
  } else if (limit->min) {
    scale = *limit->min * most * 2;
  } else if (limit->max) {
    scale = *limit->max * least / 2;
  }
  return scale > 0 && std::exchange(choice.trial_scale, scale) != scale;
}

// Limits that are scales themselves; those that are times other scales only numbers can keep.
void Probe::AddLeastScales(const ActiveVariant& row, std::vector<Choice>& choices) {
  ForEachOfGroup(row, [&](const ActiveConstraint& active, const rules::Subject& subject) {
    if (active.row->kind != Kind::kScaleRange || active.entry->scale_limit == nullptr ||
        active.consequence < Consequence::kWrongValues || subject.tensor == nullptr) {
      return;
    }
    const auto limit = active.entry->scale_limit(subject);
    if (!limit || !limit->min || limit->relative()) return;
    const auto slot = static_cast<size_t>(subject.tensor - model_.tensors.data());
    double& least = choices[RootOf(choices, slot)].least_scale;
    least = std::max(least, *limit->min);
  });
}

bool Probe::Repair(const Broken& broken, std::vector<Choice>& choices) {
  if (broken.tensor == nullptr) return false;
  const auto slot = static_cast<size_t>(broken.tensor - model_.tensors.data());
  if (slots_[slot].role == TensorRole::kPlain) return false;
  const rules::Subject subject{*view_, broken.row, broken.tensor, broken.element};
  Choice& own = choices[slot];
  Choice& root = choices[RootOf(choices, slot)];
  const rules::Args args(*view_, broken.row);
  switch (broken.row.kind) {
    case Kind::kSymmetric:
      return !root.zero_point && !std::exchange(root.symmetric, true);
    case Kind::kFixedEncoding:
      return RepairFixed(subject, root);
    case Kind::kSameEncoding:
      return RepairShared(subject, slot, choices);
    case Kind::kQuantAxis: {
      const auto axis = args.number(ArgKey::kAxis);
      if (!axis || broken.tensor->unknown_rank) return false;
      const auto normal = static_cast<int32_t>(rules::NormalAxis(*axis, broken.tensor->rank()));
      return std::exchange(own.axis, normal) != normal;
    }
    case Kind::kBiasScale: {
      std::array<int64_t, 2> as;
      if (own.scale || args.numbers(ArgKey::kAs, as) != size_t{2}) return false;
      double product = 1;
      for (const int64_t port : as) {
        const Tensor* tensor = view_->tensor(static_cast<int>(port));
        if (tensor == nullptr || tensor->encoding->scales.empty()) return false;
        product *= double{tensor->encoding->scales[0]};
      }
      return std::exchange(root.trial_scale, product) != product;
    }
    case Kind::kScaleRange:
    case Kind::kOffsetRange:
      return RepairNumbers(subject, *broken.active->entry, root);
    default:
      return false;
  }
}

Trial Probe::Try(const ActiveVariant& row, std::vector<Choice>& choices) {
  Trial trial;
  for (int round = 0; round < kProbeRounds; ++round) {
    Put(choices);
    const std::vector<Broken> broken = FindBroken(row);
    trial.worst = Consequence::kAccepted;
    trial.blocking = nullptr;
    bool changed = false;
    for (const Broken& b : broken) {
      if (Repair(b, choices)) {
        changed = true;
        const Shaped shaped{b.active->row, static_cast<int16_t>(b.tensor - model_.tensors.data())};
        if (std::find(trial.shaped.begin(), trial.shaped.end(), shaped) == trial.shaped.end()) {
          trial.shaped.push_back(shaped);
        }
        break;  // what it changes may bring others to hold
      }
      if (Worse(trial.worst, b.active->consequence) != trial.worst || trial.blocking == nullptr) {
        trial.worst = Worse(trial.worst, b.active->consequence);
        trial.blocking = b.active->row;
      }
    }
    if (!changed) {
      AddLeastScales(row, choices);
      return trial;
    }
  }
  trial.worst = Consequence::kRejected;
  return trial;
}

std::optional<Finding> Probe::Ask(const std::vector<Choice>& choices) {
  Put(choices);
  std::vector<Finding> findings;
  std::string reason;
  const OpVerdict verdict =
      CheckNode(table_, resolved_, model_.nodes[0], findings, reason, nullptr);
  if (verdict.consequence == Consequence::kAccepted) return std::nullopt;
  const Finding* worst = nullptr;
  for (const Finding& f : findings) {
    if (worst == nullptr || f.consequence > worst->consequence) worst = &f;
  }
  if (worst == nullptr) return std::nullopt;
  Finding found = *worst;
  found.consequence = verdict.consequence;
  return found;
}

}  // namespace quantgate::plan
