// What the database says of one op, found the slow way: every row and every constraint, one after
// the other, with none of the validator's sieves, shortcuts and memories of earlier nodes.
#ifndef QUANTGATE_TESTS_FUZZ_REFERENCE_EVALUATOR_H_
#define QUANTGATE_TESTS_FUZZ_REFERENCE_EVALUATOR_H_

#include <string>
#include <vector>

#include "core/database/view.h"
#include "quantgate/model.h"
#include "quantgate/target.h"

namespace quantgate::fuzz {

// The broken constraints, "htp/Conv2d/in[1]/symmetric rejected" once for each tensor that breaks
// it, of the datatype row with the least severe of them. Sorted. Nothing where the database doesn't
// know the op, or not for the target.
std::vector<std::string> BrokenBy(const opdb::View& db, const Target& target, const Model& graph,
                                  const Node& node);

}  // namespace quantgate::fuzz

#endif  // QUANTGATE_TESTS_FUZZ_REFERENCE_EVALUATOR_H_
