// quantgate verify INPUT… --backend-lib LIB
#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "core/lower/resolve/resolve.h"
#include "core/lower/route/route.h"
#include "core/oracle/comparison_report.h"
#include "core/oracle/known.h"
#include "core/oracle/library_path.h"
#include "core/oracle/oracle.h"
#include "core/oracle/reference.h"
#include "core/readers/file_bytes.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"
#include "quantgate/text.h"
#include "tools/quantgate/command_line.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/input.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/overlay.h"
#include "tools/quantgate/progress.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

using verify::Agreement;
using verify::Answer;
using verify::ComparedNode;
using verify::Comparison;
using verify::Stage;

// Nodes put to one start of the library; fewer where the values of all tensors are kept.
constexpr size_t kBatchNodes = 20000;
constexpr size_t kBatchExecuted = 500;
constexpr size_t kMaxKnownBytes = size_t{4} << 20;

struct VerifyFlags {
  OpdefsFlag opdefs;
  std::vector<std::string> models;
  std::string library, inputs, known, python;
  TargetSpec target;
  RouteFlag route;
  ReadFlags reading;
  bool prepare = false, execute = false, verbose = false;
  int jobs = 1, timeout = 30;
  uint64_t seed = 1;
  std::string format = "text", output;
  ColorFlag color;
};

absl::Status AtPath(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(ParseReadError(status).Text(path));
}

// The device of a target: the chip where one is named, else the arch.
absl::StatusOr<verify::Device> DeviceOf(const Target& target, const Database& database) {
  verify::Device device;
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

// Values of --inputs by name of tensor.
absl::StatusOr<Model> ReadInputs(const std::string& path) {
  std::optional<absl::StatusOr<Model>> read;
  const absl::Status status = ReadInput(path, InputFormat::kModelJson, [&](ReadModel one) {
    if (!read) read = std::move(one.model);
  });
  if (!status.ok()) return AtPath(path, status);
  if (!read) return absl::InvalidArgumentError(path + ": holds no model");
  if (!read->ok()) return AtPath(path, read->status());
  return **std::move(read);
}

absl::StatusOr<verify::KnownDifferences> ReadKnown(const std::string& path) {
  const absl::StatusOr<FileBytes> file =
      FileBytes::Open(path, [](std::string_view) { return absl::OkStatus(); });
  if (!file.ok()) return AtPath(path, file.status());
  if (file->bytes().size() > kMaxKnownBytes) {
    return absl::InvalidArgumentError(path + ": is larger than 4 MiB");
  }
  auto known = verify::KnownDifferences::Parse(file->bytes());
  if (!known.ok()) return AtPath(path, known.status());
  return known;
}

// Models wait until there are enough of them for one start of the library.
class Verifier {
 public:
  Verifier(const VerifyFlags& flags, const verify::Oracle& oracle, const Database& database,
           const Target& target, Route route, std::string library)
      : flags_(flags),
        oracle_(oracle),
        database_(database),
        target_(target),
        route_(route),
        validator_(target, {.route = Route::kDirect}, database),
        library_(std::move(library)) {
    ask_.prepare = flags.prepare || flags.execute;
    ask_.execute = ask_.keep_data = flags.execute;
    ask_.seed = flags.seed;
    ask_.timeout_seconds = flags.timeout;
    ask_.jobs = flags.jobs;
  }

  void set_inputs(const Model* inputs) { inputs_ = inputs; }
  void set_note(std::string note) { note_ = std::move(note); }
  void set_reference(absl::StatusOr<verify::Reference> reference) {
    reference_ = std::move(reference);
  }

  absl::Status Add(Model model, std::string source, std::vector<Comparison>& done) {
    auto& pending = pending_.emplace_back();
    pending.model = std::make_unique<Model>(std::move(model));
    pending.comparison = Begin(*pending.model, std::move(source));
    Predict(pending);
    nodes_ += pending.graph().nodes.size();
    return nodes_ >= (flags_.execute ? kBatchExecuted : kBatchNodes) ? Flush(done)
                                                                     : absl::OkStatus();
  }

  // Asks about everything that waits.
  absl::Status Flush(std::vector<Comparison>& done) {
    std::vector<verify::Question> questions;
    for (const Pending& pending : pending_) {
      for (const int32_t node : pending.asked) questions.push_back({&pending.graph(), node});
    }
    const std::string words = "of " + std::to_string(questions.size()) + " nodes asked";
    const Progress progress("0 " + words);
    ask_.progress = [&](size_t count) { Progress::Tell(count, words); };
    absl::StatusOr<std::vector<Answer>> answers = oracle_.Ask(questions, ask_);
    if (!answers.ok()) return answers.status();
    ask_.seed += questions.size() << 20;
    size_t at = 0;
    for (Pending& pending : pending_) {
      for (const int32_t node : pending.asked) {
        pending.comparison.nodes[static_cast<size_t>(node)].answer = std::move((*answers)[at++]);
      }
    }
    if (flags_.execute) JudgeAll();
    const Stage deepest = flags_.execute   ? Stage::kExecute
                          : flags_.prepare ? Stage::kPrepare
                                           : Stage::kValidate;
    for (Pending& pending : pending_) {
      for (ComparedNode& node : pending.comparison.nodes) {
        node.agreement = verify::Compare(node.verdict, node.answer, node.judgement, deepest);
        node.answer.data.clear();
      }
      done.push_back(std::move(pending.comparison));
    }
    pending_.clear();
    nodes_ = 0;
    return absl::OkStatus();
  }

 private:
  struct Pending {
    std::unique_ptr<Model> model;
    Resolved resolved;
    std::vector<int32_t> asked;  // nodes of the graph that the backend gets
    Comparison comparison;
    const Model& graph() const { return *resolved.graph; }
  };

  Comparison Begin(const Model& model, std::string source) const {
    Comparison comparison;
    comparison.model = std::move(source);
    comparison.backend = target_.backend();
    comparison.sdk = target_.sdk();
    comparison.arch = target_.arch();
    comparison.soc = target_.soc();
    const Route route = route_ == Route::kDefault ? DefaultRoute(model.dialect) : route_;
    comparison.route = RouteName(route);
    comparison.library = library_;
    comparison.build_id = oracle_.info().build_id;
    comparison.asked = {Stage::kValidate};
    if (ask_.prepare) comparison.asked.push_back(Stage::kPrepare);
    if (ask_.execute) comparison.asked.push_back(Stage::kExecute);
    comparison.notes = target_.notes();
    if (!note_.empty()) comparison.notes.push_back(note_);
    comparison.notes.insert(comparison.notes.end(), model.notes.begin(), model.notes.end());
    if (flags_.execute && !reference_.ok()) {
      comparison.notes.push_back("values are not judged: " +
                                 std::string(reference_.status().message()));
    }
    return comparison;
  }

  // Resolves the model and takes quantgate's verdict on each op as the backend gets it.
  void Predict(Pending& pending) {
    if (inputs_ != nullptr) GiveInputs(*pending.model);
    pending.resolved = Resolve(*pending.model, target_, database_.view());
    const Route route = route_ == Route::kDefault ? DefaultRoute(pending.model->dialect) : route_;
    ApplyRoute(route, target_, database_.view(), pending.resolved);
    const Resolved& resolved = pending.resolved;
    const Model& graph = *resolved.graph;
    const Report report = validator_.Check(graph);
    pending.comparison.nodes.resize(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
      ComparedNode& node = pending.comparison.nodes[i];
      node.name = graph.nodes[i].name;
      node.op = graph.nodes[i].op;
      node.verdict = report.nodes[i].verdict;
      node.reason = report.nodes[i].reason;
      const size_t source =
          resolved.op_source.empty() ? i : static_cast<size_t>(std::max(0, resolved.op_source[i]));
      const Node& written = pending.model->nodes[source];
      if (written.name != node.name) node.source = written.name;
      if (written.op != node.op) node.source_op = written.op;
      if (!resolved.sources.empty() &&
          resolved.sources[source].state == SourceNode::State::kRefused) {
        node.answer.not_asked = "the route does not hand it to the backend";
      } else {
        pending.asked.push_back(static_cast<int32_t>(i));
      }
    }
    for (const Finding& finding : report.findings) {
      if (finding.node_index < 0) continue;
      ComparedNode& node = pending.comparison.nodes[static_cast<size_t>(finding.node_index)];
      if (finding.consequence != node.verdict) continue;
      std::string cause =
          finding.constraint.empty() ? std::string(finding.rule->code) : finding.constraint;
      auto& causes = node.constraints;
      if (std::find(causes.begin(), causes.end(), cause) == causes.end()) {
        causes.push_back(std::move(cause));
      }
    }
  }

  void GiveInputs(Model& model) const {
    for (const Tensor& given : inputs_->tensors) {
      for (Tensor& tensor : model.tensors) {
        if (tensor.name == given.name && given.values) tensor.values = given.values;
      }
    }
  }

  void JudgeAll() {
    std::vector<verify::Reference::Executed> executed;
    std::vector<ComparedNode*> nodes;
    for (Pending& pending : pending_) {
      for (const int32_t i : pending.asked) {
        ComparedNode& node = pending.comparison.nodes[static_cast<size_t>(i)];
        if (node.answer[Stage::kExecute].outcome != verify::Outcome::kOk) continue;
        executed.push_back(
            {&pending.graph(), &pending.graph().nodes[static_cast<size_t>(i)], &node.answer});
        nodes.push_back(&node);
      }
    }
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

  const VerifyFlags& flags_;
  const verify::Oracle& oracle_;
  const Database& database_;
  const Target& target_;
  const Route route_;
  const Validator validator_;
  const std::string library_;
  verify::AskOptions ask_;
  std::string note_;
  const Model* inputs_ = nullptr;
  absl::StatusOr<verify::Reference> reference_ = absl::NotFoundError("not looked for");
  std::deque<Pending> pending_;
  size_t nodes_ = 0;
};

// Prints comparisons and remembers what they lead to.
class Printer {
 public:
  Printer(const VerifyFlags& flags, Output& output, Format format, const TextOptions& text,
          verify::KnownDifferences known)
      : flags_(flags), output_(output), format_(format), text_(text), known_(std::move(known)) {}

  void Print(std::vector<Comparison>& done) {
    for (Comparison& comparison : done) {
      known_.Mark(comparison);
      const bool alone = flags_.models.size() == 1 && comparison.model == flags_.models.front();
      if (format_ == Format::kJson) {
        output_.Write(ComparisonJson(comparison, alone ? 2 : 0) + "\n");
      } else if (alone || flags_.verbose || comparison.HasUnlistedDisagreement()) {
        // Of many models only those that disagree are worth a page.
        if (has_output_) output_.Write("\n");
        output_.Write(ComparisonText(comparison, text_));
      }
      has_output_ = true;
      ++models_;
      many_ |= !alone;
      const auto counts = comparison.Counts();
      for (size_t i = 0; i < counts.size(); ++i) totals_[i] += counts[i];
      if (comparison.HasUnlistedDisagreement()) status_ = std::max(status_, 1);
    }
    done.clear();
  }

  void Unreadable(const std::string& source, const absl::Status& status) {
    const ReadError error = ParseReadError(status);
    Fail(error.Text(source));
    status_ = kUnusable;
    if (flags_.models.size() == 1 && source == flags_.models.front()) return;
    if (format_ == Format::kJson) {
      output_.Write(ReportErrorJson(source, error.place, error.reason) + "\n");
    }
    has_output_ = true;
  }

  void Close() {
    if (many_ && format_ == Format::kText) {
      std::string line = "\n" + std::to_string(models_) + " models:";
      for (size_t i = 0; i < totals_.size(); ++i) {
        line += (i > 0 ? ", " : " ") + std::to_string(totals_[i]) + " " +
                std::string(AgreementText(static_cast<Agreement>(i)));
      }
      output_.Write(line + "\n");
    }
    for (const std::string& unused : known_.Unused()) {
      Fail(flags_.known + ": lists what no longer differs, take it out: " + unused);
      status_ = std::max(status_, 1);
    }
  }
  bool has_output() const { return has_output_; }
  int status() const { return status_; }

 private:
  const VerifyFlags& flags_;
  Output& output_;
  const Format format_;
  const TextOptions text_;
  verify::KnownDifferences known_;
  std::array<size_t, verify::kAgreementCount> totals_{};
  size_t models_ = 0;
  bool has_output_ = false, many_ = false;
  int status_ = kFine;
};

int RunVerify(VerifyFlags& flags) {
  const absl::StatusOr<Route> route = flags.route.Parse();
  if (!route.ok()) return Fail(route.status());
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<ReadOptions> input = flags.reading.Parse();
  if (!input.ok()) return Fail(input.status());
  if (std::count(flags.models.begin(), flags.models.end(), "-") > 1) {
    return Fail("standard input ('-') can be read once only");
  }
  if (!flags.inputs.empty() && !flags.execute) return Fail("--inputs: needs --execute");
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  absl::StatusOr<Target> target = Target::Parse(flags.target, **database);
  if (!target.ok()) return Fail(target.status());
  if (!target->unsupported().empty()) return Fail(target->unsupported());
  verify::KnownDifferences known;
  if (!flags.known.empty()) {
    auto read = ReadKnown(flags.known);
    if (!read.ok()) return Fail(read.status());
    known = *std::move(read);
  }
  std::optional<Model> inputs;
  if (!flags.inputs.empty()) {
    absl::StatusOr<Model> read = ReadInputs(flags.inputs);
    if (!read.ok()) return Fail(read.status());
    inputs = *std::move(read);
  }

  const absl::StatusOr<std::string> library = verify::FindLibrary(flags.library, target->backend());
  if (!library.ok()) return Fail(library.status());
  const absl::StatusOr<verify::Device> device = DeviceOf(*target, **database);
  if (!device.ok()) return Fail(device.status());
  const absl::StatusOr<verify::Oracle> oracle = verify::Oracle::Open(*library, *device);
  if (!oracle.ok()) {
    return Fail(*library + ": " + verify::ExplainLoadError(std::string(oracle.status().message())));
  }
  // Unless told otherwise, the library is of the SDK it says it is of.
  const std::string own_sdk = verify::SdkOfBuildId(oracle->info().build_id);
  std::string note;
  if (flags.target.sdk.empty() && !own_sdk.empty()) {
    flags.target.sdk = own_sdk;
    target = Target::Parse(flags.target, **database);
    if (!target.ok()) return Fail(target.status());
  } else if (!own_sdk.empty() && own_sdk != target->sdk()) {
    note = "the library is of SDK " + own_sdk + ", checked for " + target->sdk();
  }

  absl::StatusOr<Output> output = Output::Open(flags.output, flags.models);
  if (!output.ok()) return Fail(output.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  Verifier verifier(flags, *oracle, **database, *target, *route,
                    library->substr(library->rfind('/') + 1));
  verifier.set_note(note);
  if (inputs) verifier.set_inputs(&*inputs);
  if (flags.execute) verifier.set_reference(verify::Reference::Find(flags.python));
  Printer printer(flags, *output, *format,
                  {.color = *color, .verbose = flags.verbose, .width = TextWidth(*output)},
                  std::move(known));
  std::vector<Comparison> done;
  absl::Status asked;
  for (const std::string& path : flags.models) {
    const absl::Status read = ReadInput(path, *input, [&](ReadModel one) {
      if (!asked.ok()) return;
      if (one.model.ok()) {
        asked = verifier.Add(*std::move(one.model), std::move(one.source), done);
        return;
      }
      // What stands before it comes before it.
      asked = verifier.Flush(done);
      printer.Print(done);
      printer.Unreadable(one.source, one.model.status());
    });
    if (!read.ok() && asked.ok()) {
      asked = verifier.Flush(done);
      printer.Print(done);
      printer.Unreadable(path, read);
    }
  }
  if (asked.ok()) asked = verifier.Flush(done);
  if (!asked.ok()) return Fail(asked);
  printer.Print(done);
  if (!printer.has_output()) return printer.status();
  printer.Close();
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return printer.status();
}

}  // namespace

void AddVerify(CommandLine& line) {
  const auto flags = std::make_shared<VerifyFlags>();
  line.AddVerb(
      "verify", "Ask a real backend library too, and compare",
      [flags] { return RunVerify(*flags); },
      [flags](VerbFlags verb) {
        verb.Add({.name = "INPUT", .words = "Model files; '-' = standard input", .required = true},
                 flags->models);
        verb.Add(
            {.name = "--backend-lib",
             .type = "PATH",
             .words = "Backend library, such as libQnnHtp.so, or the folder of an SDK or of an "
                      "unpacked onnxruntime-qnn wheel",
             .required = true},
            flags->library);
        verb.Add({.name = "--prepare", .words = "Also prepare a graph of each node alone"},
                 flags->prepare);
        verb.Add({.name = "--execute",
                  .words = "Also run it, and judge its values against a float reference"},
                 flags->execute);
        verb.Add({.name = "--inputs",
                  .type = "FILE",
                  .words = "Model JSON whose tensors' values are used; others are random"},
                 flags->inputs);
        verb.Add({.name = "--seed", .words = "Of random values"}, flags->seed);
        verb.Add({.name = "--timeout",
                  .type = "SECONDS",
                  .words = "Seconds for one step of one node",
                  .most = 86400},
                 flags->timeout);
        verb.Add(
            {.name = "--jobs", .type = "N", .words = "Processes that ask the library", .most = 256},
            flags->jobs);
        verb.Add({.name = "--known",
                  .type = "FILE",
                  .words = "Disagreements that don't fail; one that is gone does: docs/verify.md"},
                 flags->known);
        verb.Add({.name = "--python",
                  .type = "PROGRAM",
                  .words = "Python with NumPy, for the float reference; .venv's if not given"},
                 flags->python);
        AddTargetFlags(verb, flags->target);
        flags->opdefs.Add(verb);
        flags->route.Add(verb);
        AddFormatFlag(verb, flags->format);
        AddOutputFlag(verb, flags->output);
        flags->reading.Add(verb);
        verb.Add({.name = "-v,--verbose", .words = "A table of every node"}, flags->verbose);
        flags->color.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate verify model.onnx --backend-lib libQnnHtp.so --soc SM8550\n"
            "  quantgate verify net.json --backend-lib SDK_FOLDER --arch v73 --execute\n\n"
            "The library runs in child processes: a crash or a hang of it is a result.\n"
            "The SDK is that of the library if not given.\n"
            "Exit status: 0 both agree, 1 a disagreement that isn't listed, 2 unusable input, "
            "arguments\n"
            "or library.");
      });
}

}  // namespace quantgate::cli
