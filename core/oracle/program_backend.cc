#include "core/oracle/program_backend.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "core/oracle/judgement_json.h"
#include "nlohmann/json.hpp"
#include "quantgate/extract.h"
#include "quantgate/reader.h"
#include "quantgate/text.h"

namespace quantgate::verify {
namespace {

using PlainJson = nlohmann::json;

constexpr std::string_view kPackage = "oracles.";
// Of the models put to one start of the program.
constexpr size_t kBatchBytes = size_t{64} << 20;
constexpr size_t kBatchQuestions = 5000;
// To start it and to load what it loads.
constexpr int kStartSeconds = 60;

absl::Status BadAnswer(std::string_view line) {
  return absl::InternalError("the program answers " + Printable(line, 80));
}

StageAnswer StageOf(const PlainJson& response) {
  StageAnswer answer;
  const std::string outcome = response.value("outcome", "");
  answer.outcome = outcome == "ok"      ? Outcome::kOk
                   : outcome == "crash" ? Outcome::kCrash
                   : outcome == "hang"  ? Outcome::kHang
                                        : Outcome::kFails;
  answer.signal = response.value("signal", 0);
  answer.step = response.value("step", "");
  answer.message = response.value("message", "");
  return answer;
}

absl::StatusOr<Answer> Parse(std::string_view line) {
  const PlainJson response = PlainJson::parse(line, nullptr, false);
  if (!response.is_object()) return BadAnswer(line);
  Answer answer;
  answer.not_queried = response.value("not_queried", "");
  for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
    const auto at = response.find(StageName(stage));
    if (at != response.end() && at->is_object()) answer[stage] = StageOf(*at);
  }
  if (answer.not_queried.empty() && answer[Stage::kValidate].outcome == Outcome::kNotQueried) {
    return BadAnswer(line);
  }
  if (const auto at = response.find("values"); at != response.end() && at->is_object()) {
    answer.judgement = ReadJudgement(*at);
  }
  return answer;
}

// The query about one node, as a line; empty with the reason where the format can't say it.
std::string LineOf(const Question& question, const std::string& arch, const AskOptions& options,
                   Answer& answer) {
  const int32_t node = question.node;
  const absl::StatusOr<std::string> file =
      node == Question::kWholeGraph ? WriteTflite(*question.model)
                                    : WriteTflite(Submodel(*question.model, {&node, 1}));
  if (!file.ok()) {
    const absl::string_view reason = file.status().message();
    answer.not_queried.assign(reason.data(), reason.size());
    return "";
  }
  PlainJson line;
  line["arch"] = arch;
  line["seconds"] = options.timeout_seconds;
  line["values"] = options.execute;
  line["seed"] = options.seed % (uint64_t{1} << 31);
  line["model"] = absl::Base64Escape(*file);
  return line.dump() + "\n";
}

}  // namespace

bool ProgramBackend::Knows(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }) &&
         PythonModule::Find(std::string(kPackage) + std::string(name), "").ok();
}

absl::StatusOr<std::unique_ptr<ProgramBackend>> ProgramBackend::Open(const std::string& name,
                                                                     const std::string& python) {
  absl::StatusOr<PythonModule> module = PythonModule::Find(std::string(kPackage) + name, python);
  if (!module.ok()) return module.status();
  std::unique_ptr<ProgramBackend> backend(new ProgramBackend(*std::move(module)));
  const absl::StatusOr<std::string> response =
      backend->module_.Run("{\"about\": true}\n", kStartSeconds);
  if (!response.ok()) return absl::InvalidArgumentError(response.status().message());
  const PlainJson about = PlainJson::parse(*response, nullptr, false);
  if (!about.is_object()) return BadAnswer(*response);
  Info& info = backend->info_;
  info.backend = about.value("backend", "");
  info.build_id = info.sdk = about.value("version", "");
  info.about = about.value("what", "");
  info.always_prepares = info.judges_values = true;
  return backend;
}

absl::StatusOr<std::vector<Answer>> ProgramBackend::Ask(std::span<const Question> questions,
                                                        const AskOptions& options) const {
  std::vector<Answer> answers(questions.size());
  for (size_t at = 0; at < questions.size();) {
    std::string lines;
    std::vector<size_t> queried;
    for (; at < questions.size() && lines.size() < kBatchBytes && queried.size() < kBatchQuestions;
         ++at) {
      const std::string line = LineOf(questions[at], arch_, options, answers[at]);
      if (line.empty()) continue;
      lines += line;
      queried.push_back(at);
    }
    if (queried.empty()) continue;
    const absl::StatusOr<std::string> response = module_.Run(lines, /*timeout_seconds=*/0);
    if (!response.ok()) return response.status();
    size_t line = 0, begin = 0;
    for (size_t end; (end = response->find('\n', begin)) != std::string::npos; begin = end + 1) {
      if (line == queried.size()) return BadAnswer("more lines than queries");
      absl::StatusOr<Answer> answer = Parse(std::string_view(*response).substr(begin, end - begin));
      if (!answer.ok()) return answer.status();
      answers[queried[line++]] = *std::move(answer);
    }
    if (line != queried.size()) return BadAnswer("fewer lines than queries");
    if (options.progress) options.progress(at);
  }
  return answers;
}

}  // namespace quantgate::verify
