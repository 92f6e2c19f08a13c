// quantgate targets
#include <memory>
#include <string>
#include <vector>

#include "quantgate/quantgate.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/command_line.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/verbs.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/table.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

Json TargetsJson(const Database& database) {
  Json json = JsonHead();
  json["backends"] = Json::array();
  for (const std::string& backend : database.Backends()) {
    json["backends"].push_back(
        {{"name", backend}, {"sdks", database.Sdks(backend)}, {"archs", database.Archs(backend)}});
  }
  json["socs"] = Json::array();
  for (const SocInfo& soc : database.Socs()) json["socs"].push_back(SocJson(soc));
  return json;
}

std::string TargetsHtml(const Database& database) {
  Page page;
  page.title = "quantgate: targets";
  std::string& body = page.body;
  body =
      "<div class=\"page\"><header><h1>Targets</h1>\n<p class=\"soft\">Backends, SDK versions "
      "with knowledge of their own, architectures and chips.</p></header>\n"
      "<h2>Backends</h2>\n<div class=\"wide\"><table><thead><tr><th>backend</th><th>SDK</th>"
      "<th>arch</th></tr></thead><tbody>\n";
  for (const std::string& backend : database.Backends()) {
    body += "<tr><td class=\"name\"><b>" + Escaped(backend) + "</b></td><td>" +
            Escaped(Join(database.Sdks(backend))) + "</td><td>" +
            Escaped(Join(database.Archs(backend))) + "</td></tr>\n";
  }
  body +=
      "</tbody></table></div>\n<h2>Chips</h2>\n<div class=\"bar\"><input type=\"search\" "
      "placeholder=\"Name, id, arch…\" aria-label=\"Filter\"><output id=\"found\" "
      "class=\"soft\"></output></div>\n<div class=\"wide\"><table><thead><tr><th>soc</th>"
      "<th>id</th><th>arch</th><th>VTCM</th><th>lacks</th><th>also called</th></tr></thead><tbody>\n";
  for (const SocInfo& soc : database.Socs()) {
    const std::string others = Join(soc.other_names), id = std::to_string(soc.id);
    body += "<tr data-find=\"" + Escaped(soc.name + " " + id + " " + soc.arch + " " + others) +
            "\"><td class=\"name\"><b>" + Escaped(soc.name) + "</b></td><td>" + id + "</td><td>" +
            (soc.arch.empty() ? "unknown" : Escaped(soc.arch)) + "</td><td>" +
            (soc.vtcm_mb > 0 ? std::to_string(soc.vtcm_mb) + " MB" : "") + "</td><td>" +
            Escaped(Join(soc.lacks)) + "</td><td>" + Escaped(others) + "</td></tr>\n";
  }
  body += "</tbody></table></div></div>";
  page.style = kListCss;
  page.script = kListJs;
  return HtmlPage(page);
}

std::string TargetsText(const Database& database, const Paper& paper) {
  const Painter paint(paper.color);
  std::string text = paint(Style::kBold, "backends") + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const std::string& backend : database.Backends()) {
    rows.push_back({paint(Style::kBlue, backend, true), "SDK", Join(database.Sdks(backend))});
    if (const auto archs = database.Archs(backend); !archs.empty()) {
      rows.push_back({"", "arch", Join(archs)});
    }
  }
  text += Table(rows, 2, paper.width);
  text += "\n" + paint(Style::kBold, "chips") + "\n";
  rows = {{"soc", "id", "arch", "vtcm", "lacks", "also called"}};
  for (std::string& cell : rows[0]) cell = paint(Style::kGrey, cell);
  for (const SocInfo& soc : database.Socs()) {
    rows.push_back({paint(Style::kBlue, soc.name), std::to_string(soc.id),
                    soc.arch.empty() ? "unknown" : soc.arch,
                    soc.vtcm_mb > 0 ? std::to_string(soc.vtcm_mb) + " MB" : "",
                    Join(soc.lacks), Join(soc.other_names)});
  }
  return text + Table(rows, 2, paper.width);
}

int RunTargets(const ViewFlags& flags) {
  if (const absl::Status format = flags.CheckFormat(); !format.ok()) return Fail(format);
  const absl::StatusOr<const Database*> database = flags.opdefs.Load();
  if (!database.ok()) return Fail(database.status());
  return flags.Write({.text = [&](const Paper& paper) { return TargetsText(**database, paper); },
                      .json = [&] { return TargetsJson(**database); },
                      .html = [&] { return TargetsHtml(**database); },
                      .markdown = {}});
}

}  // namespace

void AddTargets(CommandLine& line) {
  const auto flags = std::make_shared<ViewFlags>();
  line.AddVerb(
      "targets", "Backends, SDK versions, archs and chips known",
      [flags] { return RunTargets(*flags); },
      [flags](VerbFlags verb) {
        flags->Add(verb);
        verb.Footer(
            "Examples:\n"
            "  quantgate targets\n"
            "  quantgate targets --format json");
      });
}

}  // namespace quantgate::cli
