// quantgate explain CODE
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/layout.h"
#include "core/types/nearest.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/markdown.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/table.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ExplainFlags {
  std::string rule, format = "text";
  bool all = false;
  ColorFlag color;
};

std::string_view StatusName(RuleStatus status) {
  switch (status) {
    case RuleStatus::kPreview:
      return "preview";
    case RuleStatus::kStable:
      return "stable";
    case RuleStatus::kDeprecated:
      return "deprecated";
  }
  return "";
}

std::string RulesJson(const std::vector<const Rule*>& rules) {
  Json json = {{"schemaVersion", "1"},
               {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}}};
  json["rules"] = Json::array();
  for (const Rule* rule : rules) {
    json["rules"].push_back({{"code", rule->code},
                             {"slug", rule->slug},
                             {"status", StatusName(rule->status)},
                             {"summary", rule->summary},
                             {"explanation", rule->explanation}});
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string RuleText(const Rule& rule, bool color, size_t width) {
  const Painter paint(color);
  std::string text = paint(Style::kRed, rule.code, true) + " " + paint(Style::kBold, rule.slug);
  if (rule.status != RuleStatus::kStable) text += " (" + std::string(StatusName(rule.status)) + ")";
  text += "\n";
  for (const std::string& line : Wrap(rule.summary, width)) text += line + "\n";
  return text + "\n" + RenderMarkdown(rule.explanation, color, width);
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

int RunExplain(const ExplainFlags& flags) {
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  if (flags.all != flags.rule.empty()) return Fail("explain: name one rule, or --all");
  std::vector<const Rule*> rules;
  if (flags.all) {
    rules.assign(AllRules().begin(), AllRules().end());
  } else if (const Rule* rule = FindRule(flags.rule)) {
    rules.push_back(rule);
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

Verb AddExplain(CLI::App& app) {
  const auto flags = std::make_shared<ExplainFlags>();
  CLI::App* verb = app.add_subcommand("explain", "A rule in full");
  verb->add_option("RULE", flags->rule, "Code or name: QG301, asymmetric-encoding");
  verb->add_flag("--all", flags->all, "List all rules; with --format json in full");
  verb->add_option("--format", flags->format, "text or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  flags->color.Add(*verb);
  verb->footer(
      "Examples:\n"
      "  quantgate explain QG301\n"
      "  quantgate explain asymmetric-encoding\n"
      "  quantgate explain --all");
  return {verb, [flags] { return RunExplain(*flags); }};
}

}  // namespace quantgate::cli
