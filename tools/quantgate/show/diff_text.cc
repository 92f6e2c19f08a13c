#include "tools/quantgate/show/diff_text.h"

#include <algorithm>
#include <array>

#include "quantgate/text.h"
#include "tools/quantgate/show/table.h"
#include "tools/quantgate/show/web.h"

namespace quantgate::cli {
namespace {

using Change = Diff::Change;
using Effect = Diff::Effect;
using What = Diff::What;

constexpr std::string_view kMeasuredNote =
    "What only measuring found may be older than the SDK it was found in: older libraries were "
    "not asked.";

// The sections of the notes, in order. A change is in the first that takes it.
struct Section {
  std::string_view title, mark;
  Style style;
  bool rows;
  Effect effect;
};
constexpr std::array<Section, 6> kSections = {{
    {"Rows accepted now", "+", Style::kGreen, true, Effect::kLoosened},
    {"Rows no longer accepted", "-", Style::kRed, true, Effect::kTightened},
    {"Rows changed", "~", Style::kYellow, true, Effect::kNone},
    {"Constraints tightened", "!", Style::kRed, false, Effect::kTightened},
    {"Constraints loosened", "o", Style::kGreen, false, Effect::kLoosened},
    {"Constraints reworded or moved", "~", Style::kGrey, false, Effect::kNone},
}};

bool In(const Change& change, const Section& section) {
  return change.is_row == section.rows && change.effect == section.effect;
}

std::string Tail(const std::string& id) { return id.substr(id.find_last_of('#') + 1); }

// Counted instead of listed: when a behaviour came is not known of what only measuring found.
// Between archs, backends and socs all is of one SDK.
bool Folded(const Diff& diff, const Change& change, bool full) {
  return !full && diff.by == DiffBy::kSdk && change.measured;
}

size_t CountFolded(const Diff& diff, const Diff::Op& op, const Section& section, bool full) {
  return static_cast<size_t>(std::count_if(
      op.changes.begin(), op.changes.end(),
      [&](const Change& change) { return Folded(diff, change, full) && In(change, section); }));
}

std::string Counted(size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

// The head's numbers that aren't 0, as words.
std::vector<std::pair<size_t, std::string>> Figures(const Diff& diff) {
  const DiffCounts n = Count(diff);
  std::vector<std::pair<size_t, std::string>> figures = {
      {n.ops_added, "ops added"},
      {n.ops_removed, "ops removed"},
      {n.ops_changed, "ops changed"},
      {n.gained, "precisions gained"},
      {n.lost, "precisions lost"},
      {n.rows_added, "rows added"},
      {n.rows_removed, "rows removed"},
      {n.tightened, "constraints tightened"},
      {n.loosened, "constraints loosened"},
      {n.by_measuring, "of these rows and constraints found by measuring"}};
  std::erase_if(figures, [](const auto& figure) { return figure.first == 0; });
  return figures;
}

std::vector<std::string> OpsWith(const Diff& diff, What what, bool measured) {
  std::vector<std::string> names;
  for (const Diff::Op& op : diff.ops) {
    if (op.what == what && op.measured == measured) names.push_back(op.name);
  }
  return names;
}

std::string Gains(const Diff::Op& op, bool lost) {
  std::vector<std::string> words;
  for (const Diff::Gain& gain : op.gains) {
    if (gain.lost == lost) words.push_back(GainText(gain));
  }
  return Join(words);
}

// Ops that are there on both sides and take other precisions.
bool Gaining(const Diff::Op& op) { return op.what == What::kChanged && !op.gains.empty(); }

class TextPrinter {
 public:
  TextPrinter(const Diff& diff, bool full, const Paper& paper)
      : diff_(diff), full_(full), paint_(paper.color), width_(paper.width) {}

  std::string Print() && {
    text_ = paint_(Style::kBold, DiffTitle(diff_)) + "\n";
    std::vector<std::string> figures;
    for (const auto& [count, words] : Figures(diff_)) {
      figures.push_back(std::to_string(count) + " " + words);
    }
    Line(figures.empty() ? "no difference is known" : Join(figures, " · "));
    for (const std::string& note : diff_.notes) {
      text_ += Table({{paint_(Style::kCyan, "note:", true), note}}, 0, width_);
    }
    Ops("Ops added", What::kAdded, "+", Style::kGreen);
    Ops("Ops removed", What::kRemoved, "-", Style::kRed);
    Precisions();
    for (const Section& section : kSections) Entries(section);
    if (!diff_.has_changes) {
      text_ += "\n";
      Line(paint_(Style::kGrey,
                  "Rows and constraints of different backends aren't compared: "
                  "quantgate query OP --backend NAME shows them."));
    } else if (Count(diff_).by_measuring > 0) {
      text_ += "\n";
      Line(paint_(Style::kGrey, kMeasuredNote));
      if (!full_) {
        Line(paint_(Style::kGrey,
                    "They are only counted here; name ops, or give --verbose, to see them."));
      }
    }
    return std::move(text_);
  }

 private:
  void Line(std::string_view words) {
    for (const std::string& line : Wrap(words, width_)) text_ += line + "\n";
  }
  void Title(std::string_view title) { text_ += "\n" + paint_(Style::kBold, title) + "\n"; }

  void Ops(std::string_view title, What what, std::string_view mark, Style style) {
    const auto documented = OpsWith(diff_, what, false), measured = OpsWith(diff_, what, true);
    if (documented.empty() && measured.empty()) return;
    Title(title);
    if (!documented.empty()) {
      text_ += Table({{paint_(style, mark, true), Join(documented)}}, 2, width_);
    }
    if (!measured.empty()) {
      text_ +=
          Table({{paint_(style, mark, true), Join(measured) + " (found by measuring)"}}, 2, width_);
    }
  }

  void Precisions() {
    std::vector<std::vector<std::string>> rows;
    for (const Diff::Op& op : diff_.ops) {
      if (!Gaining(op)) continue;
      std::string name = op.name;
      for (const bool lost : {false, true}) {
        const std::string words = Gains(op, lost);
        if (words.empty()) continue;
        rows.push_back({paint_(lost ? Style::kRed : Style::kGreen, lost ? "-" : "+", true),
                        paint_(Style::kBlue, name), words});
        name.clear();
      }
    }
    if (rows.empty()) return;
    Title("Precisions");
    text_ += Table(rows, 2, width_);
  }

  void Entries(const Section& section) {
    std::vector<std::vector<std::string>> rows;
    for (const Diff::Op& op : diff_.ops) {
      std::string name = op.name;
      for (const Change& change : op.changes) {
        if (!In(change, section) || Folded(diff_, change, full_)) continue;
        rows.push_back(
            {paint_(section.style, section.mark, true), paint_(Style::kBlue, name),
             change.is_row ? Tail(change.id) : change.port,
             ChangeText(change) + " " + paint_(Style::kGrey, "[" + Join(change.sources) + "]")});
        name.clear();
      }
    }
    std::vector<std::string> counted;
    for (const Diff::Op& op : diff_.ops) {
      const size_t count = CountFolded(diff_, op, section, full_);
      if (count > 0) counted.push_back(op.name + " " + std::to_string(count));
    }
    if (rows.empty() && counted.empty()) return;
    Title(section.title);
    text_ += Table(rows, 2, width_);
    if (!counted.empty()) {
      text_ += Table({{paint_(Style::kGrey, "by measuring:"), Join(counted)}}, 2, width_);
    }
  }

  const Diff& diff_;
  const bool full_;
  const Painter paint_;
  const size_t width_;
  std::string text_;
};

// Text that Markdown doesn't take for markup.
std::string Plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_{}[]<>#|").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string Tag(std::string_view kind, std::string_view text) {
  return "<span class=\"tag " + std::string(kind) + "\">" + Escaped(text) + "</span>";
}

std::string_view EffectName(const Change& change) {
  if (change.effect == Effect::kTightened) return change.is_row ? "removed" : "tightened";
  if (change.effect == Effect::kLoosened) return change.is_row ? "added" : "loosened";
  return "changed";
}

std::string OpHtml(const Diff::Op& op) {
  std::string find = op.name, gains;
  for (const Diff::Gain& gain : op.gains) {
    find += " " + gain.precision;
    gains += Tag(gain.lost ? "removed" : "added", (gain.lost ? "− " : "+ ") + GainText(gain)) + " ";
  }
  std::string html = "<details data-find=\"" + Escaped(find) + "\"><summary>" + Escaped(op.name);
  if (op.what != What::kChanged) {
    html += " " + Tag(op.what == What::kAdded ? "added" : "removed",
                      op.what == What::kAdded ? "added" : "removed");
    if (op.measured) html += " <span class=\"soft\">found by measuring</span>";
  }
  html += " " + gains;
  if (!op.changes.empty()) {
    html += "<span class=\"soft\">" + Counted(op.changes.size(), "change", "changes") + "</span>";
  }
  html += "</summary>\n";
  if (!op.changes.empty()) {
    html += "<div class=\"wide\"><table><tbody>\n";
    for (const Section& section : kSections) {
      for (const Change& change : op.changes) {
        if (!In(change, section)) continue;
        html += "<tr><td>" + Tag(EffectName(change), EffectName(change)) +
                "</td><td class=\"mono\">" +
                Escaped(change.is_row ? Tail(change.id) : change.port) + "</td><td>" +
                Escaped(ChangeText(change)) + "</td><td class=\"sources\">" +
                Escaped(Join(change.sources)) + "</td></tr>\n";
      }
    }
    html += "</tbody></table></div>";
  }
  return html + "</details>\n";
}

}  // namespace

DiffCounts Count(const Diff& diff) {
  DiffCounts n;
  for (const Diff::Op& op : diff.ops) {
    if (op.what == What::kAdded) ++n.ops_added;
    if (op.what == What::kRemoved) ++n.ops_removed;
    if (op.what != What::kChanged) continue;
    ++n.ops_changed;
    for (const Diff::Gain& gain : op.gains) ++(gain.lost ? n.lost : n.gained);
    for (const Change& change : op.changes) {
      if (change.measured) ++n.by_measuring;
      if (change.is_row && change.what == What::kAdded) ++n.rows_added;
      if (change.is_row && change.what == What::kRemoved) ++n.rows_removed;
      if (!change.is_row && change.effect == Effect::kTightened) ++n.tightened;
      if (!change.is_row && change.effect == Effect::kLoosened) ++n.loosened;
    }
  }
  if (diff.by != DiffBy::kSdk) n.by_measuring = 0;
  return n;
}

std::string DiffTitle(const Diff& diff) {
  const Target &a = diff.from, &b = diff.to;
  const std::string arch = a.arch().empty() ? "" : " · " + a.arch();
  switch (diff.by) {
    case DiffBy::kSdk:
      return a.backend() + (diff.every_arch ? " · every arch" : arch) + " · SDK " + a.sdk() +
             " → " + b.sdk();
    case DiffBy::kArch:
      return a.backend() + " · SDK " + a.sdk() + " · " + a.arch() + " → " + b.arch();
    case DiffBy::kSoc:
      return a.backend() + " · SDK " + a.sdk() + " · " + a.soc() + " (" + a.arch() + ") → " +
             b.soc() + " (" + b.arch() + ")";
    case DiffBy::kBackend:
      break;
  }
  return TargetText(a) + " → " + TargetText(b);
}

std::string GainText(const Diff::Gain& gain) {
  std::vector<std::string> words;
  if (!gain.archs.empty()) words.push_back(gain.archs);
  if (gain.verdict != Consequence::kAccepted) words.emplace_back(ConsequenceName(gain.verdict));
  return gain.precision + (words.empty() ? "" : " (" + Join(words) + ")");
}

std::string ChangeText(const Change& change) {
  std::string text = change.text;
  std::vector<std::string> words;
  if (!change.archs_before.empty() || change.archs.empty()) {
    if (!change.archs_before.empty()) {
      words.push_back("on " + (change.archs.empty() ? "every arch" : change.archs) + ", was on " +
                      change.archs_before);
    }
  } else {
    words.push_back(change.archs);
  }
  const std::string before(ConsequenceName(change.before)), after(ConsequenceName(change.after));
  if (change.what == What::kChanged && change.before != change.after) {
    words.push_back(change.is_row ? after + ", was " + before
                                  : "breaking it: " + after + ", was " + before);
  } else if (!change.is_row) {
    words.push_back(change.what == What::kRemoved ? "breaking it was: " + before
                                                  : "breaking it: " + after);
  } else if (change.what == What::kAdded && change.after != Consequence::kAccepted) {
    words.push_back(after);
  }
  if (!words.empty()) text += "; " + Join(words, "; ");
  if (!change.note.empty()) text += "; " + change.note;
  return text;
}

std::string DiffText(const Diff& diff, bool full, const Paper& paper) {
  return TextPrinter(diff, full, paper).Print();
}

std::string DiffMarkdown(const Diff& diff, bool full) {
  std::string text = "# " + Plain(DiffTitle(diff)) + "\n\n";
  std::vector<std::string> figures;
  for (const auto& [count, words] : Figures(diff)) {
    figures.push_back(std::to_string(count) + " " + words);
  }
  text += (figures.empty() ? "No difference is known." : Join(figures, " · ")) + "\n";
  for (const std::string& note : diff.notes) text += "\n> " + Plain(note) + "\n";
  for (const auto& [title, what] :
       {std::pair{"Ops added", What::kAdded}, {"Ops removed", What::kRemoved}}) {
    const auto documented = OpsWith(diff, what, false), measured = OpsWith(diff, what, true);
    if (documented.empty() && measured.empty()) continue;
    text += "\n## " + std::string(title) + "\n\n";
    for (const std::string& op : documented) text += "- " + op + "\n";
    for (const std::string& op : measured) text += "- " + op + " (found by measuring)\n";
  }
  if (std::any_of(diff.ops.begin(), diff.ops.end(), Gaining)) {
    text += "\n## Precisions\n\n";
    for (const Diff::Op& op : diff.ops) {
      if (!Gaining(op)) continue;
      const std::string more = Gains(op, false), less = Gains(op, true);
      text += "- **" + op.name + "**" + (more.empty() ? "" : " gains " + Plain(more)) +
              (more.empty() || less.empty() ? "" : ",") +
              (less.empty() ? "" : " loses " + Plain(less)) + "\n";
    }
  }
  for (const Section& section : kSections) {
    std::string entries;
    for (const Diff::Op& op : diff.ops) {
      for (const Change& change : op.changes) {
        if (!In(change, section) || Folded(diff, change, full)) continue;
        entries += "- **" + op.name + "** `" + (change.is_row ? Tail(change.id) : change.port) +
                   "` " + Plain(ChangeText(change)) + " *(" + Plain(Join(change.sources)) + ")*\n";
      }
      const size_t count = CountFolded(diff, op, section, full);
      if (count > 0)
        entries += "- **" + op.name + "**: " + std::to_string(count) + " by measuring\n";
    }
    if (!entries.empty()) text += "\n## " + std::string(section.title) + "\n\n" + entries;
  }
  if (diff.has_changes && Count(diff).by_measuring > 0) {
    text += "\n" + std::string(kMeasuredNote) + "\n";
  }
  return text;
}

std::string DiffHtml(const Diff& diff) {
  Page page;
  page.title = "quantgate: " + DiffTitle(diff);
  std::string& body = page.body;
  body = "<div class=\"page\"><header><h1>" + Escaped(DiffTitle(diff)) + "</h1>\n";
  for (const std::string& note : diff.notes)
    body += "<p class=\"soft\">" + Escaped(note) + "</p>\n";
  body += "<ul class=\"figures\">";
  for (const auto& [count, words] : Figures(diff)) {
    body += "<li><b>" + std::to_string(count) + "</b><span>" + words + "</span></li>";
  }
  body += "</ul>\n";
  if (diff.has_changes && Count(diff).by_measuring > 0) {
    body += "<p class=\"soft\">" + Escaped(kMeasuredNote) + "</p>\n";
  }
  body +=
      "<div class=\"bar\"><input type=\"search\" placeholder=\"Op, precision…\" "
      "aria-label=\"Filter\"><output id=\"found\" class=\"soft\"></output></div></header>\n";
  for (const auto& [title, what] : {std::pair{"Ops added", What::kAdded},
                                    {"Ops removed", What::kRemoved},
                                    {"Ops changed", What::kChanged}}) {
    std::string ops;
    for (const Diff::Op& op : diff.ops) {
      if (op.what == what) ops += OpHtml(op);
    }
    if (!ops.empty()) body += "<h2>" + std::string(title) + "</h2>\n" + ops;
  }
  body += "</div>";
  page.style = kListCss;
  page.script = kListJs;
  return HtmlPage(page);
}

}  // namespace quantgate::cli
