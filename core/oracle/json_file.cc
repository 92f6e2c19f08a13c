#include "core/oracle/json_file.h"

#include "absl/strings/str_cat.h"

namespace quantgate::verify {
namespace {

constexpr size_t kMaxDepth = 16;

bool TooDeep(std::string_view json) {
  size_t depth = 0;
  for (const char c : json) {
    if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<nlohmann::json> ParseJson(std::string_view text) {
  if (TooDeep(text)) return absl::InvalidArgumentError("nested too deeply");
  nlohmann::json file = nlohmann::json::parse(text, nullptr, false);
  if (file.is_discarded()) return absl::InvalidArgumentError("is no JSON");
  return file;
}

absl::StatusOr<FileBytes> OpenJson(const std::string& path, size_t most_bytes) {
  absl::StatusOr<FileBytes> file = FileBytes::Open(path, [](std::string_view) { return absl::OkStatus(); });
  if (file.ok() && file->bytes().size() > most_bytes) {
    return absl::InvalidArgumentError(absl::StrCat("is larger than ", most_bytes >> 20, " MiB"));
  }
  return file;
}

}  // namespace quantgate::verify
