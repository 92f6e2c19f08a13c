#include "tools/quantgate/program/python_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "tools/quantgate/cli/common.h"

namespace quantgate::cli {
namespace {

// Exit status; 128 = ended by a signal.
int Wait(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string NearestPython() {
  std::string here(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", here.data(), here.size());
  if (size > 0) {
    here.resize(static_cast<size_t>(size));
    here.resize(here.rfind('/'));
    for (const char* python : {"/python", "/../../.venv/bin/python", "/../../../.venv/bin/python"}) {
      if (::access((here + python).c_str(), X_OK) == 0) return here + python;
    }
  }
  return "python3";
}

// Arguments for execvp(), valid as long as `words` is.
std::vector<char*> Pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::string ReadAll(int descriptor) {
  std::string text;
  char part[1 << 16];
  for (;;) {
    const ssize_t size = ::read(descriptor, part, sizeof part);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part, static_cast<size_t>(size));
  }
}

}  // namespace

absl::StatusOr<std::string> FindPython(const std::string& asked) {
  // A folder called quantgate where this is run is not the package.
  ::setenv("PYTHONSAFEPATH", "1", 1);
  std::string python = asked.empty() ? NearestPython() : asked;
  const absl::StatusOr<std::string> looked =
      OutputOf({python, "-c",
                "import importlib.util, sys; sys.exit(not importlib.util.find_spec('quantgate'))"});
  if (absl::IsNotFound(looked.status())) return looked.status();
  if (!looked.ok()) return absl::FailedPreconditionError(python);
  return python;
}

int BecomePythonPackage(const std::string& asked, const std::string& what, const std::string& extra,
                        const std::vector<std::string>& arguments) {
  const absl::StatusOr<std::string> python = FindPython(asked);
  if (!python.ok()) {
    const std::string why(python.status().message());
    if (absl::IsNotFound(python.status())) return Fail(why + "; --python names another");
    return Fail(what + " needs the Python package, which " + why + " doesn't have: pip install 'quantgate[" +
                extra + "]', or name another with --python");
  }
  std::vector<std::string> command = {*python, "-m", "quantgate"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ::execvp(python->c_str(), Pointers(command).data());
  return Fail(*python + ": " + std::strerror(errno));
}

absl::StatusOr<std::string> OutputOf(std::vector<std::string> command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::InternalError(std::strerror(errno));
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, command[0].c_str(), &actions, nullptr,
                                   Pointers(command).data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string output = error == 0 ? ReadAll(ends[0]) : std::string();
  ::close(ends[0]);
  if (error != 0) return absl::NotFoundError(command[0] + ": " + std::strerror(error));
  if (Wait(pid) != 0) return absl::InvalidArgumentError(output);
  return output;
}

}  // namespace quantgate::cli
