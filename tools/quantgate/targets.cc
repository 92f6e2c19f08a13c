// quantgate targets
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/layout.h"
#include "quantgate/quantgate.h"
#include "tools/quantgate/common.h"
#include "tools/quantgate/output.h"
#include "tools/quantgate/overlay.h"
#include "tools/quantgate/table.h"
#include "tools/quantgate/verbs.h"

namespace quantgate::cli {
namespace {

using Json = nlohmann::ordered_json;

struct TargetsFlags {
  OpdefsFlag opdefs;
  std::string format = "text";
  ColorFlag color;
};

std::string Join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    if (!text.empty()) text += ", ";
    text += item;
  }
  return text;
}

std::string TargetsJson(const Database& database) {
  Json json = {{"schemaVersion", "1"},
               {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}}};
  json["backends"] = Json::array();
  for (const std::string& backend : database.Backends()) {
    json["backends"].push_back(
        {{"name", backend}, {"sdks", database.Sdks(backend)}, {"archs", database.Archs(backend)}});
  }
  json["socs"] = Json::array();
  for (const SocInfo& soc : database.Socs()) {
    Json entry = {{"name", soc.name}, {"otherNames", soc.other_names}, {"id", soc.id}};
    if (!soc.arch.empty()) entry["arch"] = soc.arch;
    if (soc.vtcm_mb > 0) entry["vtcmMb"] = soc.vtcm_mb;
    json["socs"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string TargetsText(const Database& database, bool color, size_t width) {
  const Painter paint(color);
  std::string text = paint(Style::kBold, "backends") + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const std::string& backend : database.Backends()) {
    rows.push_back({paint(Style::kBlue, backend, true), "SDK", Join(database.Sdks(backend))});
    if (const auto archs = database.Archs(backend); !archs.empty()) {
      rows.push_back({"", "arch", Join(archs)});
    }
  }
  text += Table(rows, 2, width);
  text += "\n" + paint(Style::kBold, "chips") + "\n";
  rows = {{"soc", "id", "arch", "vtcm", "also called"}};
  for (std::string& cell : rows[0]) cell = paint(Style::kGrey, cell);
  for (const SocInfo& soc : database.Socs()) {
    rows.push_back({paint(Style::kBlue, soc.name), std::to_string(soc.id),
                    soc.arch.empty() ? "unknown" : soc.arch,
                    soc.vtcm_mb > 0 ? std::to_string(soc.vtcm_mb) + " MB" : "",
                    Join(soc.other_names)});
  }
  return text + Table(rows, 2, width);
}

int RunTargets(const TargetsFlags& flags) {
  const absl::StatusOr<Format> format = ParseFormat(flags.format);
  if (!format.ok()) return Fail(format.status());
  absl::StatusOr<Output> output = Output::Open("");
  const absl::StatusOr<bool> color = flags.color.Decide(*output);
  if (!color.ok()) return Fail(color.status());
  const absl::StatusOr<const Database*> loaded = flags.opdefs.Load();
  if (!loaded.ok()) return Fail(loaded.status());
  const Database& database = **loaded;
  output->Write(*format == Format::kJson
                    ? TargetsJson(database)
                    : TargetsText(database, *color, static_cast<size_t>(TextWidth(*output))));
  if (const absl::Status status = output->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

}  // namespace

Verb AddTargets(CLI::App& app) {
  const auto flags = std::make_shared<TargetsFlags>();
  CLI::App* verb = app.add_subcommand("targets", "Backends, SDK versions, archs and chips known");
  verb->add_option("--format", flags->format, "text or json")
      ->capture_default_str()
      ->type_name("FORMAT");
  flags->opdefs.Add(*verb);
  flags->color.Add(*verb);
  verb->footer(
      "Examples:\n"
      "  quantgate targets\n"
      "  quantgate targets --format json");
  return {verb, [flags] { return RunTargets(*flags); }};
}

}  // namespace quantgate::cli
