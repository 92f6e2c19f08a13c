// quantgate explain CODE|ID|LOGFILE
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "quantgate/quantgate.h"
#include "quantgate/rule_evidence.h"
#include "quantgate/text.h"
#include "quantgate/version.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/input.h"
#include "tools/quantgate/cli/output.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/explain_id.h"
#include "tools/quantgate/log/explain_log.h"
#include "tools/quantgate/show/markdown.h"
#include "tools/quantgate/show/rule_examples.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainFlags {
  std::string rule, format = "text", model, messages;
  bool all = false;
  TargetSpec target;
  RouteFlag route;
  ColorFlag color;
};

Json ExamplesJson(const Rule& rule) {
  Json examples = Json::array();
  const std::optional<RuleExample> example = ExampleOf(rule);
  if (!example) return examples;
  const auto add = [&](std::string_view kind, std::string_view model, std::string_view file,
                       const std::string& target) {
    examples.push_back(
        {{"kind", kind}, {"flags", target}, {"model", Json::parse(model, nullptr, false)}});
    if (!file.empty()) examples.back()["encodings"] = Json::parse(file, nullptr, false);
  };
  add("bad", example->bad, example->bad_file, example->bad_target);
  add("good", example->good, example->good_file, example->good_target);
  return examples;
}

Json EvidenceJson(const RuleEvidence& evidence) {
  Json json = {{"basis", evidence.basis}, {"reported", Json::array()}, {"judged", Json::array()}};
  for (const RuleEvidence::Reported& r : evidence.reported) {
    json["reported"].push_back({{"where", r.where}, {"what", r.what}});
  }
  for (const RuleEvidence::Judged& j : evidence.judged) {
    json["judged"].push_back({{"example", j.example}, {"by", j.by}, {"said", j.said}});
  }
  return json;
}

std::string RulesJson(const std::vector<const Rule*>& rules) {
  Json json = {{"schemaVersion", kJsonSchemaVersion},
               {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}}};
  json["rules"] = Json::array();
  for (const Rule* rule : rules) {
    json["rules"].push_back({{"code", rule->code},
                             {"slug", rule->slug},
                             {"status", RuleStatusName(rule->status)},
                             {"summary", rule->summary},
                             {"explanation", rule->explanation},
                             {"evidence", EvidenceJson(EvidenceOf(*rule))},
                             {"examples", ExamplesJson(*rule)}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Long lists of values are cut: the models are in the JSON.
std::string Shown(const std::string& value) {
  return value.empty() ? "(not there)" : Printable(value, 60);
}

std::string ExampleText(const Rule& rule, bool color, size_t width) {
  const std::optional<RuleExample> example = ExampleOf(rule);
  if (!example) return "";
  constexpr size_t kMost = 6;
  const Painter paint(color);
  std::string text = "\n" + paint(Style::kBold, "Example") + "\n";
  std::vector<std::vector<std::string>> rows = {
      {"", paint(Style::kRed, "bad"), paint(Style::kGreen, "good")}};
  for (const RuleExample::Difference& difference : example->differences) {
    if (rows.size() > kMost) break;
    rows.push_back({Printable(difference.path), Shown(difference.bad), Shown(difference.good)});
  }
  if (example->bad_target != example->good_target) {
    rows.push_back({"flags", example->bad_target, example->good_target});
  }
  text += Table(rows, 2, width);
  if (example->differences.size() > kMost) {
    text += fmt::format("  and {} more differences\n", example->differences.size() - kMost);
  }
  const std::vector<Finding> none;
  for (const Finding& finding : example->report ? example->report->findings : none) {
    if (finding.rule != &rule) continue;
    text +=
        "\n  " + paint(Style::kGrey, "quantgate check " + example->bad_target + " says:") + "\n";
    rows = {{paint(Style::kRed, ConsequenceName(finding.consequence)), Printable(finding.message)}};
    if (!finding.found.empty()) rows.push_back({"found", Printable(finding.found)});
    if (!finding.allowed.empty()) rows.push_back({"allowed", Printable(finding.allowed)});
    for (const Fix& fix : finding.fixes) {
      rows.push_back({paint(Style::kGreen, "fix"), Printable(fix.summary)});
    }
    text += Table(rows, 2, width);
    break;
  }
  return text + "\n  " +
         paint(Style::kGrey,
               fmt::format("both models: quantgate explain {} --format json", rule.code)) +
         "\n";
}

std::string EvidenceText(const Rule& rule, bool color, size_t width) {
  const RuleEvidence evidence = EvidenceOf(rule);
  const Painter paint(color);
  std::string text;
  std::vector<std::vector<std::string>> rows;
  for (const RuleEvidence::Reported& r : evidence.reported) {
    rows.push_back({Printable(r.where), Printable(r.what)});
  }
  if (!rows.empty()) text += "\n" + paint(Style::kBold, "Evidence") + "\n" + Table(rows, 2, width);
  rows.clear();
  for (const RuleEvidence::Judged& j : evidence.judged) {
    rows.push_back({j.example.starts_with("bad") ? paint(Style::kRed, j.example)
                                                 : paint(Style::kGreen, j.example),
                    j.by.empty() ? "nobody asked" : Printable(j.by), Printable(j.said)});
  }
  if (!rows.empty()) text += "\n" + paint(Style::kBold, "Judged") + "\n" + Table(rows, 2, width);
  return text;
}

std::string RuleText(const Rule& rule, bool color, size_t width) {
  const Painter paint(color);
  std::string text = paint(Style::kRed, rule.code, true) + " " + paint(Style::kBold, rule.slug);
  if (rule.status != RuleStatus::kStable)
    text += " (" + std::string(RuleStatusName(rule.status)) + ")";
  text += "\n";
  for (const std::string& line : Wrap(rule.summary, width)) text += line + "\n";
  return text + "\n" + RenderMarkdown(rule.explanation, color, width) +
         ExampleText(rule, color, width) + EvidenceText(rule, color, width);
}

// All rules: a line each.
std::string RulesText(const std::vector<const Rule*>& rules, bool color, size_t width) {
  const Painter paint(color);
  std::vector<std::vector<std::string>> rows;
  for (const Rule* rule : rules) {
    rows.push_back({paint(Style::kRed, rule->code, true), paint(Style::kBold, rule->slug),
                    std::string(rule->summary)});
  }
  return Table(rows, 0, width) + "\n" +
         paint(Style::kGrey, "quantgate explain CODE tells a rule in full") + "\n";
}

bool IsFile(const std::string& path) {
  std::error_code error;
  return path == "-" || std::filesystem::exists(path, error);
}

int RunExplain(const ExplainFlags& flags) {
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  if (flags.all != flags.rule.empty()) return Fail("explain: name one rule or log file, or --all");
  const std::array inputs = {flags.rule, flags.model, flags.messages};
  if (std::count(inputs.begin(), inputs.end(), "-") > 1) {
    return Fail("standard input ('-') can be read once only");
  }
  std::vector<const Rule*> rules;
  if (flags.all) {
    rules.assign(AllRules().begin(), AllRules().end());
  } else if (const Rule* rule = FindRule(flags.rule)) {
    rules.push_back(rule);
  } else if (IsFile(flags.rule)) {
    return ExplainLogFile(
        {flags.rule, flags.model, flags.messages, flags.target, flags.route, flags.color, *format});
  } else if (LooksLikeId(flags.rule)) {
    return ExplainId(flags.rule, *format, flags.color);
  } else {
    std::vector<std::string_view> names;
    for (const Rule* known : AllRules()) {
      names.push_back(known->code);
      names.push_back(known->slug);
    }
    return Fail("unknown rule '" + Printable(flags.rule, 80) + "'" + DidYouMean(flags.rule, names) +
                "; quantgate explain --all lists them");
  }
  absl::StatusOr<Output> output = Output::Open("");
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  const auto width = static_cast<size_t>(TextWidth(*output));
  if (*format == Format::kJson) {
    output->Write(RulesJson(rules));
  } else if (flags.all) {
    output->Write(RulesText(rules, *color, width));
  } else {
    output->Write(RuleText(*rules.front(), *color, width));
  }
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

}  // namespace

void AddExplain(CommandLine& line) {
  const auto flags = std::make_shared<ExplainFlags>();
  line.AddVerb(
      "explain", "A rule or constraint in full, or what the messages of a log mean",
      [flags] { return RunExplain(*flags); },
      [flags](VerbFlags verb) {
        verb.Add(
            {.name = "RULE",
             .words = "Code or name, as in QG301 or asymmetric-encoding; the id of a constraint or "
                      "row, also of an earlier version; or a log of QNN, ONNX Runtime or "
                      "ExecuTorch, '-' = standard input"},
            flags->rule);
        verb.Add({.name = "--all", .words = "List all rules; with --format json in full"},
                 flags->all);
        verb.Add(
            {.name = "--model",
             .type = "FILE",
             .words = "With a log: the model it is about; its nodes are found by the log's names, "
                      "and reported with their verdicts"},
            flags->model);
        verb.Add({.name = "--messages",
                  .type = "FILE",
                  .words = "With a log: messages to know beside those of quantgate, as YAML "
                           "(docs/extending/log_message.md)"},
                 flags->messages);
        AddFormatFlag(verb, flags->format);
        flags->color.Add(verb);
        AddTargetFlags(verb, flags->target);
        flags->route.Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate explain QG301\n"
            "  quantgate explain asymmetric-encoding\n"
            "  quantgate explain --all\n"
            "  quantgate explain 'htp/Conv2d/in[1]/symmetric'\n"
            "  quantgate explain session.log\n"
            "  quantgate explain session.log --model model.onnx --soc SM8550\n"
            "  python export.py 2>&1 | quantgate explain -");
      });
}

}  // namespace quantgate::cli
