// Cutting a case out of a model, to send and repeat it.
#ifndef QUANTGATE_EXTRACT_H_
#define QUANTGATE_EXTRACT_H_

#include <cstdint>
#include <span>

#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

// These nodes (indexes into model.nodes) with their tensors. Where the graph goes on beyond them it
// gets inputs and outputs.
Model Submodel(const Model& model, std::span<const int32_t> nodes);

// A smallest model around a node that has the same findings and verdict there as in the whole.
// `node` is an index into model.nodes.
Model SmallestAround(const Validator& validator, const Model& model, int32_t node);

}  // namespace quantgate

#endif  // QUANTGATE_EXTRACT_H_
