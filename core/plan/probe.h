// One op by itself, with dtypes and encodings that can be tried on it.
#ifndef QUANTGATE_CORE_PLAN_PROBE_H_
#define QUANTGATE_CORE_PLAN_PROBE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/database/view.h"
#include "core/lower/resolve/resolved.h"
#include "core/rules/rule_entry.h"
#include "core/rules/support/node_view.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"
#include "quantgate/plan.h"
#include "quantgate/report.h"

namespace quantgate::plan {

// A tensor of the op, whatever ports it is at.
struct Slot {
  TensorId id = kNoTensor;  // in the graph
  TensorRole role = TensorRole::kActivation;
  Dtype given = Dtype::kUndefined;
  bool is_static = false;
  bool is_output = false;
  // Each a port and an element of it.
  absl::InlinedVector<std::pair<int16_t, int16_t>, 1> places = {};
};

// What a slot is quantized as.
struct Choice {
  Dtype dtype = Dtype::kUndefined;
  EncodingKind kind = EncodingKind::kNone;
  int32_t bits = 0;  // fewer than the dtype's; else 0
  int32_t axis = -1;
  int32_t block_size = 0;
  bool symmetric = false;
  std::optional<double> scale;  // dictated
  std::optional<int64_t> zero_point;
  int16_t same_as = -1;  // the slot whose encoding it has
  double least_scale = 0;  // below it the op computes wrong; 0 = none is known
  // Numbers to try: those of a tensor are only known once data was seen.
  double trial_scale = 0;
  int64_t trial_zero_point = 0;
};

// Its encoding with these numbers; none where the type has none.
Encoding TrialEncoding(const Choice& choice, const Tensor& tensor, double scale, int64_t zero_point);

// A constraint that decided something of a slot.
struct Shaped {
  const opdb::ConstraintRow* row;
  int16_t slot;
  bool operator==(const Shaped&) const = default;
};

// What came of trying choices.
struct Trial {
  Consequence worst = Consequence::kAccepted;  // of what could not be brought to hold
  const opdb::ConstraintRow* blocking = nullptr;
  std::vector<Shaped> shaped;
};

class Probe {
 public:
  Probe(const TargetTable& table, const ActiveOp& op, const Model& graph, const Node& node);
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  const std::vector<Slot>& slots() const { return slots_; }
  // The place of the node's i-th input (then outputs) among the slots; -1 = absent.
  const std::vector<int16_t>& slot_of_place() const { return slot_of_place_; }
  // The dtypes that a row leaves a slot.
  DtypeMask Allowed(const ActiveVariant& row, const Slot& slot) const;
  int PortAxis(const Slot& slot) const;  // the channel axis that is declared; -1 = none
  const Tensor& TensorOf(size_t slot) const { return model_.tensors[slot]; }

  // Holds `choices` to the constraints of the row's group and changes encodings until they hold
  // or nothing is left to change.
  Trial Try(const ActiveVariant& row, std::vector<Choice>& choices);
  // The worst of what the validator says of the choices; nothing where it accepts them.
  std::optional<Finding> Ask(const std::vector<Choice>& choices);

 private:
  struct Broken;
  void FindSlots(const Model& graph, const Node& node);
  void Put(const std::vector<Choice>& choices);
  void PutOne(size_t slot, const std::vector<Choice>& choices);
  // Calls `visit(active, subject)` for each constraint of the row's group and what it is about.
  template <typename Visit>
  void ForEachOfGroup(const ActiveVariant& row, const Visit& visit);
  std::vector<Broken> FindBroken(const ActiveVariant& row);
  bool Repair(const Broken& broken, std::vector<Choice>& choices);
  bool RepairFixed(const rules::Subject& subject, Choice& choice);
  bool RepairShared(const rules::Subject& subject, size_t slot, std::vector<Choice>& choices);
  void AddLeastScales(const ActiveVariant& row, std::vector<Choice>& choices);
  bool RepairNumbers(const rules::Subject& subject, const rules::RuleEntry& entry, Choice& choice);
  int SlotAt(int port, int element) const;

  const TargetTable& table_;
  const ActiveOp& op_;
  Model model_;
  Resolved resolved_;
  std::optional<rules::NodeView> view_;
  std::vector<Slot> slots_;
  std::vector<int16_t> slot_of_place_;
};

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_PROBE_H_
