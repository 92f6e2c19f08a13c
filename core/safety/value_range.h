// Interval reasoning: which real values a tensor of a model can hold.
//
// What a quantized tensor holds lies within its encoding, and what an op makes of that is known for
// some ops (op_values.h). Everything else may be any number.
#ifndef QUANTGATE_CORE_SAFETY_VALUE_RANGE_H_
#define QUANTGATE_CORE_SAFETY_VALUE_RANGE_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "core/database/view.h"
#include "core/ir/producers.h"
#include "core/safety/coding.h"
#include "core/safety/op_values.h"
#include "quantgate/model.h"

namespace quantgate::fix {

struct ValueRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  // All of them are whole multiples of it; 0 = not known.
  double step = 0;

  bool is_known() const;  // at both ends
};

// What an encoding can say. nullopt where its scales are no numbers above 0, or not its kind.
std::optional<ValueRange> RangeOf(const Coding& coding);
bool HasRange(const Coding& coding);  // RangeOf() says one
// Of each entry of an encoding that HasRange(). `coding` must outlive it.
class EntryRanges {
 public:
  explicit EntryRanges(const Coding& coding);
  ValueRange operator[](size_t i) const;  // the last one stands for those after it

 private:
  const Encoding& encoding_;
  int64_t low_, high_;  // of the stored integers
};
// "-1.5 … 3", "any number", "0 and more".
std::string Describe(const ValueRange& range);

class ValueRanges {
 public:
  // All must outlive it; the model must not change. Null `producers`: found out when they are needed.
  ValueRanges(const Model& model, const opdb::View& database, const Producers* producers = nullptr);

  // Of a quantized tensor: from the Q that writes it, the DQ that reads it, or its own.
  std::optional<Coding> CodingOf(TensorId tensor) const;
  // What a tensor can hold, real values if it is quantized.
  ValueRange Held(TensorId tensor) const;
  // What a tensor would hold if no encoding of its own cut and rounded it.
  ValueRange Reaching(TensorId tensor) const;
  // Each value that the node writes is one that it reads, or 0.
  bool OnlyMoves(const Node& node) const;
  // Something outside of the model writes it.
  bool IsInput(TensorId tensor) const;
  // Something outside of the model reads it.
  bool IsOutput(TensorId tensor) const;

 private:
  ValueRange Held(TensorId tensor, int depth) const;
  ValueRange Reaching(TensorId tensor, int depth) const;
  ValueRange Constant(TensorId tensor) const;
  ValueRange Written(const Node& node, int depth) const;
  ValueRange Dequantized(const Node& node, int depth) const;
  std::optional<Coding> CodingAt(const Node& node) const;
  const Node* Producer(TensorId tensor) const;
  const Node* DequantizeOf(TensorId tensor) const;  // the last one that reads it

  const Model& model_;
  OpValues ops_;
  std::vector<bool> is_input_, is_output_;
  mutable const Producers* producers_;
  mutable Producers own_producers_;
  // Per tensor: a node; -1 = none. Made when it is first needed.
  mutable std::vector<int32_t> dequantize_;
  mutable absl::flat_hash_map<TensorId, ValueRange> held_;
};

}  // namespace quantgate::fix

#endif  // QUANTGATE_CORE_SAFETY_VALUE_RANGE_H_
