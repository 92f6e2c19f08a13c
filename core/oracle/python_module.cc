#include "core/oracle/python_module.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "absl/status/status.h"
#include "quantgate/text.h"

namespace quantgate::verify {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

bool Exists(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

std::string FolderOfThisProgram() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return "";
  path.resize(static_cast<size_t>(size));
  return path.substr(0, path.rfind('/'));
}

std::string ReadAll(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char part[1 << 16];
  while (const size_t size = std::fread(part, 1, sizeof(part), file)) text.append(part, size);
  return text;
}

// The last line says what went wrong in a Python traceback.
std::string LastLine(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const size_t line = text.rfind('\n');
  return Printable(line == std::string::npos ? text : text.substr(line + 1), 200);
}

absl::Status NoFile() {
  return absl::ResourceExhaustedError(std::string("temporary file: ") + std::strerror(errno));
}

// Its status; nullopt = it was stopped.
std::optional<int> Wait(pid_t pid, int timeout_seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(timeout_seconds);
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(pid, &status, timeout_seconds > 0 ? WNOHANG : 0);
    if (ended == pid) return status;
    if (ended < 0 && errno != EINTR) return 127;
    if (timeout_seconds == 0) continue;
    if (std::chrono::steady_clock::now() > end) break;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  ::kill(pid, SIGKILL);
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<PythonModule> PythonModule::Find(std::string name, const std::string& python) {
  PythonModule module;
  std::string file = name;
  for (char& c : file) c = c == '.' ? '/' : c;
  module.name_ = std::move(name);
  const std::string here = FolderOfThisProgram();
  // In a build tree below the sources, or one of several; installed.
  for (const std::string& root : {here + "/../../..", here + "/../..", here + "/.."}) {
    for (const char* folder : {"/tools/quantgate/python", "/share/quantgate"}) {
      const std::string path = root + folder + "/" + file;
      if (!module.folder_.empty() || (!Exists(path + "/__main__.py") && !Exists(path + ".py"))) {
        continue;
      }
      module.folder_ = root + folder;
      const std::string venv = root + "/.venv/bin/python";
      module.python_ = Exists(venv) ? venv : "python3";
    }
  }
  if (module.folder_.empty()) {
    return absl::NotFoundError(module.name_ + " does not lie beside this program");
  }
  if (!python.empty()) module.python_ = python;
  return module;
}

absl::StatusOr<std::string> PythonModule::Run(std::string_view input, int timeout_seconds) const {
  const File in(std::tmpfile(), std::fclose), out(std::tmpfile(), std::fclose),
      errors(std::tmpfile(), std::fclose);
  if (!in || !out || !errors) return NoFile();
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() ||
      std::fflush(in.get()) != 0) {
    return NoFile();
  }
  std::rewind(in.get());
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return absl::ResourceExhaustedError(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    // It ends with whoever waits for it.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(::fileno(in.get()), STDIN_FILENO);
    ::dup2(::fileno(out.get()), STDOUT_FILENO);
    ::dup2(::fileno(errors.get()), STDERR_FILENO);
    ::setenv("PYTHONPATH", folder_.c_str(), 1);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    ::execlp(python_.c_str(), python_.c_str(), "-m", name_.c_str(), nullptr);
    ::dprintf(STDERR_FILENO, "%s: %s\n", python_.c_str(), std::strerror(errno));
    ::_exit(127);
  }
  const std::optional<int> status = Wait(pid, timeout_seconds);
  if (!status) {
    return absl::DeadlineExceededError("it was stopped after " + std::to_string(timeout_seconds) +
                                       " s");
  }
  if (*status != 0) {
    std::string said = LastLine(ReadAll(errors.get()));
    return absl::UnavailableError(said.empty() ? python_ + " crashed" : said);
  }
  return ReadAll(out.get());
}

}  // namespace quantgate::verify
