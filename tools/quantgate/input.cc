#include "tools/quantgate/input.h"

#include <vector>

#include "tools/quantgate/common.h"

namespace quantgate::cli {

absl::StatusOr<std::optional<InputFormat>> ParseInputFormat(std::string_view text) {
  if (text.empty()) return std::optional<InputFormat>();
  const std::vector<InputFormat> formats = {InputFormat::kOnnx,       InputFormat::kModelJson,
                                            InputFormat::kModelJsonl, InputFormat::kModelBinpb,
                                            InputFormat::kQnnNetJson, InputFormat::kPt2};
  std::vector<std::string_view> names;
  for (const InputFormat format : formats) names.push_back(InputFormatName(format));
  const absl::StatusOr<size_t> index = OneOf("--input-format", text, names);
  if (!index.ok()) return index.status();
  return std::optional<InputFormat>(formats[*index]);
}

absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path) {
  if (path.empty()) return std::optional<EncodingsFile>();
  absl::StatusOr<EncodingsFile> file = ReadEncodingsFile(path);
  if (!file.ok()) return absl::InvalidArgumentError(ParseReadError(file.status()).Text(path));
  return std::optional<EncodingsFile>(*std::move(file));
}

}  // namespace quantgate::cli
