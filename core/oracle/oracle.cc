#include "core/oracle/oracle.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#ifdef QUANTGATE_COVERAGE
extern "C" void __gcov_dump();
#endif

namespace quantgate::verify {
namespace {

// Preparation leaks and its threads pile up: a child is replaced after this many nodes.
constexpr int kPreparedPerChild = 100;
constexpr int kProgressMs = 200;
constexpr int kCouldNotOpen = 3;  // exit status of a child whose library did not open

// What a child is at, in memory that outlives it.
struct Slot {
  std::atomic<int64_t> question;  // -1 = none
  std::atomic<int32_t> stage;
};

// Shared by all processes of one batch.
struct Board {
  std::atomic<int64_t> next;
};

enum class Kind : uint8_t { kStage, kNotQueried, kData, kOpenError, kInfo };

// A message from child to parent: the header, `step_size` bytes, `text_size` bytes.
struct Header {
  Kind kind;
  Stage stage;
  Outcome outcome;
  int32_t signal;
  int32_t tensor;
  int64_t question;
  uint64_t code;
  uint64_t step_size;
  uint64_t text_size;
};

template <typename T>
T* SharedMemory() {
  void* at = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return at == MAP_FAILED ? nullptr : new (at) T();
}

// Without what exit() does, as the clean-up of a library may crash; counters of a coverage build are written.
[[noreturn]] void EndChild(int status) {
#ifdef QUANTGATE_COVERAGE
  __gcov_dump();
#endif
  _exit(status);
}

class Channel {
 public:
  explicit Channel(int fd) : fd_(fd) {}

  void Send(Header header, std::string_view step, std::string_view text) {
    header.step_size = step.size();
    header.text_size = text.size();
    buffer_.assign(reinterpret_cast<const char*>(&header), sizeof(header));
    buffer_.append(step).append(text);
    const char* at = buffer_.data();
    size_t left = buffer_.size();
    while (left > 0) {
      const ssize_t n = write(fd_, at, left);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) EndChild(1);  // the parent is gone
      at += n;
      left -= static_cast<size_t>(n);
    }
  }
  void SendStage(int64_t question, Stage stage, const StageAnswer& answer) {
    Header header{};
    header.kind = Kind::kStage;
    header.stage = stage;
    header.outcome = answer.outcome;
    header.signal = answer.signal;
    header.code = answer.code;
    header.question = question;
    Send(header, answer.step, answer.message);
  }
  void SendText(Kind kind, int64_t question, std::string_view text) {
    Header header{};
    header.kind = kind;
    header.question = question;
    Send(header, "", text);
  }

 private:
  int fd_;
  std::string buffer_;
};

void SetTimer(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

// Children print nothing (libraries do), leave no core files and end with their parent.
void BecomeChild(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) EndChild(1);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int number : {SIGALRM, SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGFPE, SIGABRT, SIGBUS, SIGILL}) {
    signal(number, SIG_DFL);
  }
}

void Silence() {
  const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
}

struct Batch {
  const std::string& library;
  Device device;
  std::span<const Question> questions;
  const AskOptions& options;
  Board* board;
};

// A sparse tensor can't be the end of a graph, so a graph of this node alone says nothing.
bool HasSparsePort(const Model& model, const Node& node) {
  const auto sparse = [&](TensorId id) {
    return id != kNoTensor && model.tensors[static_cast<size_t>(id)].sparse >= 0;
  };
  return std::any_of(node.inputs.begin(), node.inputs.end(), sparse) ||
         std::any_of(node.outputs.begin(), node.outputs.end(), sparse);
}

void SetNative(std::vector<qnn::Tensor>& tensors, const std::vector<std::string>& names) {
  for (qnn::Tensor& tensor : tensors) {
    if (tensor.body.name != nullptr &&
        std::find(names.begin(), names.end(), tensor.body.name) != names.end()) {
      tensor.body.data_format = qnn::kHmxWeight;
    }
  }
}

void AskOne(const Batch& batch, Backend& backend, int64_t index, Slot& slot, Channel& channel) {
  const AskOptions& options = batch.options;
  const Question& question = batch.questions[static_cast<size_t>(index)];
  const auto& all = question.model->nodes;
  const auto nodes = question.node == Question::kWholeGraph
                         ? std::span(all)
                         : std::span(all).subspan(static_cast<size_t>(question.node), 1);
  const uint64_t seed = options.seed + (static_cast<uint64_t>(index) << 20);
  std::vector<OpConfig> ops;
  for (const Node& node : nodes) {
    auto op = OpConfig::Build(*question.model, node,
                              options.prepare ? ConstantData::kRandom : ConstantData::kZeros, seed);
    if (!op.ok()) {
      const absl::string_view reason = op.status().message();
      channel.SendText(Kind::kNotQueried, index, {reason.data(), reason.size()});
      return;
    }
    SetNative(op->inputs(), options.native);
    SetNative(op->outputs(), options.native);
    ops.push_back(*std::move(op));
  }
  const auto begin = [&](Stage stage) {
    slot.stage = static_cast<int32_t>(stage);
    SetTimer(options.timeout_seconds);
  };
  begin(Stage::kValidate);
  StageAnswer validated;
  for (size_t i = 0; i < ops.size() && (i == 0 || validated.outcome == Outcome::kOk); ++i) {
    validated = backend.Validate(ops[i]);
    if (validated.outcome != Outcome::kOk && ops.size() > 1) validated.step = nodes[i].name;
  }
  SetTimer(0);
  channel.SendStage(index, Stage::kValidate, validated);
  if (!options.prepare || (validated.outcome != Outcome::kOk && !options.prepare_refused)) return;
  for (const Node& node : nodes) {
    if (HasSparsePort(*question.model, node)) return;
  }
  Backend::Watch watch;
  watch.begin = begin;
  watch.done = [&](Stage stage, const StageAnswer& answer) {
    channel.SendStage(index, stage, answer);
  };
  if (options.keep_data) {
    watch.data = [&](TensorId id, const std::vector<uint8_t>& bytes) {
      Header header{};
      header.kind = Kind::kData;
      header.question = index;
      header.tensor = id;
      channel.Send(header, "", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
  }
  backend.Run(*question.model, ops, options.execute, seed, watch);
  SetTimer(0);
}

std::unique_ptr<Backend> OpenOrExit(const Batch& batch, Channel& channel) {
  auto backend = Backend::Open(batch.library, batch.device);
  if (backend.ok()) return *std::move(backend);
  const absl::string_view reason = backend.status().message();
  channel.SendText(Kind::kOpenError, -1, {reason.data(), reason.size()});
  EndChild(kCouldNotOpen);
}

// A child: takes questions until there are none. Never returns.
[[noreturn]] void Serve(const Batch& batch, Backend* opened, Slot& slot, Channel& channel) {
  std::unique_ptr<Backend> own;
  if (!opened) {
    SetTimer(batch.options.timeout_seconds);
    own = OpenOrExit(batch, channel);
    SetTimer(0);
    opened = own.get();
  }
  const auto count = static_cast<int64_t>(batch.questions.size());
  for (int served = 0; !batch.options.prepare || served < kPreparedPerChild; ++served) {
    const int64_t index = batch.board->next.fetch_add(1);
    if (index >= count) break;
    slot.stage = 0;
    slot.question = index;
    AskOne(batch, *opened, index, slot, channel);
    slot.question = -1;
  }
  EndChild(0);
}

// Keeps one child at work until no question is left; says how each one that died did.
// For op validation alone it opens the library itself, so that a new child costs only a
// fork. Preparation starts threads, which a fork does not carry over: there each child opens.
[[noreturn]] void Supervise(const Batch& batch, Slot& slot, Channel& channel) {
  Silence();
  std::unique_ptr<Backend> opened;
  if (!batch.options.prepare) opened = OpenOrExit(batch, channel);
  const auto count = static_cast<int64_t>(batch.questions.size());
  while (batch.board->next < count) {
    slot.question = -1;
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid < 0) {
      channel.SendText(Kind::kOpenError, -1, absl::StrCat("fork: ", strerror(errno)));
      EndChild(kCouldNotOpen);
    }
    if (pid == 0) {
      BecomeChild(parent);
      Serve(batch, opened.get(), slot, channel);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    const int64_t question = slot.question;
    if (question < 0) {
      if (!(WIFEXITED(status) && WEXITSTATUS(status) == kCouldNotOpen)) {
        channel.SendText(
            Kind::kOpenError, -1,
            WIFSIGNALED(status)
                ? absl::StrCat("a process dies outside of any question with signal ",
                               WTERMSIG(status))
                : absl::StrCat("a process ends early with status ", WEXITSTATUS(status)));
      }
      EndChild(kCouldNotOpen);
    }
    StageAnswer answer;
    answer.outcome = Outcome::kCrash;
    if (WIFSIGNALED(status)) {
      answer.signal = WTERMSIG(status);
      if (answer.signal == SIGALRM) answer.outcome = Outcome::kHang;
    } else {
      answer.code = static_cast<uint64_t>(WEXITSTATUS(status));
    }
    channel.SendStage(question, static_cast<Stage>(slot.stage.load()), answer);
  }
  EndChild(0);
}

// Reads messages of one supervisor as they come.
class Inbox {
 public:
  explicit Inbox(int fd) : fd_(fd) {}
  int fd() const { return fd_; }

  // False at the end of the stream.
  bool Receive() {
    char bytes[1 << 16];
    const ssize_t n = read(fd_, bytes, sizeof(bytes));
    if (n < 0 && errno == EINTR) return true;
    if (n <= 0) return false;
    pending_.append(bytes, static_cast<size_t>(n));
    return true;
  }
  template <typename Use>
  void Take(const Use& use) {
    size_t at = 0;
    Header header;
    while (pending_.size() - at >= sizeof(header)) {
      std::memcpy(&header, pending_.data() + at, sizeof(header));
      const size_t whole = sizeof(header) + header.step_size + header.text_size;
      if (pending_.size() - at < whole) break;
      const std::string_view rest(pending_.data() + at + sizeof(header), whole - sizeof(header));
      use(header, rest.substr(0, header.step_size), rest.substr(header.step_size));
      at += whole;
    }
    pending_.erase(0, at);
  }

 private:
  int fd_;
  std::string pending_;
};

void File(const Header& header, std::string_view step, std::string_view text,
          std::vector<Answer>& answers) {
  if (header.question < 0 || header.question >= static_cast<int64_t>(answers.size())) return;
  Answer& answer = answers[static_cast<size_t>(header.question)];
  if (header.kind == Kind::kNotQueried) {
    answer.not_queried = std::string(text);
  } else if (header.kind == Kind::kData) {
    answer.data[header.tensor].assign(text.begin(), text.end());
  } else if (header.kind == Kind::kStage) {
    answer[header.stage] = {header.outcome, header.signal, header.code, std::string(step),
                            std::string(text)};
  }
}

// Processes that ask in processes of their own.
struct Supervisors {
  std::vector<pid_t> pids;
  std::vector<Slot*> slots;
  std::vector<Inbox> inboxes;
};

// Fewer than `jobs` where the system gives no more.
Supervisors Start(const Batch& batch, int jobs) {
  Supervisors started;
  const pid_t parent = getpid();
  for (int job = 0; job < jobs; ++job) {
    int ends[2];
    Slot* slot = SharedMemory<Slot>();
    if (!slot || pipe2(ends, O_CLOEXEC) != 0) break;
    const pid_t pid = fork();
    if (pid == 0) {
      BecomeChild(parent);
      Channel channel(ends[1]);
      Supervise(batch, *slot, channel);
    }
    close(ends[1]);
    if (pid < 0) {
      close(ends[0]);
      munmap(slot, sizeof(Slot));
      break;
    }
    started.pids.push_back(pid);
    started.slots.push_back(slot);
    started.inboxes.emplace_back(ends[0]);
  }
  return started;
}

// Files what arrives until every inbox is closed; `failure`: why a library could not be opened.
void Collect(const Batch& batch, std::vector<Inbox>& inboxes, std::vector<Answer>& answers,
             std::string& failure) {
  const auto& progress = batch.options.progress;
  std::vector<pollfd> open;
  for (const Inbox& inbox : inboxes) open.push_back({inbox.fd(), POLLIN, 0});
  size_t left = open.size();
  while (left > 0) {
    if (poll(open.data(), open.size(), progress ? kProgressMs : -1) < 0 && errno != EINTR) break;
    if (progress) progress(std::min(static_cast<size_t>(batch.board->next.load()), answers.size()));
    for (size_t i = 0; i < open.size(); ++i) {
      if (open[i].fd < 0 || !(open[i].revents & (POLLIN | POLLHUP | POLLERR))) continue;
      if (!inboxes[i].Receive()) {
        close(open[i].fd);
        open[i].fd = -1;
        --left;
        continue;
      }
      inboxes[i].Take([&](const Header& header, std::string_view step, std::string_view text) {
        if (header.kind == Kind::kOpenError) {
          failure = std::string(text);
        } else {
          File(header, step, text, answers);
        }
      });
    }
  }
}

}  // namespace

absl::StatusOr<Oracle> Oracle::Open(std::string library, Device device) {
  Oracle oracle(std::move(library), device);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return absl::InternalError(absl::StrCat("pipe: ", strerror(errno)));
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid < 0) return absl::InternalError(absl::StrCat("fork: ", strerror(errno)));
  if (pid == 0) {
    BecomeChild(parent);
    Silence();
    SetTimer(AskOptions().timeout_seconds);
    Channel channel(ends[1]);
    AskOptions options;
    const Batch batch{oracle.library_, device, {}, options, nullptr};
    const auto backend = OpenOrExit(batch, channel);
    Header header{};
    header.kind = Kind::kInfo;
    channel.Send(header, backend->name(), backend->build_id());
    EndChild(0);
  }
  close(ends[1]);
  Inbox inbox(ends[0]);
  std::string failure;
  bool opened = false;
  while (inbox.Receive()) {
  }
  inbox.Take([&](const Header& header, std::string_view step, std::string_view text) {
    if (header.kind == Kind::kInfo) {
      opened = true;
      oracle.info_.backend = std::string(step);
      oracle.info_.build_id = std::string(text);
      oracle.info_.about = "an x86-64 library and its emulator, not a chip";
    } else if (header.kind == Kind::kOpenError) {
      failure = std::string(text);
    }
  });
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (opened) return oracle;
  if (failure.empty()) failure = absl::StrCat("the library ends the process, wait status ", status);
  return absl::InvalidArgumentError(failure);
}

absl::StatusOr<std::vector<Answer>> Oracle::Ask(std::span<const Question> questions,
                                                const AskOptions& options) const {
  std::vector<Answer> answers(questions.size());
  if (questions.empty()) return answers;
  Board* board = SharedMemory<Board>();
  if (!board) return absl::ResourceExhaustedError("no shared memory");
  board->next = 0;
  const Batch batch{library_, device_, questions, options, board};
  const int jobs = std::max(1, std::min<int>(options.jobs, static_cast<int>(questions.size())));
  Supervisors supervisors = Start(batch, jobs);
  std::string failure = supervisors.pids.empty() ? absl::StrCat("no process: ", strerror(errno)) : "";
  Collect(batch, supervisors.inboxes, answers, failure);
  for (const pid_t pid : supervisors.pids) {
    while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (Slot* slot : supervisors.slots) munmap(slot, sizeof(Slot));
  munmap(board, sizeof(Board));
  for (size_t i = 0; i < answers.size(); ++i) {
    if (answers[i].not_queried.empty() &&
        answers[i][Stage::kValidate].outcome == Outcome::kNotQueried) {
      return absl::InternalError(absl::StrCat("no answer to question ", i, ": ",
                                              failure.empty() ? "its process was ended" : failure));
    }
  }
  return answers;
}

absl::StatusOr<Answer> Oracle::Validate(const Model& model, int32_t node) const {
  const Question question{&model, node};
  auto answers = Ask({&question, 1}, {});
  if (!answers.ok()) return answers.status();
  return std::move(answers->front());
}

}  // namespace quantgate::verify
