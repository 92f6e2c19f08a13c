// qg-oracle: asks a QNN backend library about every node of the given models, or about each model
// as one graph; one JSON line each.
#include <cstdio>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/oracle/answer_json.h"
#include "core/oracle/oracle.h"
#include "quantgate/reader.h"

namespace quantgate::verify {
namespace {

constexpr int kUnusable = 2;
// Nodes put to one start of the library.
constexpr size_t kBatchNodes = 20000;

int Fail(const std::string& reason) {
  std::fprintf(stderr, "error: %s\n", reason.c_str());
  return kUnusable;
}

struct Pending {
  std::string source;
  Model model;
};

class Asker {
 public:
  Asker(const Oracle& oracle, const AskOptions& options, bool graph)
      : oracle_(oracle), options_(options), graph_(graph) {}

  void Add(std::string source, Model model) {
    nodes_ += model.nodes.size();
    pending_.push_back({std::move(source), std::move(model)});
    if (nodes_ >= kBatchNodes) Flush();
  }

  // Asks about everything added since and prints the answers.
  void Flush() {
    if (!status_.ok() || pending_.empty()) return;
    std::vector<Question> questions;
    questions.reserve(nodes_);
    for (const Pending& pending : pending_) {
      if (graph_ && !pending.model.nodes.empty()) {
        questions.push_back({&pending.model, Question::kWholeGraph});
        continue;
      }
      for (size_t i = 0; i < pending.model.nodes.size(); ++i) {
        questions.push_back({&pending.model, static_cast<int32_t>(i)});
      }
    }
    const auto answers = oracle_.Ask(questions, options_);
    if (!answers.ok()) {
      status_ = answers.status();
      return;
    }
    size_t at = 0;
    for (const Pending& pending : pending_) {
      for (const Node& node : pending.model.nodes) {
        if (graph_ && &node != &pending.model.nodes.front()) break;
        const std::string line = AnswerLine(pending.source, pending.model, node, (*answers)[at++]);
        std::fwrite(line.data(), 1, line.size(), stdout);
        std::fputc('\n', stdout);
      }
    }
    std::fflush(stdout);
    // The children of the next batch start with another part of the seed's sequence.
    options_.seed += questions.size() << 20;
    pending_.clear();
    nodes_ = 0;
  }
  const absl::Status& status() const { return status_; }

 private:
  const Oracle& oracle_;
  AskOptions options_;
  const bool graph_;
  std::deque<Pending> pending_;
  size_t nodes_ = 0;
  absl::Status status_;
};

struct Flags {
  std::string library, arch;
  std::vector<std::string> inputs;
  Device device;
  AskOptions options;
  bool graph = false;
};

void AddFlags(CLI::App& app, Flags& flags) {
  AskOptions& options = flags.options;
  app.add_option("--backend-lib", flags.library, "backend library, such as libQnnHtp.so")->required();
  app.add_option("--arch", flags.arch, "HTP arch, such as v73");
  app.add_option("--soc", flags.device.soc, "SoC id, such as 43; wins over --arch");
  app.add_flag("--prepare", options.prepare,
               "also make and finalize a graph of each accepted node");
  app.add_flag("--execute", options.execute, "also execute that graph (implies --prepare)");
  app.add_flag("--dump", options.keep_data,
               "print the stored values of all tensors (implies --execute)");
  app.add_flag("--prepare-refused", options.prepare_refused,
               "prepare refused nodes too (implies --prepare)");
  app.add_flag("--graph", flags.graph,
               "ask about each model as one graph; the answer is its first node's");
  app.add_option("--native", options.native,
                 "hand the tensor of this name over in the matrix unit's layout; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--seed", options.seed, "of values nobody gave");
  app.add_option("--timeout", options.timeout_seconds, "seconds for one stage of one node")
      ->check(CLI::Range(1, 86400));
  app.add_option("--jobs", options.jobs, "processes")->check(CLI::Range(1, 256));
  app.add_option("input", flags.inputs, "Model .json or .jsonl of dialect qnn; - = stdin")->required();
}

int Run(int argc, char** argv) {
  CLI::App app("Asks a QNN backend library about every node of the given models");
  Flags flags;
  AddFlags(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return Fail(error.what());
  }
  Device& device = flags.device;
  if (!flags.arch.empty()) {
    if (!absl::SimpleAtoi(absl::StripPrefix(flags.arch, "v"), &device.arch) || device.arch == 0) {
      return Fail(absl::StrCat("--arch ", flags.arch, ": expected a name such as v73"));
    }
  }
  AskOptions& options = flags.options;
  options.execute |= options.keep_data;
  options.prepare |= options.execute || options.prepare_refused;

  const auto oracle = Oracle::Open(flags.library, device);
  if (!oracle.ok()) {
    return Fail(absl::StrCat(flags.library, ": ", oracle.status().message()));
  }
  std::fprintf(stderr, "%s %s\n", oracle->info().backend.c_str(), oracle->info().build_id.c_str());
  Asker asker(*oracle, options, flags.graph);
  int exit_code = 0;
  for (const std::string& input : flags.inputs) {
    const absl::Status read = ReadInput(input, std::nullopt, [&](ReadModel read_model) {
      if (read_model.model.ok()) {
        asker.Add(std::move(read_model.source), *std::move(read_model.model));
      } else {
        exit_code = Fail(absl::StrCat(read_model.source, ":", read_model.model.status().message()));
      }
    });
    if (!read.ok()) exit_code = Fail(absl::StrCat(input, ": ", read.message()));
  }
  asker.Flush();
  if (!asker.status().ok()) return Fail(std::string(asker.status().message()));
  return exit_code;
}

}  // namespace
}  // namespace quantgate::verify

int main(int argc, char** argv) { return quantgate::verify::Run(argc, argv); }
