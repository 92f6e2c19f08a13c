#include "tools/quantgate/cli/input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <vector>

#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/signals.h"
#include "tools/quantgate/program/python_program.h"

namespace quantgate::cli {
namespace {

bool IsPt2(const std::string& path, const ReadOptions& options) {
  if (path == "-") return false;
  if (options.format) return *options.format == InputFormat::kPt2;
  // What is read of a pipe is gone.
  if (std::error_code error; !std::filesystem::is_regular_file(path, error)) return false;
  std::string first(4, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(first.data(), 4);
  first.resize(static_cast<size_t>(file.gcount()));
  const absl::StatusOr<InputFormat> guessed = GuessFormat(path, first);
  return guessed.ok() && *guessed == InputFormat::kPt2;
}

// Whether a zip archive ends as one: its directory lies before an end record of 22 bytes, and a
// comment of 65,535 at most (APPNOTE.TXT, 4.3.16). PyTorch takes seconds to say that of a cut file.
bool HasZipEnd(const std::string& path) {
  constexpr std::string_view kEnd = "PK\x05\x06";
  constexpr std::streamoff kMost = 22 + 65535;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (size < 22) return false;
  std::string tail(static_cast<size_t>(std::min(size, kMost)), '\0');
  file.seekg(size - static_cast<std::streamoff>(tail.size()));
  file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return file && tail.find(kEnd) != std::string::npos;
}

// The model as JSON.
absl::StatusOr<std::string> ReadPt2(const std::string& path) {
  if (!HasZipEnd(path)) {
    return absl::InvalidArgumentError("is no .pt2 file, or was cut: the zip archive has no end");
  }
  const absl::StatusOr<std::string> python = FindPython("");
  const std::string needs = "a .pt2 file is read by the Python package with PyTorch";
  if (!python.ok()) {
    const std::string why(python.status().message());
    if (absl::IsNotFound(python.status())) return absl::InvalidArgumentError(needs + "; " + why);
    return absl::InvalidArgumentError(needs + ", which " + why + " doesn't have: install it "
                                      "there, or put the Python that has it first on PATH");
  }
  absl::StatusOr<std::string> model = OutputOf({*python, "-m", "quantgate", "model", "--", path});
  if (model.ok()) return model;
  std::string why(model.status().message());
  while (!why.empty() && why.back() == '\n') why.pop_back();
  return absl::InvalidArgumentError(why.empty() ? *python + " failed to read it" : why);
}

}  // namespace

absl::Status ReadModels(const std::string& path, const ReadOptions& options,
                        const std::function<void(ReadModel)>& use) {
  if (!IsPt2(path, options)) return ReadInput(path, options, use);
  const absl::StatusOr<std::string> model = ReadPt2(path);
  if (!model.ok()) return model.status();
  return ReadBytes(*model, path, InputFormat::kModelJson, use);
}

absl::StatusOr<Model> ReadOnlyModel(const std::string& path, const ReadOptions& options) {
  std::optional<Model> model;
  absl::Status bad;
  const absl::Status read = ReadModels(path, options, [&](ReadModel one) {
    if (!one.model.ok()) {
      bad.Update(absl::InvalidArgumentError(ParseReadError(one.model.status()).Text(one.source)));
    } else if (model) {
      bad.Update(absl::InvalidArgumentError(path + ": holds several models, where one is expected"));
    } else {
      model = *std::move(one.model);
    }
  });
  if (!read.ok()) return absl::InvalidArgumentError(ParseReadError(read).Text(path));
  if (!bad.ok()) return bad;
  if (!model) return absl::InvalidArgumentError(path + ": holds no model");
  return *std::move(model);
}

void ReadFlags::Add(VerbFlags verb) {
  verb.Add({.name = "--input-format",
            .type = "FORMAT",
            .words = "onnx, model, jsonl, binpb, qnn, layers, pt2 or tflite; guessed if not given"},
           format);
  verb.Add({.name = "--external-data",
            .type = "DIR",
            .words = "Folder that external data of an ONNX file may lead into, besides its own"},
           external_data);
  verb.Add({.name = "--time-limit",
            .type = "SECONDS",
            .words = "Give up after that time: an error, exit status 2, nothing written",
            .most = 86400},
           time_limit);
}

absl::StatusOr<ReadOptions> ReadFlags::Parse() const {
  ReadOptions options;
  if (time_limit > 0) LimitTime(static_cast<unsigned>(time_limit));
  options.external_data = external_data;
  if (std::error_code error;
      !external_data.empty() && !std::filesystem::is_directory(external_data, error)) {
    return absl::InvalidArgumentError("--external-data " + external_data + ": is no folder");
  }
  if (format.empty()) return options;
  const std::vector<InputFormat> formats = {InputFormat::kOnnx,       InputFormat::kModelJson,
                                            InputFormat::kModelJsonl, InputFormat::kModelBinpb,
                                            InputFormat::kQnnNetJson, InputFormat::kLayers,
                                            InputFormat::kPt2,        InputFormat::kTflite};
  std::vector<std::string_view> names;
  for (const InputFormat known : formats) names.push_back(InputFormatName(known));
  const absl::StatusOr<size_t> index = OneOf("--input-format", format, names);
  if (!index.ok()) return index.status();
  options.format = formats[*index];
  return options;
}

void RouteFlag::Add(VerbFlags verb) {
  verb.Add({.name = "--route",
            .type = "ROUTE",
            .words = fmt::format("How the file reaches the backend: {}; by kind of input if not given; "
                                 "executorch@1.0 names a release",
                                 fmt::join(Database::Embedded().Routes(), ", ")),
            .group = "Target"},
           value);
}

absl::StatusOr<std::string> RouteFlag::Parse(const Database& database) const {
  if (value.empty()) return value;
  const std::vector<std::string> routes = database.Routes();
  const absl::StatusOr<size_t> index =
      OneOf("--route", ParseRouteName(value).name, {routes.begin(), routes.end()});
  if (!index.ok()) return index.status();
  if (const absl::Status status = database.CheckRelease(value); !status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--route: ", status.message()));
  }
  return value;
}

absl::StatusOr<std::optional<EncodingsFile>> LoadEncodings(const std::string& path) {
  if (path.empty()) return std::optional<EncodingsFile>();
  absl::StatusOr<EncodingsFile> file = ReadEncodingsFile(path);
  if (!file.ok()) return absl::InvalidArgumentError(ParseReadError(file.status()).Text(path));
  return std::optional<EncodingsFile>(*std::move(file));
}

}  // namespace quantgate::cli
