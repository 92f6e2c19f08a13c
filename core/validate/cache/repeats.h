// Networks are many nodes of few forms. Of an annotated graph only the first node of each form is
// resolved; what the backend makes of the others follows from it, up to their numbers, which are
// looked at one by one.
//
// Followers are nodes that whatever stands around them can't change: every tensor that isn't
// constant has an encoding of its own, none comes from a node that hands values on or is folded
// away, and no neighbour needs them to be resolved itself.
#ifndef QUANTGATE_CORE_VALIDATE_CACHE_REPEATS_H_
#define QUANTGATE_CORE_VALIDATE_CACHE_REPEATS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "core/lower/resolve/mapping.h"
#include "core/lower/resolve/resolved.h"
#include "core/validate/cache/accepted_forms.h"
#include "core/validate/target_table.h"
#include "core/validate/walk_graph.h"
#include "quantgate/model.h"

namespace quantgate {

struct Repeats {
  // Per node of the file: the first node of its form; -1 = it is resolved itself.
  std::vector<int32_t> first;
  // Per node of the file: an earlier one of its form that has the same numbers too; -1 = none
  // known.
  std::vector<int32_t> like;
  std::vector<int32_t> rest;  // the nodes that are resolved, in the file's order
};

// Empty where the graph repeats itself too little, or isn't well formed. `model` is of a source
// dialect.
Repeats FindRepeats(const Model& model, mapping::Mapping& mapping);

// These nodes as a model of their own. Unlike Submodel(), it doesn't say of a tensor that is read
// outside of it too that it is an output: none of a dependent node is.
Model Excerpt(const Model& model, std::span<const int32_t> nodes);

// One form: what its first node became, to be filled with the numbers of others.
class FormJudge {
 public:
  // `resolved`: of the nodes `file`, which has the form's first node as `node` and found nothing
  // on it; `view` and `rules`: of the same, for rules between nodes. What can't be judged this way
  // is not usable.
  FormJudge(const TargetTable& table, const Model& file, Resolved& resolved, int32_t node,
            const GraphRules& rules, const rules::GraphView& view);

  bool usable() const { return usable_; }
  // Whether a node of this form is seen to be accepted, and no concern of a rule between nodes.
  // False = not known.
  bool Accepts(const Model& model, const Node& node);

 private:
  struct Port {
    TensorId graph = kNoTensor;
    size_t place = 0;  // in the node of the file, as TensorAt() takes it
    bool encoding = false, values = false;
  };
  struct Op {
    size_t node;
    AcceptedForm form;
  };
  const TargetTable* table_;
  Resolved* resolved_;
  const GraphRules* rules_;
  const rules::GraphView* view_;
  bool usable_ = false;
  std::vector<Port> ports_;
  std::vector<Op> ops_;
  std::vector<GraphRules::Concern> concerns_;  // that depend on numbers
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_VALIDATE_CACHE_REPEATS_H_
