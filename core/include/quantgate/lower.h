// What a backend gets of a model: source operators resolved to its ops, and what the tools on the
// way (the route) make of them.
#ifndef QUANTGATE_LOWER_H_
#define QUANTGATE_LOWER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "quantgate/database.h"
#include "quantgate/export.h"
#include "quantgate/model.h"
#include "quantgate/target.h"
#include "quantgate/validator.h"

namespace QUANTGATE_EXPORT quantgate {

struct LoweredGraph {
  // In QNN's dialect. Ops that nothing is known of keep their own.
  Model model;
  // Per node of `model` the node of the file that it stems from, an index into Report::nodes.
  std::vector<int32_t> source;
  // Per node of `model`: the route does not hand it to the backend.
  std::vector<bool> withheld;
  // The one it was lowered for, never empty.
  std::string route = {};
};

// The graph that Validator::Check() evaluates. Never fails: the model must be well formed, as
// readers make it, and what can't be resolved stays as it is. An empty `route` is the usual one.
// `database` is only read during the call.
LoweredGraph Lower(Model model, const Target& target, std::string_view route = {},
                   const Database& database = Database::Embedded());

// How models of a dialect reach the backend of `target` by default: by the backend's own route,
// else by that of the dialect, or of models of the dialect with an encodings file. One of
// Database::Routes().
std::string UsualRoute(Dialect dialect, const Target& target, bool with_encodings = false,
                       const Database& database = Database::Embedded());

}  // namespace quantgate

#endif  // QUANTGATE_LOWER_H_
