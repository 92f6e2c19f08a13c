#include "tools/quantgate/verify/verify.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "quantgate/quantgate.h"
#include "quantgate/record.h"
#include "quantgate/verify.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/show/progress.h"
#include "tools/quantgate/verify/verify_graph.h"
#include "tools/quantgate/verify/verify_graph_library.h"

namespace quantgate::cli {
namespace {

using verify::Agreement;
using verify::Comparison;

absl::Status AtPath(const std::string& path, const absl::Status& status) {
  return absl::InvalidArgumentError(ParseReadError(status).Text(path));
}

// The line that says how far the library has been queried; wiped after each batch.
class AskingLine {
 public:
  void Tell(size_t asked, size_t of) {
    const std::string words = "of " + std::to_string(of) + " nodes asked";
    if (!progress_) progress_.emplace("0 " + words);
    Progress::Tell(asked, words);
  }
  void Wipe() { progress_.reset(); }

 private:
  std::optional<Progress> progress_;
};

// Prints comparisons and remembers what they lead to.
class Printer {
 public:
  Printer(const VerifyFlags& flags, Output& output, Format format, const TextOptions& text,
          verify::KnownDifferences known)
      : flags_(flags), output_(output), format_(format), text_(text), known_(std::move(known)) {}

  void Print(std::vector<Comparison> done) {
    for (Comparison& comparison : done) {
      if (!flags_.record.empty()) recorder_.Add(comparison);
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
  const verify::Recorder& recorder() const { return recorder_; }
  bool has_output() const { return has_output_; }
  int status() const { return status_; }

 private:
  const VerifyFlags& flags_;
  Output& output_;
  const Format format_;
  const TextOptions text_;
  verify::KnownDifferences known_;
  std::array<size_t, verify::kAgreementCount> totals_{};
  verify::Recorder recorder_;
  size_t models_ = 0;
  bool has_output_ = false, many_ = false;
  int status_ = kFine;
};

// Puts all inputs to the library; an error only where it can't be queried.
absl::Status AskAll(const VerifyFlags& flags, const ReadOptions& reading,
                    verify::Verifier& verifier, AskingLine& line, Printer& printer) {
  absl::Status asked;
  const auto print = [&](absl::StatusOr<std::vector<Comparison>> done) {
    line.Wipe();
    if (done.ok()) {
      printer.Print(*std::move(done));
    } else {
      asked = done.status();
    }
  };
  for (const std::string& path : flags.models) {
    const absl::Status read = ReadModels(path, reading, [&](ReadModel one) {
      if (!asked.ok()) return;
      if (one.model.ok()) {
        return print(verifier.Add(*std::move(one.model), std::move(one.source)));
      }
      // What stands before it comes before it.
      print(verifier.Flush());
      printer.Unreadable(one.source, one.model.status());
    });
    if (!read.ok() && asked.ok()) {
      print(verifier.Flush());
      printer.Unreadable(path, read);
    }
  }
  if (asked.ok()) print(verifier.Flush());
  return asked;
}

absl::Status WriteRecord(const VerifyFlags& flags, const verify::Recorder& recorder) {
  if (flags.record.empty() || recorder.empty()) return absl::OkStatus();
  absl::StatusOr<Output> output = Output::Open(flags.record, flags.models);
  if (!output.ok()) return output.status();
  output->Write(recorder.Json());
  return output->Commit();
}

int RunGraph(const VerifyFlags& flags) {
  if (!flags.library.empty()) return RunVerifyGraphLibrary(flags);
  for (const char* name : {"--prepare", "--execute", "--known", "--jobs", "--route", "--record"}) {
    if (flags.parser->Given(name)) return Fail(std::string(name) + ": is not for --graph");
  }
  return RunVerifyGraph({.models = flags.models,
                         .target = flags.target,
                         .python = flags.python,
                         .inputs = flags.inputs,
                         .format = flags.format,
                         .output = flags.output,
                         .seed = flags.seed,
                         .timeout_seconds = flags.parser->Given("--timeout") ? flags.timeout : 0,
                         .reduce = flags.reduce,
                         .verbose = flags.verbose});
}

// What the flags contradict each other in; OK where they don't.
absl::Status CheckFlagsOf(const VerifyFlags& flags) {
  if (std::count(flags.models.begin(), flags.models.end(), "-") > 1) {
    return absl::InvalidArgumentError("standard input ('-') can be read once only");
  }
  if (!flags.inputs.empty() && !flags.execute) {
    return absl::InvalidArgumentError("--inputs: needs --execute");
  }
  if (flags.record == "-") {
    return absl::InvalidArgumentError("--record: takes a file, not standard output");
  }
  return absl::OkStatus();
}

// None without a file.
absl::StatusOr<verify::KnownDifferences> ReadKnown(const std::string& path) {
  if (path.empty()) return verify::KnownDifferences();
  return verify::KnownDifferences::Read(path);
}

}  // namespace

int RunVerify(const VerifyFlags& flags) {
  if (flags.graph) return RunGraph(flags);
  if (flags.reduce) return Fail("--reduce: needs --graph");
  if (flags.library.empty()) {
    return Fail("--backend-lib is required; without it --graph asks ONNX Runtime's provider");
  }
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  const absl::StatusOr<ReadOptions> input = flags.reading.Parse();
  if (!input.ok()) return Fail(input.status());
  if (const absl::Status status = CheckFlagsOf(flags); !status.ok()) return Fail(status);
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  const absl::StatusOr<std::string> route = flags.route.Parse(**database);
  if (!route.ok()) return Fail(route.status());
  TargetSpec spec = flags.target;
  if (!flags.parser->Given("--backend")) spec.backend.clear();  // the library's
  absl::StatusOr<verify::KnownDifferences> known = ReadKnown(flags.known);
  if (!known.ok()) return Fail(AtPath(flags.known, known.status()));
  std::optional<Model> inputs;
  if (!flags.inputs.empty()) {
    absl::StatusOr<Model> read = ReadOnlyModel(flags.inputs, InputFormat::kModelJson);
    if (!read.ok()) return Fail(read.status());
    inputs = *std::move(read);
  }

  AskingLine line;
  absl::StatusOr<verify::Verifier> verifier = verify::Verifier::Open(
      flags.library, spec,
      {.route = *route,
       .prepare = flags.prepare,
       .execute = flags.execute,
       .inputs = inputs ? &*inputs : nullptr,
       .seed = flags.seed,
       .timeout_seconds = flags.timeout,
       .jobs = flags.jobs,
       .python = flags.python,
       .record = !flags.record.empty(),
       .progress = [&](size_t asked, size_t of) { line.Tell(asked, of); }},
      **database);
  if (!verifier.ok()) return Fail(verifier.status());
  absl::StatusOr<Output> output = Output::Open(flags.output, flags.models);
  if (!output.ok()) return Fail(output.status());
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  Printer printer(flags, *output, *format,
                  {.color = *color, .verbose = flags.verbose, .width = TextWidth(*output)},
                  *std::move(known));
  const absl::Status asked = AskAll(flags, *input, *verifier, line, printer);
  if (!asked.ok()) return Fail(asked);
  if (!printer.has_output()) return printer.status();
  printer.Close();
  if (const absl::Status status = WriteRecord(flags, printer.recorder()); !status.ok()) {
    return Fail(status);
  }
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return printer.status();
}

}  // namespace quantgate::cli
