// What the verbs that show the database share: formats, -o, colours, JSON heads, HTML pages.
#ifndef QUANTGATE_TOOLS_QUANTGATE_CLI_VIEW_FLAGS_H_
#define QUANTGATE_TOOLS_QUANTGATE_CLI_VIEW_FLAGS_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "quantgate/database.h"
#include "quantgate/target.h"
#include "quantgate/text.h"
#include "tools/quantgate/cli/common.h"
#include "tools/quantgate/cli/database_flags.h"

namespace quantgate::cli {

using Json = nlohmann::ordered_json;

// How to print to where the output goes.
struct Paper {
  bool color = false;
  size_t width = 100;
};

// Makes the output in each format that the verb knows; an empty function = the verb doesn't.
struct Formats {
  std::function<std::string(const Paper&)> text;
  std::function<Json()> json;
  std::function<std::string()> html, markdown;
};

struct ViewFlags {
  DatabaseFlags opdefs;
  std::string format = "text", output;
  ColorFlag color;
  bool has_markdown = false;

  void Add(VerbFlags verb);
  // The index of --format is checked before the database is loaded and anything is computed.
  absl::Status CheckFormat() const;
  // Writes `formats` as asked for; the exit status.
  int Write(const Formats& formats) const;

 private:
  std::vector<std::string_view> Known() const;
};

// {"schemaVersion", "tool"}
Json JsonHead();
Json TargetJson(const Target& target);
Json KnowledgeJson(const Target& target);
Json SocJson(const SocInfo& soc);

// "htp · SDK 2.51 · v73 · SM8550"
std::string TargetText(const Target& target);
// "SDK 2.25+, v73+", "SDK below 2.47", "" = always.
std::string RangeText(const std::string& since, const std::string& until, const std::string& archs);

// Text fit for HTML, also within double quotes.
std::string Escaped(std::string_view text);
// A whole page: needs nothing from elsewhere, dark and light. `style` and `script` are added to
// what every page has; `body` is HTML.
struct Page {
  std::string title, body;
  std::string_view style, script;
};
std::string HtmlPage(const Page& page);
// JSON as an element that a script of the page reads by its id.
std::string JsonElement(std::string_view id, const Json& json);

}  // namespace quantgate::cli

#endif  // QUANTGATE_TOOLS_QUANTGATE_CLI_VIEW_FLAGS_H_
