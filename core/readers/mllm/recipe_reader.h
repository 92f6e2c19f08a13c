// Configurations of mllm's QNN compiler -> the quantization recipe in them.
#ifndef QUANTGATE_CORE_READERS_MLLM_RECIPE_READER_H_
#define QUANTGATE_CORE_READERS_MLLM_RECIPE_READER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "quantgate/encodings_file.h"

namespace quantgate {

// Whether a key "quant_recipe" stands at the top, before any of an encodings file.
bool IsRecipe(std::string_view json);
absl::StatusOr<EncodingsFile> ReadRecipe(std::string_view json);

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_MLLM_RECIPE_READER_H_
