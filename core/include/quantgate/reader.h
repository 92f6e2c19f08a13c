// Readers: file -> Model. They know no constraint.
#ifndef QUANTGATE_READER_H_
#define QUANTGATE_READER_H_

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quantgate/export.h"
#include "quantgate/model.h"

namespace QUANTGATE_EXPORT quantgate {

enum class InputFormat : uint8_t {
  kOnnx,
  kModelJson,
  kModelJsonl,
  kModelBinpb,
  kQnnNetJson,
  kLayers,
  kPt2,
  kTflite
};
std::string_view InputFormatName(
    InputFormat format);  // "onnx", "model", "jsonl", "binpb", "qnn", "layers", "pt2", "tflite"
std::optional<InputFormat> InputFormatFromName(std::string_view name);
// From the file's name and first bytes. InvalidArgument says what was seen.
absl::StatusOr<InputFormat> GuessFormat(std::string_view path, std::string_view bytes);

// One model of an input. `status` carries "PLACE: reason" when it could not be read: place is
// "line:column" in text files, "byte N" in binary ones, or a field path.
struct ReadModel {
  std::string source;  // FILE, or FILE:LINE in a .jsonl
  absl::StatusOr<Model> model;
};

// Readers of bytes; `name` is used in Model::name where the file has none. Errors are
// InvalidArgument with "PLACE: reason" and never mention `name`. No reader crashes, hangs or
// allocates memory out of proportion to its input, whatever the bytes are.
absl::StatusOr<Model> ReadModelJson(std::string_view json, std::string_view name);
absl::StatusOr<Model> ReadModelBinpb(std::string_view bytes, std::string_view name);
absl::StatusOr<Model> ReadQnnNet(std::string_view json, std::string_view name);
absl::StatusOr<Model> ReadLayers(std::string_view json, std::string_view name);
absl::StatusOr<Model> ReadTflite(std::string_view bytes, std::string_view name);
// External data files are looked up in `directory` for small constants (scales, zero points,
// shapes); empty = don't look. A location that leaves it is refused, a link out of it not followed.
absl::StatusOr<Model> ReadOnnx(std::string_view bytes, std::string_view name,
                               std::string_view directory);

// Canonical protobuf JSON of quantgate.v1.Model; `indent` 0 = one line.
std::string WriteModelJson(const Model& model, int indent = 1);
std::string WriteModelBinpb(const Model& model);
// A .tflite file of a model of that dialect. Constants whose values the model does not hold get
// made-up ones: it asks a compiler or an interpreter about its operators, and computes nothing of
// use. InvalidArgument names what the format can't say.
absl::StatusOr<std::string> WriteTflite(const Model& model);

struct ReadOptions {
  std::optional<InputFormat> format;  // absent = guessed
  // A folder that locations and links of external data may lead into, as well as the model's own;
  // empty = none.
  std::string external_data;

  ReadOptions() = default;
  template <typename T>
  requires std::convertible_to<T, std::optional<InputFormat>> ReadOptions(T&& input_format)
      : format(std::forward<T>(input_format)) {}  // NOLINT: meant so
};

// Maps the file ("-" = stdin) and calls `use` for each model in it, in order. The status is an
// error only when the input as a whole can't be used: "reason" or "PLACE: reason", without the
// file's name.
absl::Status ReadInput(const std::string& path, const ReadOptions& options,
                       const std::function<void(ReadModel)>& use);

// The same of bytes that a file called `path` would hold. No other file is looked for: external
// data is missing.
absl::Status ReadBytes(std::string_view bytes, const std::string& path, const ReadOptions& options,
                       const std::function<void(ReadModel)>& use);

// The line, from 1, of each node of a Model JSON file, for annotations and editors. `model` is what
// was read from it. Empty where the file is of another format, holds several models, has changed,
// or can't be read again.
std::vector<int32_t> NodeLines(const std::string& path, const Model& model);

}  // namespace quantgate

#endif  // QUANTGATE_READER_H_
