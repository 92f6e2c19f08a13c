#include "tools/quantgate/log/explain_log.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/text.h"
#include "quantgate/version.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/log/log_messages.h"
#include "tools/quantgate/log/log_nodes.h"
#include "tools/quantgate/log/log_source.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostMessageBytes = size_t{1} << 20;

Json FindingJson(const LogFinding& finding) {
  Json rules = Json::array();
  if (finding.rule != nullptr) rules.push_back(finding.rule->code);
  Json json = {{"line", finding.line},      {"count", finding.count},
               {"node", finding.node},      {"op", finding.op},
               {"means", finding.means},    {"do", finding.action},
               {"causes", finding.causes},  {"effects", finding.effects},
               {"names", finding.names},    {"rules", std::move(rules)},
               {"message", finding.message}};
  if (!finding.meant.empty()) {
    Json meant = Json::array();
    for (const MeantNode& node : finding.meant) {
      meant.push_back({{"node", node.node}, {"verdict", node.verdict}, {"says", node.says}});
    }
    json["meant"] = std::move(meant);
  }
  return json;
}

std::string LogJson(const LogAnswer& answer) {
  Json json = {{"schemaVersion", kJsonSchemaVersion}, {"findings", Json::array()}};
  for (const LogFinding& finding : answer.findings)
    json["findings"].push_back(FindingJson(finding));
  json["leftOut"] = answer.left_out;
  Json lines = Json::array();
  for (const UnknownLine& line : answer.unknown) {
    lines.push_back({{"line", line.line}, {"count", line.count}, {"message", line.message}});
  }
  json["unknown"] = {{"lines", answer.unknown_lines}, {"first", std::move(lines)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Labels and what they are about, wrapped.
class Rows {
 public:
  Rows(const Painter& paint, size_t width) : paint_(paint), width_(width) {}

  void Add(std::string_view label, const std::string& words) {
    if (words.empty()) return;
    std::string start = "  " + paint_(Style::kBlue, label, true);
    for (const std::string& line : Wrap(words, width_ - 11)) {
      text += PadRight(start, 11) + line + "\n";
      start.clear();
    }
  }

  std::string text;

 private:
  const Painter& paint_;
  size_t width_;
};

std::string FindingText(const std::string& file, const LogFinding& finding, bool with_model,
                        const Painter& paint, size_t width) {
  const std::string place = fmt::format("{}:{}", Printable(file), finding.line);
  const std::string op = finding.op.empty() ? "" : " (" + finding.op + ")";
  Rows rows(paint, width);
  if (!finding.node.empty()) rows.Add("at", place);
  // What a check says of the node itself is more than any line of a log.
  if (with_model && !finding.node.empty() && finding.meant.empty()) {
    rows.Add("model", "no node or tensor of it goes by that name");
  }
  for (const MeantNode& node : finding.meant) {
    rows.Add("model",
             fmt::format("node \"{}\": {}", Printable(node.node, kNodeColumns), node.verdict));
    if (!node.says.empty()) rows.text += std::string(11, ' ') + Printable(node.says) + "\n";
  }
  rows.Add("means", finding.means);
  for (const std::string& cause : finding.causes) rows.Add("cause", cause);
  for (const std::string& effect : finding.effects) rows.Add("then", effect);
  for (const std::string& name : finding.names) rows.Add("names", name);
  rows.Add("do", finding.action);
  if (finding.rule != nullptr) {
    rows.Add("rule", fmt::format("{} {}: {}", finding.rule->code, finding.rule->slug,
                                 finding.rule->summary));
  }
  if (finding.count > 1) rows.Add("lines", fmt::format("{} are about it", finding.count));
  rows.Add("log", paint(Style::kGrey, finding.message));
  return paint(Style::kBold,
               finding.node.empty() ? place : fmt::format("node \"{}\"{}", finding.node, op)) +
         "\n" + rows.text + "\n";
}

std::string UnknownText(const LogAnswer& answer, const Painter& paint) {
  if (answer.unknown_lines == 0) return "";
  std::string text =
      fmt::format("{} {} like the message of a failure and {} unknown to quantgate:\n",
                  answer.unknown_lines, answer.unknown_lines == 1 ? "line looks" : "lines look",
                  answer.unknown_lines == 1 ? "is" : "are");
  size_t shown = 0;
  for (const UnknownLine& line : answer.unknown) {
    text += fmt::format("  line {:<5} {}\n", line.line, paint(Style::kGrey, line.message));
    shown += line.count;
  }
  if (shown < answer.unknown_lines) {
    text += fmt::format("  and {} more\n", answer.unknown_lines - shown);
  }
  return text + "\n";
}

std::string LogText(const LogFlags& flags, const LogAnswer& answer, bool color, size_t width) {
  const Painter paint(color);
  const bool with_model = !flags.model.empty();
  std::string text;
  for (const LogFinding& finding : answer.findings) {
    text += FindingText(flags.file, finding, with_model, paint, width);
  }
  if (answer.left_out > 0) {
    text += fmt::format("and {} more {} with such messages; split the log\n\n", answer.left_out,
                        answer.left_out == 1 ? "line" : "lines");
  }
  text += UnknownText(answer, paint);
  if (answer.findings.empty()) {
    return text +
           "no message that quantgate knows, of QNN, ONNX Runtime, ExecuTorch or another tool\n";
  }
  return text +
         paint(Style::kGrey,
               with_model ? "quantgate check MODEL shows all that is wrong with these nodes; "
                            "quantgate explain CODE shows a rule in full"
                          : "--model MODEL finds these nodes in a model and shows what is wrong "
                            "with them; quantgate explain CODE shows a rule in full") +
         "\n";
}

// The program's messages with those of a file before them.
absl::StatusOr<std::unique_ptr<const LogTable>> TableWith(const std::string& path) {
  std::string document;
  bool too_large = false;
  const absl::Status status = ReadLog(path, [&](std::string_view lines) {
    too_large = too_large || document.size() + lines.size() > kMostMessageBytes;
    if (!too_large) document += lines;
  });
  const std::string name = Printable(path);
  if (!status.ok()) return absl::NotFoundError(name + ": " + std::string(status.message()));
  if (too_large) return absl::ResourceExhaustedError(name + ": larger than 1 MiB");
  std::unique_ptr<const LogTable> table = LogTable::With(document, name);
  if (!table->wrong().empty()) return absl::InvalidArgumentError(table->wrong().front());
  return table;
}

// Findings about nodes that a check has something to say of come first.
void PutNodesFirst(std::vector<LogFinding>& findings) {
  std::stable_partition(findings.begin(), findings.end(), [](const LogFinding& finding) {
    return std::any_of(finding.meant.begin(), finding.meant.end(),
                       [](const MeantNode& node) { return !node.says.empty(); });
  });
}

}  // namespace

int ExplainLogFile(const LogFlags& flags) {
  if (!LogTable::Get().wrong().empty()) {
    return Fail("the table of messages is broken: " + Join(LogTable::Get().wrong(), "; "));
  }
  std::unique_ptr<const LogTable> own;
  if (!flags.messages.empty()) {
    absl::StatusOr<std::unique_ptr<const LogTable>> read = TableWith(flags.messages);
    if (!read.ok()) return Fail(read.status());
    own = *std::move(read);
  }
  LogReader reader(own ? *own : LogTable::Get());
  const absl::Status status =
      ReadLog(flags.file, [&](std::string_view lines) { reader.Read(lines); });
  if (!status.ok()) return Fail(flags.file + ": " + std::string(status.message()));
  LogAnswer answer = std::move(reader).Finish();
  if (!flags.model.empty()) {
    const absl::StatusOr<std::string> route = flags.route.Parse(Database::Embedded());
    if (!route.ok()) return Fail(route.status());
    const absl::Status found = FindInModel(flags.model, flags.target, *route, answer.findings);
    if (!found.ok()) return Fail(found);
    PutNodesFirst(answer.findings);
  }
  absl::StatusOr<Output> output = Output::Open("");
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  const auto width = static_cast<size_t>(TextWidth(*output));
  output->Write(flags.format == Format::kJson ? LogJson(answer)
                                              : LogText(flags, answer, *color, width));
  const absl::Status written = output->Commit();
  return written.ok() ? kFine : Fail(written);
}

}  // namespace quantgate::cli
