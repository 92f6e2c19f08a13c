// Models put to a library and to the validator, batch by batch.
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "core/oracle/comparison.h"
#include "core/oracle/one_op.h"
#include "core/oracle/open_backend.h"
#include "core/oracle/reference.h"
#include "quantgate/lower.h"

namespace quantgate::verify {
namespace {

// Nodes put to one start of the library; fewer where the values of all tensors are kept.
constexpr size_t kBatchNodes = 20000;
constexpr size_t kBatchExecuted = 500;

}  // namespace

class Verifier::Impl {
  struct Pending {
    Model file;
    LoweredGraph lowered;
    std::vector<int32_t> asked;  // nodes of the graph that the backend gets
    Comparison comparison;
  };

 public:
  Impl(OpenedBackend opened, const VerifyOptions& options, const Database& database)
      : opened_(std::move(opened)),
        options_(options),
        database_(database),
        validator_(opened_.target, {.route = std::string(kDirectRoute)}, database) {
    ask_.prepare = options.prepare || options.execute || opened_.backend->info().always_prepares;
    ask_.execute = options.execute;
    ask_.keep_data = options.execute && !opened_.backend->info().judges_values;
    ask_.seed = options.seed;
    ask_.timeout_seconds = options.timeout_seconds;
    ask_.jobs = options.jobs;
    if (ask_.keep_data) reference_ = Reference::Find(options.python);
  }

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
      for (const int32_t node : pending.asked) questions.push_back(QuestionOf(pending, node));
    }
    if (options_.progress) {
      options_.progress(0, questions.size());
      ask_.progress = [&](size_t count) { options_.progress(count, questions.size()); };
    }
    absl::StatusOr<std::vector<Answer>> answers = opened_.backend->Ask(questions, ask_);
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
    Comparison comparison = opened_.Begin(std::move(source), ask_);
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
    pending.lowered = Lower(pending.file, opened_.target, options_.route, database_);
    const LoweredGraph& lowered = pending.lowered;
    pending.comparison.route = lowered.route;
    const Model& graph = lowered.model;
    AddPredicted(graph, validator_.Check(graph), pending.comparison);
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      ComparedNode& node = pending.comparison.nodes[i];
      const Node& written =
          pending.file.nodes[static_cast<size_t>(std::max(0, lowered.source[i]))];
      if (written.name != node.name) node.source = written.name;
      if (written.op != node.op) node.source_op = written.op;
      if (lowered.withheld[i]) {
        node.answer.not_queried = "the route does not hand it to the backend";
      } else {
        pending.asked.push_back(static_cast<int32_t>(i));
        if (options_.record) {
          node.alone = std::make_shared<const Model>(CutOne(graph, graph.nodes[i]).model);
        }
      }
    }
  }

  static Question QuestionOf(const Pending& pending, int32_t node) {
    const auto& alone = pending.comparison.nodes[static_cast<size_t>(node)].alone;
    return alone != nullptr ? Question{alone.get(), 0} : Question{&pending.lowered.model, node};
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
      for (const int32_t i : pending.asked) {
        ComparedNode& node = pending.comparison.nodes[static_cast<size_t>(i)];
        if (!ask_.keep_data) node.judgement = node.answer.judgement;
        if (!ask_.keep_data || node.answer[Stage::kExecute].outcome != Outcome::kOk) continue;
        const Question asked = QuestionOf(pending, i);
        executed.push_back({asked.model, &asked.model->nodes[static_cast<size_t>(asked.node)], &node.answer});
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

  const OpenedBackend opened_;
  const VerifyOptions options_;
  const Database& database_;
  const Validator validator_;
  AskOptions ask_;
  absl::StatusOr<Reference> reference_ = absl::NotFoundError("not looked for");
  std::deque<Pending> pending_;  // graphs are pointed at
  size_t nodes_ = 0;
};

Verifier::Verifier(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Verifier::Verifier(Verifier&&) noexcept = default;
Verifier& Verifier::operator=(Verifier&&) noexcept = default;
Verifier::~Verifier() = default;

absl::StatusOr<Verifier> Verifier::Open(const std::string& library, const TargetSpec& spec,
                                        const VerifyOptions& options, const Database& database) {
  absl::StatusOr<OpenedBackend> opened = OpenBackend(library, spec, options.python, database);
  if (!opened.ok()) return opened.status();
  return Verifier(std::make_unique<Impl>(*std::move(opened), options, database));
}

absl::StatusOr<std::vector<Comparison>> Verifier::Add(Model model, std::string source) {
  return impl_->Add(std::move(model), std::move(source));
}

absl::StatusOr<std::vector<Comparison>> Verifier::Flush() { return impl_->Flush(); }

}  // namespace quantgate::verify
