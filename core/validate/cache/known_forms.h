// What a check of one graph has learnt: forms of nodes, and what remains to be looked at for the next
// node of such a form.
#ifndef QUANTGATE_CORE_VALIDATE_CACHE_KNOWN_FORMS_H_
#define QUANTGATE_CORE_VALIDATE_CACHE_KNOWN_FORMS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "core/rules/support/scale_limit.h"
#include "core/validate/port_facts.h"
#include "core/validate/target_table.h"
#include "quantgate/model.h"

namespace quantgate {

// A bound on the scales of one tensor of a node. Tensors by their place: inputs, then outputs.
struct LimitOfForm {
  rules::ScaleLimit limit;
  uint8_t tensor = 0;
  std::array<uint8_t, 2> units{};
};

// Where the numbers of one tensor of a node must lie.
struct RangeOfForm {
  NumberRanges numbers;
  uint8_t tensor = 0;  // its place
};

struct KnownForm {
  const ActiveOp* op = nullptr;
  Basis basis = Basis::kMeasured;
  bool one_row_group = false;  // what its nodes break can only be of the one group of rows that they match
  absl::InlinedVector<RangeOfForm, 4> ranges;
  absl::InlinedVector<LimitOfForm, 2> limits;
  // Constraints that depend on numbers and that neither ranges nor limits decide, and those that the first node
  // broke.
  absl::InlinedVector<const ActiveConstraint*, 4> open;
};

class KnownForms {
 public:
  // `graph` must outlive this.
  explicit KnownForms(const Model& graph) : graph_(graph) {}

  // Null: no node has had this form.
  const KnownForm* Find(const Node& node);
  // Of a node that Find() doesn't know.
  void Insert(const Node& node, KnownForm form);
  // False once it is clear that this graph doesn't repeat itself.
  bool worthwhile() const { return lookups_ < kTrial || hits_ * 4 >= lookups_; }

 private:
  static constexpr size_t kMaxForms = 4096;  // a few MB at most
  // Of one hash, which leaves values of params out: a search compares with each.
  static constexpr size_t kMaxAlike = 32;
  static constexpr uint64_t kTrial = 4096;

  struct Entry {
    const Node* first;  // of this form
    KnownForm form;
    int32_t next = -1;  // the entry that was found behind this one last time
  };
  const KnownForm* Found(int32_t entry);

  const Model& graph_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<size_t, absl::InlinedVector<int32_t, 2>> by_hash_;
  int32_t last_ = -1;  // found
  uint64_t lookups_ = 0, hits_ = 0;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CACHE_KNOWN_FORMS_H_
