// A quantization recipe + model -> what its tool builds of the linear layers, and what it can't.
#ifndef QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_H_
#define QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_H_

#include <vector>

#include "quantgate/database.h"
#include "quantgate/encodings_file.h"
#include "quantgate/model.h"
#include "quantgate/report.h"

namespace quantgate {

// `file.recipe` must be there. What is built is data: opdefs/recipes/<tool>.yaml.
std::vector<Finding> ApplyRecipe(const EncodingsFile& file, Model& model, const Database& database);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_LOWER_ENCODINGS_RECIPE_H_
