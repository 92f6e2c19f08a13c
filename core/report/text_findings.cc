// The report for people: its findings, each kind in full and in a line or two.
#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/report/groups.h"
#include "core/report/text_page.h"
#include "core/report/text_parts.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Names in a list of nodes before "and N more".
constexpr size_t kListedNames = 3;
// Columns of the name of a node in a line or two.
constexpr size_t kBriefName = 48;

Style StyleOf(Level level) {
  return level == Level::kError     ? Style::kRed
         : level == Level::kWarning ? Style::kYellow
                                    : Style::kCyan;
}

class FindingsText : TextPage {
 public:
  FindingsText(const Report& report, const Checked* checked, const TextOptions& options)
      : TextPage(options, kLabelColumns), report_(report), checked_(checked), options_(options) {}

  std::vector<TextPart> Parts() {
    std::vector<TextPart> parts;
    for (const Group& group : GroupsOf(report_, checked_, options_.verbose)) {
      TextPart& part = parts.emplace_back();
      part.full = Captured([&] { Block(group); });
      if (!options_.verbose) part.brief = Captured([&] { Brief(group); });
      part.findings = group.findings();
      part.code = group.first().rule->code;
    }
    for (const auto& [reason, names] : ByReason()) parts.push_back(Unchecked(reason, names));
    return parts;
  }

 private:
  void Block(const Group& group) {
    const Finding& finding = group.first();
    Title(finding, fmt::format("{}: {}", finding.rule->slug, Printable(finding.message)));
    Labelled("at", PlaceText(report_, finding));
    Labelled("found", Printable(finding.found));
    Labelled("allowed", Printable(finding.allowed));
    Labelled("effect",
             fmt::format("{}: {}", ConsequenceName(finding.consequence),
                         Meaning(report_, finding)));
    Labelled("because", ReasonText(finding));
    if (!finding.waived.empty()) Labelled("waived", Printable(finding.waived));
    if (checked_ != nullptr) Labelled("silent", SuppressionText(*checked_, finding));
    if (options_.verbose && !finding.related.empty()) {
      Labelled("related", Printable(Join(finding.related, ", ")));
    }
    for (const Fix& fix : finding.fixes) {
      Labelled("fix", Printable(fix.summary) + (fix.safe ? " (safe)" : ""),
               Style::kGreen);
      if (!options_.verbose) continue;
      for (const Edit& edit : fix.edits) {
        Labelled("", fmt::format("{} {}{}{}", edit.op, Printable(edit.path),
                                 edit.value.empty() ? "" : " = ", Printable(edit.value)));
      }
    }
    if (options_.verbose) {
      Labelled("more", fmt::format("quantgate explain {}", finding.rule->code), Style::kGrey);
    }
    Others(group);
    Line("");
  }

  // "error[QG301] text", wrapped as one, then painted.
  void Title(const Finding& finding, const std::string& text) {
    const std::string level = fmt::format("{}[{}]", LevelName(finding.level), finding.rule->code);
    bool first = true;
    for (const std::string& line : Wrap(level + " " + text, width_ - 2)) {
      if (first && line.starts_with(level)) {
        Line(paint_(StyleOf(finding.level), level, true) +
             paint_(Style::kBold, line.substr(level.size())));
      } else {
        Line("  " + paint_(Style::kBold, line));
      }
      first = false;
    }
  }

  // A kind of finding in a line or two.
  void Brief(const Group& group) {
    const Finding& finding = group.first();
    std::string text = std::string(finding.rule->slug);
    if (!finding.node.empty()) text += fmt::format(" at \"{}\"", Printable(finding.node, kBriefName));
    if (const size_t more = group.cases.size() - 1; more > 0) {
      text += fmt::format(" and {} more node{}", more, more == 1 ? "" : "s");
    }
    const size_t used = Columns(text) + 20;
    const size_t columns = 2 * width_ > 2 * used ? 2 * width_ - used : used;
    Title(finding, fmt::format("{}: {}", text, Shortened(Printable(finding.message), columns)));
  }

  // Cut at a word.
  static std::string Shortened(const std::string& text, size_t columns) {
    if (Columns(text) <= columns) return text;
    return Wrap(text, columns - 2).front() + " …";
  }

  // What the block stands for besides its first finding.
  void Others(const Group& group) {
    const Finding& first = group.first();
    std::vector<std::string> ports, nodes;
    for (const Finding* finding : group.cases.front().other_ports) {
      ports.push_back(Name(finding->port.empty() ? finding->tensor : finding->port));
      if (finding->found != first.found) {
        ports.back() += fmt::format(" ({})", Printable(finding->found));
      }
    }
    bool differs = false;
    for (const Case& reported : std::span(group.cases).subspan(1)) {
      nodes.emplace_back(reported.first->node);
      differs = differs || reported.first->found != first.found ||
                reported.first->allowed != first.allowed;
    }
    if (!ports.empty()) Labelled("also", "its " + Listed(ports));
    if (nodes.empty()) return;
    Labelled("also in", fmt::format("{}{}: {}", Nodes(nodes.size()),
                                    differs ? ", with other values" : "", Listed(nodes)));
  }

  static std::string Listed(const std::vector<std::string>& names) {
    const size_t shown = names.size() <= kListedNames + 1 ? names.size() : kListedNames;
    std::vector<std::string> safe;
    for (size_t i = 0; i < shown; ++i) safe.push_back(Name(names[i]));
    std::string text = Join(safe, ", ");
    if (shown < names.size()) text += fmt::format(", … and {} more", names.size() - shown);
    return text;
  }

  // Nodes that no finding reports as unchecked, by their reason.
  std::vector<std::pair<std::string_view, std::vector<std::string>>> ByReason() const {
    std::vector<std::pair<std::string_view, std::vector<std::string>>> reasons;
    std::unordered_map<std::string_view, size_t> index;
    std::vector<bool> reported(report_.nodes.size());
    for (const Finding& finding : report_.findings) {
      const auto node = static_cast<size_t>(finding.node_index);
      if (finding.consequence == Consequence::kUnchecked && finding.node_index >= 0 &&
          node < reported.size()) {
        reported[node] = true;
      }
    }
    for (size_t n = 0; n < report_.nodes.size(); ++n) {
      const NodeReport& node = report_.nodes[n];
      if (node.verdict != Consequence::kUnchecked || reported[n]) continue;
      const auto [at, added] = index.emplace(node.reason, reasons.size());
      if (added) reasons.emplace_back(node.reason, std::vector<std::string>());
      reasons[at->second].second.emplace_back(node.name);
    }
    return reasons;
  }

  TextPart Unchecked(std::string_view reason, const std::vector<std::string>& names) {
    TextPart part;
    part.findings = names.size();
    part.brief = Captured([&] {
      const std::string start = fmt::format("unchecked: {}: ", Nodes(names.size()));
      bool first = true;
      for (const std::string& line :
           Wrap(start + (reason.empty() ? "nothing is known" : Printable(reason)), width_ - 2)) {
        if (first && line.starts_with("unchecked")) {
          Line(paint_(Style::kGrey, "unchecked", true) + line.substr(9));
        } else {
          Line("  " + line);
        }
        first = false;
      }
    });
    part.full = part.brief + Captured([&] {
      std::vector<std::string> safe;
      for (const std::string& name : names) safe.push_back(Name(name));
      Labelled("nodes", options_.verbose ? Join(safe, ", ") : Listed(names));
      Line("");
    });
    return part;
  }

  const Report& report_;
  const Checked* checked_;
  const TextOptions& options_;
};

}  // namespace

std::vector<TextPart> FindingParts(const Report& report, const Checked* checked,
                                   const TextOptions& options) {
  return FindingsText(report, checked, options).Parts();
}

}  // namespace quantgate
