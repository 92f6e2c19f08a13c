// One input -> its models.
#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/readers/file_bytes.h"
#include "core/readers/limits.h"
#include "core/readers/onnx/onnx_reader.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

// What a pipe must begin with to be read to its end.
absl::Status CouldBe(std::optional<InputFormat> format, const std::string& path,
                     std::string_view bytes) {
  if (!format) return GuessFormat(path, bytes).status();
  const bool is_text = *format == InputFormat::kModelJson || *format == InputFormat::kModelJsonl ||
                       *format == InputFormat::kQnnNetJson || *format == InputFormat::kLayers;
  // A .tflite may begin with any byte; no protobuf field and no JSON text begins with a zero.
  if (*format == InputFormat::kTflite) return absl::OkStatus();
  if (bytes[0] == '\0' || (is_text && bytes.find('\0') != std::string_view::npos)) {
    return Invalid(fmt::format("not {} data: it holds zero bytes", InputFormatName(*format)));
  }
  return absl::OkStatus();
}

absl::Status ReadLines(std::string_view text, const std::string& path, std::string_view name,
                       const std::function<void(ReadModel)>& use) {
  size_t line = 0;
  bool any = false;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view json = text.substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (json.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    any = true;
    use({fmt::format("{}:{}", path, line), ReadModelJson(json, name)});
  }
  return any ? absl::OkStatus() : Invalid("no model in it: all lines are blank");
}

// All but ONNX, whose reader wants to know more of its file.
absl::Status ReadAs(InputFormat format, std::string_view bytes, const std::string& path,
                    const std::string& name, const std::function<void(ReadModel)>& use) {
  switch (format) {
    case InputFormat::kOnnx:
      break;
    case InputFormat::kModelJson:
      use({path, ReadModelJson(bytes, name)});
      return absl::OkStatus();
    case InputFormat::kModelJsonl:
      return ReadLines(bytes, path, name, use);
    case InputFormat::kModelBinpb:
      use({path, ReadModelBinpb(bytes, name)});
      return absl::OkStatus();
    case InputFormat::kQnnNetJson:
      use({path, ReadQnnNet(bytes, name)});
      return absl::OkStatus();
    case InputFormat::kLayers:
      use({path, ReadLayers(bytes, name)});
      return absl::OkStatus();
    case InputFormat::kTflite:
      use({path, ReadTflite(bytes, name)});
      return absl::OkStatus();
    case InputFormat::kPt2:
      return Invalid("a .pt2 file is read by Python, from a file with a name: quantgate.check(path)");
  }
  return Invalid("unknown input format");
}

// As asked for, else guessed; checks the size.
absl::StatusOr<InputFormat> FormatOf(std::optional<InputFormat> asked, const std::string& path,
                                     std::string_view bytes) {
  const bool is_lines = asked ? *asked == InputFormat::kModelJsonl : path.ends_with(".jsonl");
  if (bytes.size() > kMaxFileBytes && !is_lines) return Invalid("larger than 4 GiB");
  if (asked) return *asked;
  return GuessFormat(path, bytes);
}

std::string NameOf(const std::string& path) {
  return path == "-" ? std::string("stdin") : std::filesystem::path(path).stem().string();
}

}  // namespace

absl::Status ReadInput(const std::string& path, const ReadOptions& options,
                       const std::function<void(ReadModel)>& use) {
  auto file = FileBytes::Open(
      path, [&](std::string_view bytes) { return CouldBe(options.format, path, bytes); });
  if (!file.ok()) return file.status();
  const std::string_view bytes = file->bytes();
  const absl::StatusOr<InputFormat> format = FormatOf(options.format, path, bytes);
  if (!format.ok()) return format.status();
  if (*format == InputFormat::kOnnx || *format == InputFormat::kTflite) {
    file->ExpectJumps();  // over the weights
  }
  if (*format == InputFormat::kTflite) {
    absl::StatusOr<Model> model = ReadTflite(bytes, NameOf(path));
    file->Forget(bytes.size());
    use({path, std::move(model)});
    return absl::OkStatus();
  }
  if (*format != InputFormat::kOnnx) return ReadAs(*format, bytes, path, NameOf(path), use);
  const ExternalData data = ExternalDataOf(path, options.external_data);
  use({path, onnx::Read(bytes, NameOf(path), data,
                        [&](std::string_view part) { file->Forget(part); })});
  return absl::OkStatus();
}

absl::Status ReadBytes(std::string_view bytes, const std::string& path, const ReadOptions& options,
                       const std::function<void(ReadModel)>& use) {
  if (bytes.empty()) return Invalid("the input is empty");
  const absl::StatusOr<InputFormat> format = FormatOf(options.format, path, bytes);
  if (!format.ok()) return format.status();
  if (*format != InputFormat::kOnnx) return ReadAs(*format, bytes, path, NameOf(path), use);
  use({path, ReadOnnx(bytes, NameOf(path), "")});
  return absl::OkStatus();
}

}  // namespace quantgate
