#include "core/oracle/library_path.h"

#include <sys/stat.h>

#include <cctype>
#include <cerrno>
#include <cstring>

#include "absl/status/status.h"

namespace quantgate::verify {
namespace {

// Below a QNN SDK, below an unpacked wheel.
constexpr std::string_view kFolders[] = {"", "lib/x86_64-linux-clang/", "onnxruntime_qnn/",
                                         "onnxruntime_qnn/libs/"};

bool IsFile(const std::string& path) {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

// "libQnnHtp.so" of "htp".
std::string LibraryName(std::string_view backend) {
  std::string name(backend);
  if (!name.empty()) name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "libQnn" + name + ".so";
}

}  // namespace

absl::StatusOr<std::string> FindLibrary(const std::string& path, std::string_view backend) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return absl::NotFoundError(path + ": " + std::strerror(errno));
  }
  if (S_ISREG(status.st_mode)) {
    // Without a slash the loader would look elsewhere.
    return path.find('/') == std::string::npos ? "./" + path : path;
  }
  if (!S_ISDIR(status.st_mode)) return absl::InvalidArgumentError(path + ": is no file or folder");
  const std::string name = LibraryName(backend);
  for (const std::string_view folder : kFolders) {
    const std::string found = path + "/" + std::string(folder) + name;
    if (IsFile(found)) return found;
  }
  return absl::NotFoundError(path + ": holds no " + name +
                             ", neither itself nor in lib/x86_64-linux-clang or onnxruntime_qnn");
}

std::string SdkOfBuildId(std::string_view build_id) {
  const size_t digit = build_id.find_first_of("0123456789");
  if (digit == std::string_view::npos) return "";
  size_t end = digit;
  int dots = 0;
  while (end < build_id.size() &&
         (std::isdigit(static_cast<unsigned char>(build_id[end])) || build_id[end] == '.')) {
    if (build_id[end] == '.' && ++dots == 2) break;
    ++end;
  }
  const std::string_view found = build_id.substr(digit, end - digit);
  if (dots == 0 || found.size() > 8 || found.back() == '.') return "";
  return std::string(found);
}

std::string ExplainLoadError(std::string_view message) {
  std::string text(message);
  // The loader repeats the path that stands before its message already.
  if (const size_t colon = text.find(": "); text.starts_with('/') && colon != std::string::npos) {
    text.erase(0, colon + 2);
  }
  if (text.find("libc++.so.1") != std::string::npos ||
      text.find("libc++abi.so.1") != std::string::npos) {
    text += "; install the system's package libc++1";
  }
  return text;
}

}  // namespace quantgate::verify
