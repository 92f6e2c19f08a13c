#include "quantgate/model_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

// Of a .json that is looked into: one whose nodes begin later is left out.
constexpr size_t kMaxJsonBytes = size_t{64} << 20;

bool IsModelJson(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(1 << 16, '\0');
  std::string all;
  constexpr std::string_view kNodes = "\"nodes\"";
  while (file && all.size() < kMaxJsonBytes) {
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    // From where the word may begin that the last part was cut in.
    const size_t from = all.size() - std::min(all.size(), kNodes.size() - 1);
    all.append(text, 0, static_cast<size_t>(file.gcount()));
    // A Model and a QNN net have nodes, lists of layers and encodings have none.
    if (all.find(kNodes, from) == std::string::npos) continue;
    const absl::StatusOr<InputFormat> format = GuessFormat(path.string(), all);
    return format.ok() &&
           (*format == InputFormat::kModelJson || *format == InputFormat::kQnnNetJson);
  }
  return false;
}

constexpr std::string_view kJson = ".json";
constexpr std::array<std::string_view, 6> kModelEndings = {".onnx",  ".tflite", ".pt2",
                                                      ".jsonl", ".binpb",  kJson};

std::string EndingOf(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return ending;
}

bool IsModel(const fs::path& path) {
  return HasModelEnding(path.string()) && (EndingOf(path) != kJson || IsModelJson(path));
}

absl::Status AppendModels(const std::string& folder, std::vector<std::string>& models) {
  std::vector<std::string> found;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored) && IsModel(at->path())) found.push_back(at->path().string());
  }
  if (error) return absl::InvalidArgumentError(folder + ": " + error.message());
  if (found.empty()) {
    return absl::InvalidArgumentError(
        folder + ": holds no model (.onnx, .tflite, .pt2, .jsonl, .binpb, or .json with a model)");
  }
  std::sort(found.begin(), found.end());
  std::move(found.begin(), found.end(), std::back_inserter(models));
  return absl::OkStatus();
}

}  // namespace

bool HasModelEnding(std::string_view path) {
  return std::find(kModelEndings.begin(), kModelEndings.end(), EndingOf(path)) != kModelEndings.end();
}

absl::StatusOr<std::vector<std::string>> ExpandFolders(const std::vector<std::string>& paths) {
  std::vector<std::string> models;
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      models.push_back(path);
    } else if (const absl::Status status = AppendModels(path, models); !status.ok()) {
      return status;
    }
  }
  return models;
}

}  // namespace quantgate
