// A whole model as one graph of a library, against what is predicted.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/oracle/comparison.h"
#include "core/oracle/graph_reduction.h"
#include "core/oracle/open_backend.h"
#include "core/oracle/reference.h"
#include "core/oracle/tensor_data.h"
#include "quantgate/extract.h"
#include "quantgate/lower.h"
#include "quantgate/verify_graph.h"

namespace quantgate::verify {
namespace {

// Ops whose values are put to one start of the reference.
constexpr size_t kJudgedTogether = 16;
// Beyond this part of their spread outputs differ.
constexpr double kApart = 0.05;

// The graph with every tensor that it makes as an output.
Model WithAllOutputs(Model graph) {
  std::set<TensorId> made;
  for (const Node& node : graph.nodes) made.insert(node.outputs.begin(), node.outputs.end());
  made.erase(kNoTensor);
  graph.outputs.assign(made.begin(), made.end());
  return graph;
}

std::vector<double> Numbers(const std::vector<uint8_t>& bytes, Dtype dtype) {
  TensorValues values = UnpackValues(bytes, dtype);
  if (IsFloat(dtype)) return std::move(values.reals);
  return {values.ints.begin(), values.ints.end()};
}

// Root mean square of the difference, as a part of the spread of `want`.
double Apart(const std::vector<double>& got, const std::vector<double>& want) {
  double mean = 0, spread = 0, difference = 0;
  for (const double value : want) mean += value / static_cast<double>(want.size());
  for (size_t i = 0; i < want.size() && i < got.size(); ++i) {
    spread += (want[i] - mean) * (want[i] - mean);
    difference += (got[i] - want[i]) * (got[i] - want[i]);
  }
  if (difference == 0) return 0;
  return spread > 0 ? std::sqrt(difference / spread) : 1;
}

bool Fails(const Answer& answer) {
  return SeenFailure(answer, {}) != Failure::kNone;
}

}  // namespace

bool GraphComparison::AsPredicted() const {
  return agreement == Agreement::kAgrees &&
         std::none_of(ops.nodes.begin(), ops.nodes.end(), [](const ComparedNode& op) {
           return op.judgement.values == Values::kWrong && op.constraints.empty();
         });
}

class GraphVerifier::Impl {
 public:
  Impl(OpenedBackend opened, const VerifyGraphOptions& options, const Database& database)
      : opened_(std::move(opened)),
        options_(options),
        database_(database),
        validator_(opened_.target, {.route = std::string(kDirectRoute)}, database),
        reference_(Reference::Find(options.python)) {
    ask_.prepare = ask_.execute = true;
    ask_.keep_data = !opened_.backend->info().judges_values;
    ask_.seed = options.seed;
    ask_.timeout_seconds = options.timeout_seconds;
  }

  absl::StatusOr<GraphComparison> Compare(const Model& file, std::string source) {
    GraphComparison compared;
    compared.ops = opened_.Begin(std::move(source), ask_);
    if (absl::Status status = Lowered(file, compared); !status.ok()) return status;
    Predict(compared);
    Say(absl::StrCat("one graph of ", graph_.nodes.size(), " ops"));
    absl::StatusOr<Answer> answer = Ask(graph_);
    if (!answer.ok()) return answer.status();
    compared.answer = *std::move(answer);
    if (!compared.answer.not_queried.empty()) {
      return absl::InvalidArgumentError("can't be put to the library: " + compared.answer.not_queried);
    }
    if (compared.answer[Stage::kExecute].outcome == Outcome::kOk) {
      if (absl::Status status = JudgeValues(compared); !status.ok()) return status;
    }
    compared.agreement =
        verify::Compare(compared.verdict, compared.answer, compared.judgement, Stage::kExecute);
    compared.answer.data.clear();
    kind_ = KindOf(compared.answer, WrongOps(compared.ops));
    return compared;
  }

  absl::StatusOr<ReducedGraph> Reduce() {
    if (kind_.empty()) return absl::FailedPreconditionError("nothing of it fails");
    absl::Status broken;
    size_t asked = 0;
    const auto fails = [&](const Model& part) {
      Say(absl::StrCat("reducing: ", ++asked, " graphs asked, now ", part.nodes.size(), " ops"));
      const absl::StatusOr<std::string> kind = KindOfPart(part);
      if (!kind.ok()) broken = kind.status();
      return kind.ok() && *kind == kind_;
    };
    ReducedGraph reduced;
    reduced.of = graph_.nodes.size();
    reduced.model = SmallestThatFails(graph_, fails);
    if (!broken.ok()) return broken;
    std::set<std::string> findings;
    for (const Finding& f : validator_.Check(reduced.model).findings) {
      findings.insert(f.constraint.empty() ? std::string(f.rule->code) : f.constraint.str());
    }
    reduced.findings.assign(findings.begin(), findings.end());
    return reduced;
  }

 private:
  // The ops that the route hands to the backend and that are its own, as one graph.
  absl::Status Lowered(const Model& file, GraphComparison& compared) {
    LoweredGraph lowered = Lower(file, opened_.target, options_.route, database_);
    compared.ops.route = lowered.route;
    compared.ops.notes.insert(compared.ops.notes.end(), file.notes.begin(), file.notes.end());
    std::vector<int32_t> handed;
    for (size_t i = 0; i < lowered.model.nodes.size(); ++i) {
      const bool own = lowered.model.DialectOf(lowered.model.nodes[i]) == lowered.model.dialect;
      if (own && !lowered.withheld[i]) handed.push_back(static_cast<int32_t>(i));
    }
    if (handed.empty()) return absl::InvalidArgumentError("holds no op that the backend gets");
    const size_t withheld = lowered.model.nodes.size() - handed.size();
    if (withheld > 0) {
      compared.ops.notes.push_back(absl::StrCat(withheld, " ops that the backend does not get are left out"));
    }
    graph_ = withheld == 0 ? std::move(lowered.model) : Submodel(lowered.model, handed);
    compared.ops.notes.push_back("weights and inputs are random");
    return absl::OkStatus();
  }

  void Predict(GraphComparison& compared) const {
    const Report report = validator_.Check(graph_);
    compared.verdict = report.verdict;
    AddPredicted(graph_, report, compared.ops);
  }

  absl::StatusOr<Answer> Ask(const Model& graph) const {
    const Question question{&graph, graph.nodes.size() == 1 ? 0 : Question::kWholeGraph};
    auto answers = opened_.backend->Ask({&question, 1}, ask_);
    if (!answers.ok()) return answers.status();
    return std::move(answers->front());
  }

  // Each op within a run that gives out every tensor: it is held against what it got.
  absl::StatusOr<std::vector<Judgement>> JudgeOps(const Model& tapped, const Answer& answer) const {
    std::vector<Judgement> judged;
    if (!reference_.ok() || answer[Stage::kExecute].outcome != Outcome::kOk) {
      const std::string why = reference_.ok() ? "the graph fails with every tensor as an output"
                                              : std::string(reference_.status().message());
      judged.resize(tapped.nodes.size());
      for (Judgement& one : judged) one.reason = why;
      return judged;
    }
    while (judged.size() < tapped.nodes.size()) {
      std::vector<Reference::Executed> executed;
      const size_t end = std::min(judged.size() + kJudgedTogether, tapped.nodes.size());
      for (size_t i = judged.size(); i < end; ++i) executed.push_back({&tapped, &tapped.nodes[i], &answer});
      Say(absl::StrCat("values of ", judged.size(), " of ", tapped.nodes.size(), " ops compared"));
      auto some = reference_->Judge(executed);
      if (!some.ok()) {
        Judgement unknown;
        unknown.reason = std::string(some.status().message());
        some = std::vector<Judgement>(executed.size(), unknown);
      }
      judged.insert(judged.end(), some->begin(), some->end());
    }
    return judged;
  }

  absl::Status JudgeValues(GraphComparison& compared) const {
    if (!ask_.keep_data) {
      compared.judgement = compared.answer.judgement;
      return absl::OkStatus();
    }
    Say("one graph with every tensor as an output");
    const Model tapped = WithAllOutputs(graph_);
    const absl::StatusOr<Answer> answer = Ask(tapped);
    if (!answer.ok()) return answer.status();
    const absl::StatusOr<std::vector<Judgement>> judged = JudgeOps(tapped, *answer);
    if (!judged.ok()) return judged.status();
    Judgement& worst = compared.judgement;
    for (size_t i = 0; i < judged->size(); ++i) {
      compared.ops.nodes[i].judgement = (*judged)[i];
      if (i == 0 || (*judged)[i].values > worst.values) worst = (*judged)[i];
    }
    if ((*answer)[Stage::kExecute].outcome == Outcome::kOk) {
      compared.apart = LargestApart(compared.answer, *answer);
      // Numbers that depend on what is given out are neither right nor wrong.
      if (compared.apart > kApart) worst.values = std::max(worst.values, Values::kBetween);
    }
    return absl::OkStatus();
  }

  double LargestApart(const Answer& whole, const Answer& tapped) const {
    std::set<TensorId> made;
    for (const Node& node : graph_.nodes) made.insert(node.outputs.begin(), node.outputs.end());
    double largest = -1;
    for (const auto& [id, bytes] : whole.data) {
      const auto other = tapped.data.find(id);
      if (!made.contains(id) || other == tapped.data.end()) continue;
      const Dtype dtype = graph_.tensors[static_cast<size_t>(id)].dtype;
      largest = std::max(largest, Apart(Numbers(bytes, dtype), Numbers(other->second, dtype)));
    }
    return largest;
  }

  static std::set<std::string> WrongOps(const Comparison& ops) {
    std::set<std::string> wrong;
    for (const ComparedNode& op : ops.nodes) {
      if (op.judgement.values == Values::kWrong) wrong.insert(op.op);
    }
    return wrong;
  }

  // What has to stay the same: the stage, the call and the code, or an op that computes something
  // wrong; "" = nothing fails.
  static std::string KindOf(const Answer& answer, const std::set<std::string>& wrong) {
    for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
      const StageAnswer& one = answer[stage];
      if (one.outcome == Outcome::kOk || one.outcome == Outcome::kNotQueried) continue;
      // Of op validation the step is the node.
      return absl::StrCat(OutcomeText(stage, one), " ", stage == Stage::kValidate ? "" : one.step, " ", one.code);
    }
    return wrong.empty() ? "" : "wrong " + *wrong.begin();
  }

  absl::StatusOr<std::string> KindOfPart(const Model& part) const {
    const bool values = kind_.starts_with("wrong ");
    const Model asked = values ? WithAllOutputs(part) : part;
    const absl::StatusOr<Answer> answer = Ask(asked);
    if (!answer.ok()) return answer.status();
    if (!values || Fails(*answer)) return KindOf(*answer, {});
    const absl::StatusOr<std::vector<Judgement>> judged = JudgeOps(asked, *answer);
    if (!judged.ok()) return judged.status();
    for (size_t i = 0; i < judged->size(); ++i) {
      const std::string kind = "wrong " + asked.nodes[i].op.str();
      if ((*judged)[i].values == Values::kWrong && kind == kind_) return kind;
    }
    return "";
  }

  void Say(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  const OpenedBackend opened_;
  const VerifyGraphOptions options_;
  const Database& database_;
  const Validator validator_;
  const absl::StatusOr<Reference> reference_;
  AskOptions ask_;
  Model graph_;       // compared last
  std::string kind_;  // how it fails
};

GraphVerifier::GraphVerifier(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GraphVerifier::GraphVerifier(GraphVerifier&&) noexcept = default;
GraphVerifier& GraphVerifier::operator=(GraphVerifier&&) noexcept = default;
GraphVerifier::~GraphVerifier() = default;

absl::StatusOr<GraphVerifier> GraphVerifier::Open(const std::string& library, const TargetSpec& spec,
                                                  const VerifyGraphOptions& options,
                                                  const Database& database) {
  absl::StatusOr<OpenedBackend> opened = OpenBackend(library, spec, options.python, database);
  if (!opened.ok()) return opened.status();
  return GraphVerifier(std::make_unique<Impl>(*std::move(opened), options, database));
}

absl::StatusOr<GraphComparison> GraphVerifier::Compare(Model model, std::string source) {
  return impl_->Compare(model, std::move(source));
}

absl::StatusOr<ReducedGraph> GraphVerifier::Reduce() { return impl_->Reduce(); }

}  // namespace quantgate::verify
