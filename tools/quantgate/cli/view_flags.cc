#include "tools/quantgate/cli/view_flags.h"

#include "quantgate/version.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

std::string Dump(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<std::string_view> ViewFlags::Known() const {
  std::vector<std::string_view> known = {"text", "json", "html"};
  if (has_markdown) known.push_back("markdown");
  return known;
}

void ViewFlags::Add(VerbFlags verb) {
  verb.Add({.name = "--format",
            .type = "FORMAT",
            .words = has_markdown ? "text, json, html or markdown" : "text, json or html"},
           format);
  AddOutputFlag(verb, output);
  opdefs.Add(verb);
  color.Add(verb);
}

absl::Status ViewFlags::CheckFormat() const { return OneOf("--format", format, Known()).status(); }

int ViewFlags::Write(const Formats& formats) const {
  const absl::StatusOr<size_t> index = OneOf("--format", format, Known());
  if (!index.ok()) return Fail(index.status());
  absl::StatusOr<Output> file = Output::Open(output);
  if (!file.ok()) return Fail(file.status());
  const absl::StatusOr<bool> colored = color.Decide(*file);
  if (!colored.ok()) return Fail(colored.status());
  if (format == "json") {
    file->Write(Dump(formats.json(), 2) + "\n");
  } else if (format == "html") {
    file->Write(formats.html());
  } else if (format == "markdown") {
    file->Write(formats.markdown());
  } else {
    file->Write(formats.text({*colored, static_cast<size_t>(TextWidth(*file))}));
  }
  if (const absl::Status status = file->Commit(); !status.ok()) return Fail(status);
  return kFine;
}

Json JsonHead() {
  return {{"schemaVersion", kJsonSchemaVersion},
          {"tool", {{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}}};
}

Json TargetJson(const Target& target) {
  Json json = {{"backend", target.backend()}, {"sdk", target.sdk()}};
  if (!target.arch().empty()) json["arch"] = target.arch();
  if (!target.soc().empty()) json["soc"] = target.soc();
  return json;
}

Json KnowledgeJson(const Target& target) {
  return {{"sdk", target.knowledge_sdk()}, {"measured", target.measured()}};
}

Json SocJson(const SocInfo& soc) {
  Json json = {{"name", soc.name}, {"otherNames", soc.other_names}, {"id", soc.id}};
  if (!soc.arch.empty()) json["arch"] = soc.arch;
  if (soc.vtcm_mb > 0) json["vtcmMb"] = soc.vtcm_mb;
  if (!soc.lacks.empty()) json["lacks"] = soc.lacks;
  return json;
}

std::string TargetText(const Target& target) {
  std::string text = target.backend() + " · SDK " + target.sdk();
  if (!target.arch().empty()) text += " · " + target.arch();
  if (!target.soc().empty()) text += " · " + target.soc();
  return text;
}

std::string RangeText(const std::string& since, const std::string& until,
                      const std::string& archs) {
  std::vector<std::string> parts;
  if (!since.empty() && !until.empty()) {
    parts.push_back("SDK " + since + " to below " + until);
  } else if (!since.empty()) {
    parts.push_back("SDK " + since + "+");
  } else if (!until.empty()) {
    parts.push_back("SDK below " + until);
  }
  if (!archs.empty()) parts.push_back(archs);
  return Join(parts);
}

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string HtmlPage(const Page& page) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<meta name=\"generator\" content=\"quantgate " QUANTGATE_VERSION "\">\n<title>";
  html += Escaped(page.title);
  html += "</title>\n<style>\n";
  html += kPageCss;
  html += page.style;
  html += "</style>\n</head>\n<body>\n";
  html += page.body;
  if (!page.script.empty()) {
    html += "\n<script>\n";
    html += page.script;
    html += "</script>";
  }
  return html + "\n</body>\n</html>\n";
}

std::string JsonElement(std::string_view id, const Json& json) {
  std::string element = "<script type=\"application/json\" id=\"" + std::string(id) + "\">";
  // "</script>" within a text would end the element.
  for (const char c : Dump(json, -1)) {
    if (c == '<') {
      element += "\\u003c";
    } else {
      element += c;
    }
  }
  return element + "</script>";
}

}  // namespace quantgate::cli
