// The ends of a graph that a file leaves out.
#ifndef QUANTGATE_CORE_IR_GRAPH_ENDS_H_
#define QUANTGATE_CORE_IR_GRAPH_ENDS_H_

#include "quantgate/model.h"

namespace quantgate {

// Fills in absent `inputs` (not static, never produced) and `outputs` (produced, never consumed).
void FillGraphEnds(Model& model);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_IR_GRAPH_ENDS_H_
