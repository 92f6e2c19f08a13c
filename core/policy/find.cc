#include <filesystem>
#include <string>
#include <system_error>

#include "core/database/compile/document/yaml.h"
#include "core/policy/toml.h"
#include "core/readers/file_bytes.h"
#include "quantgate/config.h"

namespace quantgate {
namespace {

namespace fs = std::filesystem;

// A file that can't be read or understood counts: its error is reported when it is loaded.
bool HasToolTable(const std::string& path) {
  const absl::StatusOr<FileBytes> bytes =
      FileBytes::Open(path, [](std::string_view) { return absl::OkStatus(); });
  if (!bytes.ok() || bytes->bytes().size() > opdefs::kMaxFileBytes) return true;
  // Most projects have a pyproject.toml that knows nothing of us.
  if (bytes->bytes().find("quantgate") == std::string_view::npos) return false;
  opdefs::Errors errors;
  return ParseToolTable(bytes->bytes(), path, errors).has_value() || !errors.empty();
}

// Shown from the working directory where it lies below.
std::string Shown(const fs::path& path, const fs::path& here) {
  const fs::path relative = path.lexically_relative(here);
  if (relative.empty() || *relative.begin() == "..") return path.string();
  return relative.string();
}

}  // namespace

absl::StatusOr<std::string> FindConfig(std::string_view model) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return std::string();
  fs::path folder = model == "-" ? here : (here / fs::path(model)).lexically_normal().parent_path();
  for (;;) {
    if (const fs::path yaml = folder / "quantgate.yaml"; fs::is_regular_file(yaml, error)) {
      return Shown(yaml, here);
    }
    if (const fs::path toml = folder / "pyproject.toml";
        fs::is_regular_file(toml, error) && HasToolTable(toml.string())) {
      return Shown(toml, here);
    }
    const fs::path parent = folder.parent_path();
    if (parent == folder || parent.empty()) return std::string();
    folder = parent;
  }
}

}  // namespace quantgate
