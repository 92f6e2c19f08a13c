#include "tools/quantgate/program/program_beside.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <string_view>

#include "tools/quantgate/cli/common.h"

namespace quantgate::cli {
namespace {

std::string FolderOfThisProgram() {
  std::array<char, PATH_MAX> path;
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return "";
  const std::string_view whole(path.data(), static_cast<size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

int RunProgramBeside(const std::string& verb, const std::string& program,
                     const std::vector<std::string>& arguments) {
  const std::string here = FolderOfThisProgram();
  const std::string installed = here + "/" QUANTGATE_LIBEXEC "/" + program;
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments)
    words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  // Packages that move programs to a folder of their own keep the two together.
  for (const std::string& path : {installed, here + "/" + program}) {
    ::execv(path.c_str(), words.data());
    if (errno != ENOENT) return Fail(path + ": " + std::strerror(errno));
    // It is there, and what is missing is the loader that it names.
    if (::access(path.c_str(), F_OK) == 0) return Fail(path + ": needs a system with glibc");
  }
  return Fail(verb + ": " + installed + " is missing; it belongs to quantgate");
}

std::vector<std::string> ArgumentsOfThisProcess() {
  std::vector<std::string> arguments;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) arguments.push_back(argument);
  return arguments;
}

}  // namespace quantgate::cli
