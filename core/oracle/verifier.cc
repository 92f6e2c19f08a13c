// Models put to a library and to the validator, batch by batch.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "core/oracle/comparison.h"
#include "core/oracle/library_path.h"
#include "core/oracle/oracle.h"
#include "core/oracle/program_backend.h"
#include "core/oracle/reference.h"
#include "quantgate/lower.h"

namespace quantgate::verify {
namespace {

// Nodes put to one start of the library; fewer where the values of all tensors are kept.
constexpr size_t kBatchNodes = 20000;
constexpr size_t kBatchExecuted = 500;

// The device of a target: the chip where one is named, else the arch.
absl::StatusOr<Device> DeviceOf(const Target& target, const Database& database) {
  Device device;
  for (const SocInfo& soc : database.Socs()) {
    if (!target.soc().empty() && soc.name == target.soc()) {
      device.soc = static_cast<uint32_t>(soc.id);
      return device;
    }
  }
  const std::string& arch = target.arch();
  if (arch.empty()) return device;
  if (!absl::SimpleAtoi(arch.substr(1), &device.arch)) {
    return absl::InvalidArgumentError("no number in the name of the arch " + arch);
  }
  return device;
}

struct Pending {
  Model file;
  LoweredGraph lowered;
  std::vector<int32_t> asked;  // nodes of the graph that the backend gets
  Comparison comparison;
};

// What the findings of each node come from.
void AddCauses(const Report& report, Comparison& comparison) {
  for (const Finding& finding : report.findings) {
    if (finding.node_index < 0) continue;
    ComparedNode& node = comparison.nodes[static_cast<size_t>(finding.node_index)];
    if (finding.consequence != node.verdict) continue;
    std::string cause =
        finding.constraint.empty() ? std::string(finding.rule->code) : finding.constraint.str();
    auto& causes = node.constraints;
    if (std::find(causes.begin(), causes.end(), cause) == causes.end()) {
      causes.push_back(std::move(cause));
    }
  }
}

}  // namespace

class Verifier::Impl {
 public:
  Impl(std::unique_ptr<const QueriedBackend> oracle, Target target, const VerifyOptions& options, const Database& database,
       std::string library)
      : oracle_(std::move(oracle)),
        target_(std::move(target)),
        options_(options),
        database_(database),
        validator_(target_, {.route = std::string(kDirectRoute)}, database),
        library_(std::move(library)) {
    ask_.prepare = options.prepare || options.execute || oracle_->info().always_prepares;
    ask_.execute = options.execute;
    ask_.keep_data = options.execute && !oracle_->info().judges_values;
    ask_.seed = options.seed;
    ask_.timeout_seconds = options.timeout_seconds;
    ask_.jobs = options.jobs;
    if (ask_.keep_data) reference_ = Reference::Find(options.python);
  }

  void set_note(std::string note) { note_ = std::move(note); }

  absl::StatusOr<std::vector<Comparison>> Add(Model model, std::string source) {
    Pending& pending = pending_.emplace_back();
    pending.file = std::move(model);
    pending.comparison = Begin(pending.file, std::move(source));
    Predict(pending);
    nodes_ += pending.lowered.model.nodes.size();
    if (nodes_ < (options_.execute ? kBatchExecuted : kBatchNodes)) {
      return std::vector<Comparison>();
    }
    return Flush();
  }

  absl::StatusOr<std::vector<Comparison>> Flush() {
    std::vector<Question> questions;
    for (const Pending& pending : pending_) {
      for (const int32_t node : pending.asked) questions.push_back({&pending.lowered.model, node});
    }
    if (options_.progress) {
      options_.progress(0, questions.size());
      ask_.progress = [&](size_t count) { options_.progress(count, questions.size()); };
    }
    absl::StatusOr<std::vector<Answer>> answers = oracle_->Ask(questions, ask_);
    ask_.progress = nullptr;
    if (!answers.ok()) return answers.status();
    ask_.seed += questions.size() << 20;
    size_t at = 0;
    for (Pending& pending : pending_) {
      for (const int32_t node : pending.asked) {
        pending.comparison.nodes[static_cast<size_t>(node)].answer = std::move((*answers)[at++]);
      }
    }
    if (options_.execute) JudgeAll();
    return TakeCompared();
  }

 private:
  Comparison Begin(const Model& model, std::string source) const {
    Comparison comparison;
    comparison.model = std::move(source);
    comparison.backend = target_.backend();
    comparison.sdk = target_.sdk();
    comparison.arch = target_.arch();
    comparison.soc = target_.soc();
    comparison.library = library_;
    comparison.build_id = oracle_->info().build_id;
    comparison.about = oracle_->info().about;
    comparison.asked = {Stage::kValidate};
    if (ask_.prepare) comparison.asked.push_back(Stage::kPrepare);
    if (ask_.execute) comparison.asked.push_back(Stage::kExecute);
    comparison.notes = target_.notes();
    if (!note_.empty()) comparison.notes.push_back(note_);
    comparison.notes.insert(comparison.notes.end(), model.notes.begin(), model.notes.end());
    if (ask_.keep_data && !reference_.ok()) {
      comparison.notes.push_back("values are not judged: " +
                                 std::string(reference_.status().message()));
    }
    return comparison;
  }

  // Lowers the model and takes quantgate's verdict on each op as the backend gets it.
  void Predict(Pending& pending) {
    if (options_.inputs != nullptr) GiveInputs(pending.file);
    pending.lowered = Lower(pending.file, target_, options_.route, database_);
    const LoweredGraph& lowered = pending.lowered;
    pending.comparison.route = lowered.route;
    const Model& graph = lowered.model;
    const Report report = validator_.Check(graph);
    pending.comparison.nodes.resize(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      ComparedNode& node = pending.comparison.nodes[i];
      node.name = graph.nodes[i].name;
      node.op = graph.nodes[i].op;
      node.verdict = report.nodes[i].verdict;
      node.reason = report.nodes[i].reason;
      const Node& written =
          pending.file.nodes[static_cast<size_t>(std::max(0, lowered.source[i]))];
      if (written.name != node.name) node.source = written.name;
      if (written.op != node.op) node.source_op = written.op;
      if (lowered.withheld[i]) {
        node.answer.not_queried = "the route does not hand it to the backend";
      } else {
        pending.asked.push_back(static_cast<int32_t>(i));
      }
    }
    AddCauses(report, pending.comparison);
  }

  void GiveInputs(Model& model) const {
    for (const Tensor& given : options_.inputs->tensors) {
      for (Tensor& tensor : model.tensors) {
        if (tensor.name == given.name && given.values) tensor.values = given.values;
      }
    }
  }

  void JudgeAll() {
    std::vector<Reference::Executed> executed;
    std::vector<ComparedNode*> nodes;
    for (Pending& pending : pending_) {
      const Model& graph = pending.lowered.model;
      for (const int32_t i : pending.asked) {
        ComparedNode& node = pending.comparison.nodes[static_cast<size_t>(i)];
        if (!ask_.keep_data) node.judgement = node.answer.judgement;
        if (!ask_.keep_data || node.answer[Stage::kExecute].outcome != Outcome::kOk) continue;
        executed.push_back({&graph, &graph.nodes[static_cast<size_t>(i)], &node.answer});
        nodes.push_back(&node);
      }
    }
    if (executed.empty()) return;
    if (!reference_.ok()) {
      for (ComparedNode* node : nodes) node->judgement.reason = "no float reference installed";
      return;
    }
    const auto judged = reference_->Judge(executed);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (judged.ok()) {
        nodes[i]->judgement = (*judged)[i];
      } else {
        nodes[i]->judgement.reason = std::string(judged.status().message());
      }
    }
  }

  std::vector<Comparison> TakeCompared() {
    const Stage deepest = ask_.execute   ? Stage::kExecute
                          : ask_.prepare ? Stage::kPrepare
                                         : Stage::kValidate;
    std::vector<Comparison> done;
    for (Pending& pending : pending_) {
      for (ComparedNode& node : pending.comparison.nodes) {
        node.agreement = Compare(node.verdict, node.answer, node.judgement, deepest);
        node.answer.data.clear();
      }
      done.push_back(std::move(pending.comparison));
    }
    pending_.clear();
    nodes_ = 0;
    return done;
  }

  const std::unique_ptr<const QueriedBackend> oracle_;
  const Target target_;
  const VerifyOptions options_;
  const Database& database_;
  const Validator validator_;
  const std::string library_;
  AskOptions ask_;
  std::string note_;
  absl::StatusOr<Reference> reference_ = absl::NotFoundError("not looked for");
  std::deque<Pending> pending_;  // graphs are pointed at
  size_t nodes_ = 0;
};

Verifier::Verifier(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;
Verifier::~Verifier() = default;

namespace {

// What is queried, and its name in reports.
struct Opened {
  std::unique_ptr<const QueriedBackend> backend;
  std::string name;
};

absl::StatusOr<Opened> OpenLibrary(const std::string& library, const Target& target,
                                   const Database& database) {
  const absl::StatusOr<std::string> path = FindLibrary(library, target.backend());
  if (!path.ok()) return path.status();
  const absl::StatusOr<Device> device = DeviceOf(target, database);
  if (!device.ok()) return device.status();
  absl::StatusOr<Oracle> oracle = Oracle::Open(*path, *device);
  if (!oracle.ok()) {
    return absl::Status(oracle.status().code(),
                        *path + ": " + ExplainLoadError(std::string(oracle.status().message())));
  }
  return Opened{std::make_unique<Oracle>(*std::move(oracle)), path->substr(path->rfind('/') + 1)};
}

}  // namespace

absl::StatusOr<Verifier> Verifier::Open(const std::string& library, const TargetSpec& wanted,
                                        const VerifyOptions& options, const Database& database) {
  TargetSpec spec = wanted;
  std::unique_ptr<ProgramBackend> program;
  if (ProgramBackend::Knows(library)) {
    absl::StatusOr<std::unique_ptr<ProgramBackend>> found =
        ProgramBackend::Open(library, options.python);
    if (!found.ok()) return found.status();
    program = *std::move(found);
    if (spec.backend.empty()) spec.backend = program->info().backend;
    if (spec.backend != program->info().backend) {
      return absl::InvalidArgumentError(library + " is asked about the backend " +
                                        program->info().backend + ", not " + spec.backend);
    }
  }
  if (spec.backend.empty()) spec.backend = TargetSpec().backend;
  absl::StatusOr<Target> target = Target::Parse(spec, database);
  if (!target.ok()) return target.status();
  if (!target->unsupported().empty()) return absl::InvalidArgumentError(target->unsupported());
  Opened opened;
  if (program != nullptr) {
    program->set_arch(target->arch());
    opened = {std::move(program), library};
  } else {
    absl::StatusOr<Opened> found = OpenLibrary(library, *target, database);
    if (!found.ok()) return found.status();
    opened = *std::move(found);
  }
  // Unless another is wanted, the library is of the SDK it says it is of.
  const QueriedBackend::Info& info = opened.backend->info();
  const std::string own_sdk = info.sdk.empty() ? SdkOfBuildId(info.build_id) : info.sdk;
  std::string note;
  if (spec.sdk.empty() && !own_sdk.empty()) {
    TargetSpec own = spec;
    own.sdk = own_sdk;
    target = Target::Parse(own, database);
    if (!target.ok()) return target.status();
  } else if (!own_sdk.empty() && SdkOfBuildId(own_sdk) != target->sdk()) {
    note = "the library is of SDK " + own_sdk + ", checked for " + target->sdk();
  }
  auto impl = std::make_unique<Impl>(std::move(opened.backend), *std::move(target), options, database,
                                     std::move(opened.name));
  impl->set_note(std::move(note));
  return Verifier(std::move(impl));
}

absl::StatusOr<std::vector<Comparison>> Verifier::Add(Model model, std::string source) {
  return impl_->Add(std::move(model), std::move(source));
}

absl::StatusOr<std::vector<Comparison>> Verifier::Flush() { return impl_->Flush(); }

}  // namespace quantgate::verify
