// A target as Python holds it: with the database it was looked up in.
#ifndef QUANTGATE_BINDINGS_PYTHON_SRC_TARGET_H_
#define QUANTGATE_BINDINGS_PYTHON_SRC_TARGET_H_

#include <memory>
#include <string>
#include <vector>

#include "quantgate/database.h"
#include "quantgate/target.h"

namespace quantgate::python {

// The embedded one is shared by all.
using SharedDatabase = std::shared_ptr<const Database>;
SharedDatabase EmbeddedDatabase();
// YAML folders laid over a database. Throws OpdefsError; the GIL must be held.
SharedDatabase OverlaidDatabase(const Database& base, const std::vector<std::string>& folders);

struct BoundTarget {
  Target target;
  TargetSpec spec;  // what was asked for
  SharedDatabase database;
};

// Throws TargetError.
BoundTarget FindTarget(const TargetSpec& spec, SharedDatabase database);

}  // namespace quantgate::python

#endif  // QUANTGATE_BINDINGS_PYTHON_SRC_TARGET_H_
