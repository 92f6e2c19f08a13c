#include "tools/verify/reference.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "core/report/layout.h"
#include "nlohmann/json.hpp"
#include "quantgate/reader.h"
#include "tools/verify/tensor_data.h"

namespace quantgate::verify {
namespace {

using Json = nlohmann::json;
using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

bool Exists(const std::string& path) { return ::access(path.c_str(), R_OK) == 0; }

std::string FolderOfThisProgram() {
  std::string path(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  if (size <= 0) return "";
  path.resize(static_cast<size_t>(size));
  return path.substr(0, path.rfind('/'));
}

// The node alone, with the stored values of all its tensors. Tensors get names of their own:
// those of a file may be empty or alike.
std::string Request(const Reference::Executed& executed) {
  Model one;
  Node node = *executed.node;
  node.name = "n";
  std::map<TensorId, TensorId> renamed;
  const auto take = [&](TensorId& id) {
    if (id == kNoTensor) return;
    const auto [at, added] = renamed.try_emplace(id, static_cast<TensorId>(one.tensors.size()));
    if (added) {
      Tensor tensor = executed.model->tensors[static_cast<size_t>(id)];
      tensor.name = "t" + std::to_string(at->second);
      const auto data = executed.answer->data.find(id);
      tensor.values =
          data == executed.answer->data.end()
              ? nullptr
              : std::make_shared<const TensorValues>(UnpackValues(data->second, tensor.dtype));
      one.tensors.push_back(std::move(tensor));
    }
    id = at->second;
  };
  for (TensorId& id : node.inputs) take(id);
  for (TensorId& id : node.outputs) take(id);
  one.nodes.push_back(std::move(node));
  return WriteModelJson(one, 0);
}

Judgement ParseJudgement(const std::string& line) {
  Judgement judgement;
  const Json said = Json::parse(line, nullptr, false);
  if (!said.is_object()) {
    judgement.reason = "the reference says " + Printable(line, 80);
    return judgement;
  }
  if (!said.value("judged", false)) {
    judgement.reason = said.value("reason", "no float reference");
    return judgement;
  }
  const std::string result = said.value("result", "");
  judgement.values = result == ValuesName(Values::kRight)   ? Values::kRight
                     : result == ValuesName(Values::kWrong) ? Values::kWrong
                                                            : Values::kBetween;
  judgement.steps = said.value("steps", 0.0);
  judgement.fraction = said.value("fraction", 0.0);
  judgement.share = said.value("share", 0.0);
  return judgement;
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

}  // namespace

absl::StatusOr<Reference> Reference::Find(const std::string& python) {
  Reference reference;
  const std::string here = FolderOfThisProgram();
  // In a build tree below the sources, or one of several; installed.
  for (const std::string& root : {here + "/../../..", here + "/../..", here + "/.."}) {
    for (const char* folder : {"/tools/verify", "/share/quantgate"}) {
      if (!reference.folder_.empty() || !Exists(root + folder + "/reference/__main__.py")) continue;
      reference.folder_ = root + folder;
      const std::string venv = root + "/.venv/bin/python";
      reference.python_ = Exists(venv) ? venv : "python3";
    }
  }
  if (reference.folder_.empty()) {
    return absl::NotFoundError("the float reference does not lie beside this program");
  }
  if (!python.empty()) reference.python_ = python;
  return reference;
}

absl::StatusOr<std::vector<Judgement>> Reference::Judge(
    const std::vector<Executed>& executed) const {
  if (executed.empty()) return std::vector<Judgement>();
  const File in(std::tmpfile(), std::fclose), out(std::tmpfile(), std::fclose),
      errors(std::tmpfile(), std::fclose);
  if (!in || !out || !errors) {
    return absl::ResourceExhaustedError(std::string("temporary file: ") + std::strerror(errno));
  }
  for (const Executed& one : executed) {
    const std::string line = Request(one) + "\n";
    if (std::fwrite(line.data(), 1, line.size(), in.get()) != line.size()) {
      return absl::ResourceExhaustedError(std::string("temporary file: ") + std::strerror(errno));
    }
  }
  std::fflush(in.get());
  std::rewind(in.get());
  const pid_t pid = ::fork();
  if (pid < 0) return absl::ResourceExhaustedError(std::string("fork: ") + std::strerror(errno));
  if (pid == 0) {
    ::dup2(::fileno(in.get()), STDIN_FILENO);
    ::dup2(::fileno(out.get()), STDOUT_FILENO);
    ::dup2(::fileno(errors.get()), STDERR_FILENO);
    ::setenv("PYTHONPATH", folder_.c_str(), 1);
    ::setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
    ::execlp(python_.c_str(), python_.c_str(), "-m", "reference", nullptr);
    ::dprintf(STDERR_FILENO, "%s: %s\n", python_.c_str(), std::strerror(errno));
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) return absl::UnavailableError(LastLine(ReadAll(errors.get())));
  std::vector<Judgement> judgements;
  const std::string text = ReadAll(out.get());
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1) {
    judgements.push_back(ParseJudgement(text.substr(at, end - at)));
  }
  if (judgements.size() != executed.size()) {
    return absl::InternalError("the float reference answers another number of nodes");
  }
  return judgements;
}

}  // namespace quantgate::verify
