#include "tools/quantgate/check/all_socs.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "quantgate/text.h"
#include "quantgate/version.h"
#include "tools/quantgate/show/table.h"

namespace quantgate::cli {
namespace {

constexpr size_t kNameColumns = 60;
constexpr size_t kListedBlocked = 4;
constexpr size_t kListedChips = 6;

Style StyleOf(Fit fit) {
  switch (fit) {
    case Fit::kFits:
      return Style::kGreen;
    case Fit::kFallsBack:
      return Style::kYellow;
    case Fit::kFails:
      return Style::kRed;
    case Fit::kUnknown:
      return Style::kGrey;
  }
  return Style::kPlain;
}

std::string Words(Fit fit) {
  std::string text(FitName(fit));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

// "v73", "v73 no float16".
std::string NameOf(const ArchFit& fit) {
  std::string name = fit.arch.empty() ? "other" : fit.arch;
  for (const std::string& feature : fit.lacks) name += " no " + feature;
  return name;
}

int64_t CountOf(const ArchFit& fit, Consequence verdict) {
  return fit.counts[static_cast<size_t>(verdict)];
}

// Names of a list, the first few unless all are wanted.
std::string Listed(const std::vector<std::string>& names, size_t most, bool all) {
  std::string text;
  const size_t shown = all || names.size() <= most + 1 ? names.size() : most;
  for (size_t i = 0; i < shown; ++i) {
    text += (i == 0 ? "" : ", ") + Printable(names[i], kNameColumns);
  }
  if (shown < names.size()) text += fmt::format(", … {} in all", names.size());
  return text;
}

std::string Number(int64_t n) { return n == 0 ? "·" : std::to_string(n); }

}  // namespace

int SurveyExitCode(const Survey& survey) {
  // Chips of which nothing is known pass no mode.
  const bool passes = std::any_of(survey.archs.begin(), survey.archs.end(), [](const ArchFit& fit) {
    return !fit.failed && !fit.arch.empty();
  });
  return passes ? 0 : 1;
}

std::string SurveyText(const TimedSurvey& timed, const TextOptions& options) {
  const Survey& survey = timed.survey;
  const Painter paint(options.color);
  const auto width = static_cast<size_t>(std::max(options.width, 40));
  std::string text = paint(Style::kBold, Printable(timed.model, 160)) +
                     fmt::format("  {} · SDK {} · route {} · {} nodes\n\n", survey.backend,
                                 survey.sdk, survey.route, survey.nodes);
  std::vector<std::vector<std::string>> rows;
  const auto head = [&](std::string_view word) { return paint(Style::kGrey, word); };
  rows.push_back({head("arch"), head("verdict"), head("CPU"), head("wrong"), head("changed"),
                  head("graphs"), head("chips")});
  size_t chips = 0, fits = 0, falls_back = 0, fails = 0;
  for (const ArchFit& fit : survey.archs) {
    chips += fit.socs.size();
    if (fit.fit == Fit::kFits) fits += fit.socs.size();
    if (fit.fit == Fit::kFallsBack) falls_back += fit.socs.size();
    if (fit.fit == Fit::kFails) fails += fit.socs.size();
    rows.push_back({NameOf(fit),
                    paint(StyleOf(fit.fit), Words(fit.fit), true), Number(fit.cpu_nodes),
                    Number(CountOf(fit, Consequence::kWrongValues)), Number(fit.changed_nodes),
                    Number(fit.partitions), Listed(fit.socs, kListedChips, options.verbose)});
  }
  text += Table(rows, 2, width) + "\n";
  for (const ArchFit& fit : survey.archs) {
    if (fit.blocked.empty() && fit.reason.empty()) continue;
    std::string why = NameOf(fit) + ": ";
    if (!fit.reason.empty()) why += Printable(fit.reason);
    if (!fit.blocked.empty()) {
      why += fmt::format("{}{}", fit.reason.empty() ? "refused: " : ": ",
                         Listed(fit.blocked, kListedBlocked, options.verbose));
    }
    std::string start = "  ";
    for (const std::string& line : Wrap(why, width - 4)) {
      text += start + line + "\n";
      start = "    ";
    }
  }
  text += fmt::format("\n{} of {} chips fit, {} fall back to the CPU, {} fail; {:.1f} ms\n", fits,
                      chips, falls_back, fails, timed.milliseconds);
  return text;
}

std::string SurveyJson(const TimedSurvey& timed, int indent) {
  using Json = nlohmann::ordered_json;
  const Survey& survey = timed.survey;
  Json archs = Json::array();
  for (const ArchFit& fit : survey.archs) {
    Json summary = {{"nodes", survey.nodes}};
    for (int i = 0; i < kConsequenceCount; ++i) {
      summary[std::string(ConsequenceName(static_cast<Consequence>(i)))] =
          fit.counts[static_cast<size_t>(i)];
    }
    Json json = {{"arch", fit.arch},          {"fit", FitName(fit.fit)},
                 {"failed", fit.failed},      {"summary", std::move(summary)},
                 {"cpuNodes", fit.cpu_nodes}, {"changedNodes", fit.changed_nodes},
                 {"partitions", fit.partitions},      {"blocked", fit.blocked},
                 {"socs", fit.socs}};
    if (!fit.lacks.empty()) json["lacks"] = fit.lacks;
    if (!fit.reason.empty()) json["reason"] = fit.reason;
    archs.push_back(std::move(json));
  }
  const Json json = {
      {"schemaVersion", kJsonSchemaVersion}, {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}},
      {"model", timed.model},     {"target", {{"backend", survey.backend}, {"sdk", survey.sdk}}},
      {"route", survey.route},    {"milliseconds", std::round(timed.milliseconds * 1000) / 1000},
      {"archs", std::move(archs)}};
  return json.dump(indent == 0 ? -1 : indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace quantgate::cli
