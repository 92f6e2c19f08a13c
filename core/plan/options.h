// The ways to quantize one op that a target accepts, nearest to the wish first.
#ifndef QUANTGATE_CORE_PLAN_OPTIONS_H_
#define QUANTGATE_CORE_PLAN_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/probe.h"
#include "core/plan/wish.h"
#include "core/validate/target_table.h"
#include "quantgate/report.h"

namespace quantgate::plan {

struct Option {
  const ActiveVariant* row = nullptr;
  std::vector<Choice> choices;  // one a slot
  int distance = 0;             // from the wish; 0 = as wished
  int preference = 0;           // among equally near ones; the lowest first
  std::vector<Shaped> shaped;
};

struct OpOptions {
  std::vector<Slot> slots;
  std::vector<int16_t> slot_of_place;
  std::vector<Option> list;  // equally near to the wish; empty = refused whatever the dtypes
  bool plain = false;        // the op has no tensor that could be quantized
  // Of what was wished, where that can't be had.
  std::optional<Finding> why;
};

OpOptions FindOptions(const TargetTable& table, const ActiveOp& op, const Model& graph,
                      const Node& node, const Wish& wish);

}  // namespace quantgate::plan

#endif  // QUANTGATE_CORE_PLAN_OPTIONS_H_
