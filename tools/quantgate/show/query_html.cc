#include "tools/quantgate/show/query_html.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "quantgate/dtype.h"
#include "tools/quantgate/cli/view_flags.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

std::string Tag(std::string_view kind, std::string_view text) {
  return "<span class=\"tag " + Escaped(kind) + "\">" + Escaped(text) + "</span>";
}

std::string Tag(Consequence consequence) {
  return Tag(ConsequenceName(consequence), ConsequenceName(consequence));
}

std::string Row(const std::vector<std::string>& cells, std::string_view find = {}) {
  std::string html = find.empty() ? "<tr>" : "<tr data-find=\"" + Escaped(find) + "\">";
  for (const std::string& cell : cells) html += "<td>" + cell + "</td>";
  return html + "</tr>\n";
}

std::string Head(const std::vector<std::string>& titles) {
  std::string html = "<div class=\"wide\"><table><thead><tr>";
  for (const std::string& title : titles) html += "<th scope=\"col\">" + Escaped(title) + "</th>";
  return html + "</tr></thead><tbody>\n";
}

constexpr std::string_view kTableEnd = "</tbody></table></div>\n";

std::string Short(const std::vector<std::string>& dtypes) {
  if (dtypes.empty()) return "–";
  std::vector<std::string> names;
  for (const std::string& name : dtypes) {
    const std::optional<Dtype> dtype = DtypeFromName(name);
    names.emplace_back(dtype ? DtypeShortName(*dtype) : std::string_view(name));
  }
  return "<span title=\"" + Escaped(Join(dtypes)) + "\">" + Escaped(Join(names, " | ")) + "</span>";
}

std::string Sources(const std::vector<std::string>& sources) {
  return "<span class=\"sources\">" + Escaped(Join(sources)) + "</span>";
}

std::string Ports(const OpInfo& op) {
  std::string html = "<h2>Ports</h2>\n" + Head({"port", "role", ""});
  for (const auto* ports : {&op.inputs, &op.outputs}) {
    for (const OpInfo::Port& port : *ports) {
      std::vector<std::string> words;
      if (port.optional) words.push_back("optional");
      if (port.variadic) words.push_back("any number");
      if (port.channel_axis != -128) {
        words.push_back("channels on axis " + std::to_string(port.channel_axis));
      }
      html += Row({"<code>" + Escaped(port.name) + "</code>", Escaped(port.role), Join(words)});
    }
  }
  return html + std::string(kTableEnd);
}

std::string Params(const OpInfo& op) {
  if (op.params.empty()) return "";
  std::string html = "<h2>Params</h2>\n" + Head({"param", "dtype", "", "values"});
  for (const OpInfo::Param& param : op.params) {
    std::vector<std::string> values;
    for (const auto& [name, value] : param.values) {
      values.push_back(name + " = " + std::to_string(value));
    }
    std::string need = param.required ? "required" : "";
    if (!param.default_value.empty()) need = "default " + param.default_value;
    html += Row({"<code>" + Escaped(param.name) + "</code>", Escaped(param.dtype), Escaped(need),
                 Escaped(Join(values))});
  }
  return html + std::string(kTableEnd);
}

std::string Variants(const OpInfo& op) {
  std::string html = "<h2>Dtypes</h2>\n";
  if (op.variants.empty()) return html + "<p>None on this target.</p>\n";
  std::vector<std::string> titles = {"row"};
  for (const auto* ports : {&op.inputs, &op.outputs}) {
    for (const OpInfo::Port& port : *ports) titles.push_back(port.name);
  }
  for (const char* title : {"verdict", "where", "basis"}) titles.emplace_back(title);
  html += Head(titles);
  for (const OpInfo::Variant& variant : op.variants) {
    const std::string id = variant.id.substr(variant.id.find('#') + 1);
    std::vector<std::string> cells = {"<code>" + Escaped(id) + "</code>"};
    std::string find = id;
    for (const auto& dtypes : variant.dtypes) {
      cells.push_back(Short(dtypes));
      find += " " + Join(dtypes, " ");
    }
    cells.resize(1 + op.inputs.size() + op.outputs.size());
    cells.push_back(Tag(variant.consequence));
    cells.push_back(Escaped(RangeText(variant.since, variant.until, variant.archs)));
    cells.push_back(Sources(variant.sources));
    html += Row(cells, find);
  }
  html += kTableEnd;
  if (op.lists_per_port) {
    html +=
        "<p class=\"soft\">Lists per port: a mix that the documents don't state is "
        "undocumented, never rejected.</p>\n";
  }
  return html;
}

std::string ConstraintRow(const OpInfo::Constraint& constraint) {
  std::string text = Escaped(constraint.text);
  if (!constraint.groups.empty()) {
    text += " <span class=\"soft\">(rows " + Escaped(Join(constraint.groups)) + ")</span>";
  }
  if (!constraint.note.empty()) {
    text += "<br><span class=\"soft\">" + Escaped(constraint.note) + "</span>";
  }
  return Row(
      {"<code title=\"" + Escaped(constraint.id) + "\">" + Escaped(constraint.port) + "</code>",
       Escaped(constraint.rule), text, Tag(constraint.consequence),
       Escaped(RangeText(constraint.since, constraint.until, constraint.archs)),
       Sources(constraint.sources)},
      constraint.port + " " + constraint.rule + " " + constraint.text + " " + constraint.profile);
}

const std::vector<std::string> kConstraintTitles = {"port", "rule",  "must hold",
                                                    "else", "where", "sources"};

// The op's own lines, then a profile a fold.
std::string ConstraintsOf(const OpInfo& op, bool documented) {
  std::string own;
  std::vector<std::pair<std::string, std::string>> profiles;
  for (const OpInfo::Constraint& one : op.constraints) {
    if (one.documented != documented) continue;
    if (one.profile.empty()) {
      own += ConstraintRow(one);
      continue;
    }
    const auto known = std::find_if(profiles.begin(), profiles.end(),
                                    [&](const auto& entry) { return entry.first == one.profile; });
    (known == profiles.end() ? profiles.emplace_back(one.profile, "") : *known).second +=
        ConstraintRow(one);
  }
  if (own.empty() && profiles.empty()) return "";
  std::string html = documented ? "<h2>Documented</h2>\n" : "<h2>Measured</h2>\n";
  if (!own.empty()) html += Head(kConstraintTitles) + own + std::string(kTableEnd);
  for (const auto& [name, rows] : profiles) {
    html += "<details><summary>profile <code>" + Escaped(name) + "</code></summary>\n" +
            Head(kConstraintTitles) + rows + std::string(kTableEnd) + "</details>\n";
  }
  return html;
}

}  // namespace

std::string QueryHtml(const OpInfo& op, const Target& target, const Matrix& matrix) {
  Page page;
  page.title = op.name + " · " + TargetText(target);
  std::string& body = page.body;
  body = "<div class=\"page\"><header><h1>" + Escaped(op.name) + " <span class=\"soft\">" +
         Escaped(TargetText(target)) + "</span></h1>\n";
  for (const std::string& note : target.notes()) {
    body += "<p class=\"soft\">" + Escaped(note) + "</p>\n";
  }
  body += "<p>";
  for (const Matrix::Row& row : matrix.rows) {
    for (const Matrix::Supported& supported : row.cells.front().supported) {
      const bool accepted = supported.verdict == Consequence::kAccepted;
      body += Tag(accepted ? (supported.measured ? "good" : "") : "warn",
                  matrix.Label(row, supported) +
                      (accepted ? (supported.measured ? "" : " documented") : " undocumented")) +
              " ";
    }
  }
  body +=
      "</p>\n<div class=\"bar\"><input type=\"search\" placeholder=\"Filter…\" "
      "aria-label=\"Filter\"><output id=\"found\" class=\"soft\"></output></div></header>\n";
  body += Ports(op) + Params(op) + Variants(op) + ConstraintsOf(op, true) +
          ConstraintsOf(op, false) + "</div>";
  page.style = kListCss;
  page.script = kListJs;
  return HtmlPage(page);
}

}  // namespace quantgate::cli
