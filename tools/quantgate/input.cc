#include "tools/quantgate/input.h"

#include <vector>

#include "tools/quantgate/common.h"

namespace quantgate::cli {

void InputFormatFlag::Add(VerbFlags verb) {
  verb.Add({.name = "--input-format",
            .type = "FORMAT",
            .words = "onnx, model, jsonl, binpb, qnn, layers or pt2; guessed if not given"},
           value);
}

absl::StatusOr<std::optional<InputFormat>> InputFormatFlag::Parse() const {
  if (value.empty()) return std::optional<InputFormat>();
  const std::vector<InputFormat> formats = {InputFormat::kOnnx,       InputFormat::kModelJson,
                                            InputFormat::kModelJsonl, InputFormat::kModelBinpb,
                                            InputFormat::kQnnNetJson, InputFormat::kLayers,
                                            InputFormat::kPt2};
  std::vector<std::string_view> names;
  for (const InputFormat format : formats) names.push_back(InputFormatName(format));
  const absl::StatusOr<size_t> index = OneOf("--input-format", value, names);
  if (!index.ok()) return index.status();
  return std::optional<InputFormat>(formats[*index]);
}

void RouteFlag::Add(VerbFlags verb) {
  verb.Add({.name = "--route",
            .type = "ROUTE",
            .words = "How the file reaches the backend: direct, onnxruntime, executorch, qairt; by "
                     "kind of input if not given",
            .group = "Target"},
           value);
}

absl::StatusOr<Route> RouteFlag::Parse() const {
  if (value.empty()) return Route::kDefault;
  const absl::StatusOr<size_t> index = OneOf("--route", value, RouteNames());
  if (!index.ok()) return index.status();
  return *RouteFromName(value);
}

absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path) {
  if (path.empty()) return std::optional<EncodingsFile>();
  absl::StatusOr<EncodingsFile> file = ReadEncodingsFile(path);
  if (!file.ok()) return absl::InvalidArgumentError(ParseReadError(file.status()).Text(path));
  return std::optional<EncodingsFile>(*std::move(file));
}

}  // namespace quantgate::cli
