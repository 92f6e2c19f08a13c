// What runs of a model, for people: differences first.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/reporter.h"
#include "core/report/text_page.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

// Rows of a kind of change before "and N more".
constexpr size_t kListedRows = 6;
constexpr size_t kNameColumns = 48;
constexpr size_t kTextColumns = 44;

struct Kind {
  ChangeKind kind;
  std::string_view title;
  Style style;
};
// The worst for the values first.
constexpr std::array<Kind, kChangeKindCount> kKinds = {{
    {ChangeKind::kEncoding, "other encoding than written", Style::kMagenta},
    {ChangeKind::kRead, "read with another encoding than written", Style::kMagenta},
    {ChangeKind::kDtype, "operand of another datatype", Style::kMagenta},
    {ChangeKind::kFloat, "written quantized, runs in float", Style::kYellow},
    {ChangeKind::kBias, "bias quantized anew", Style::kYellow},
    {ChangeKind::kConvert, "a Convert is inserted", Style::kYellow},
    {ChangeKind::kHalf, "written in single precision", Style::kBlue},
    {ChangeKind::kFolded, "folded into the op before", Style::kGreen},
}};

struct Place {
  Placement placement;
  std::string_view title;
  Style style;
};
constexpr std::array<Place, kPlacementCount> kPlaces = {{
    {Placement::kQuantized, "NPU, quantized", Style::kGreen},
    {Placement::kFloat, "NPU, float", Style::kYellow},
    {Placement::kInteger, "NPU, plain integers", Style::kGreen},
    {Placement::kCpu, "CPU", Style::kRed},
    {Placement::kRefused, "nowhere: refused", Style::kRed},
    {Placement::kInto, "part of another node", Style::kGrey},
    {Placement::kOutside, "done by the caller", Style::kGrey},
    {Placement::kUnknown, "not known", Style::kGrey},
}};

class AsRunReporter : TextPage {
 public:
  AsRunReporter(const Report& report, const TextOptions& options)
      : TextPage(options), report_(report), run_(*report.as_run), options_(options) {}

  std::string Print() && {
    Head();
    SessionPart();
    ChangesPart();
    LeftOut();
    PlacesPart();
    PiecesPart();
    if (options_.verbose) NodeTable();
    Closing();
    return std::move(text_);
  }

 private:
  std::string Name(int32_t node) const {
    return Printable(report_.nodes[static_cast<size_t>(node)].name, kNameColumns);
  }

  void Head() {
    std::string where =
        fmt::format("{} · SDK {}", Printable(report_.backend), Printable(report_.sdk));
    for (const std::string& part : {report_.arch, report_.soc}) {
      if (!part.empty()) where += " · " + Printable(part);
    }
    where += " · route " + Printable(report_.route);
    Line(paint_(Style::kBold, Printable(report_.model, 160)) + "  " + where);
    for (const std::string& note : report_.notes) Note(Printable(note));
    Line("");
  }

  // Columns of rows, the last one not padded.
  void Table(const std::vector<std::vector<std::string>>& rows) {
    std::vector<size_t> widths;
    for (const auto& row : rows) {
      widths.resize(std::max(widths.size(), row.size()));
      for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], Columns(row[i]));
    }
    for (const auto& row : rows) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i) {
        if (widths[i] == 0) continue;
        line += ' ';
        line += i + 1 == row.size() ? row[i] : PadRight(row[i], widths[i]) + " ";
      }
      while (line.ends_with(' ')) line.pop_back();
      Line(line);
    }
  }

  void SessionPart() {
    if (run_.session_fails.empty()) return;
    std::string names;
    const size_t shown = std::min(run_.session_killers.size(), kListedRows);
    for (size_t i = 0; i < shown; ++i) {
      names += (i == 0 ? "" : ", ") + Name(run_.session_killers[i]);
    }
    if (shown < run_.session_killers.size()) {
      names += fmt::format(", … and {} more", run_.session_killers.size() - shown);
    }
    Line(paint_(Style::kRed, "nothing runs: ", true) + Printable(run_.session_fails));
    Wrapped("  " + names);
    Line("");
  }

  void ChangesPart() {
    for (const Kind& kind : kKinds) {
      std::vector<std::vector<std::string>> rows;
      size_t count = 0;
      for (const Change& change : run_.changes) {
        if (change.kind != kind.kind) continue;
        ++count;
        if (!options_.verbose && rows.size() > kListedRows) continue;
        rows.push_back({Name(change.node_index), Printable(change.port),
                        paint_(Style::kRed, Printable(change.written, kTextColumns)), "→",
                        paint_(Style::kGreen, Printable(change.runs, kTextColumns))});
      }
      if (count == 0) continue;
      Line(paint_(kind.style, kind.title, true) + fmt::format(": {}", count));
      if (!options_.verbose && count > kListedRows + 1) rows.resize(kListedRows);
      const size_t shown = rows.size();
      Table(rows);
      if (shown < count) Line(fmt::format("  … and {} more (--verbose)", count - shown));
      Line("");
    }
  }

  // The nodes that don't reach the NPU, with the reason.
  void LeftOut() {
    std::vector<std::string> why(report_.nodes.size());
    for (const Finding& finding : report_.findings) {
      if (finding.node_index < 0 || finding.consequence != Consequence::kRejected) continue;
      std::string& text = why[static_cast<size_t>(finding.node_index)];
      if (text.empty()) {
        text = fmt::format("{} {}", finding.rule->code, Printable(finding.message));
      }
    }
    std::vector<std::vector<std::string>> rows;
    size_t count = 0;
    for (size_t i = 0; i < run_.nodes.size(); ++i) {
      const Placement placement = run_.nodes[i].placement;
      if (placement != Placement::kCpu && placement != Placement::kRefused) continue;
      ++count;
      if (!options_.verbose && rows.size() > kListedRows) continue;
      rows.push_back({Name(static_cast<int32_t>(i)), Printable(report_.nodes[i].op), why[i]});
    }
    if (count == 0) return;
    const bool cpu = run_.placements[static_cast<size_t>(Placement::kCpu)] > 0;
    Line(paint_(Style::kRed, cpu ? "on the CPU" : "refused", true) + fmt::format(": {}", count));
    if (!options_.verbose && count > kListedRows + 1) rows.resize(kListedRows);
    for (auto& row : rows) row[2] = Printable(row[2], options_.verbose ? 2000 : 96);
    const size_t shown = rows.size();
    Table(rows);
    if (shown < count) Line(fmt::format("  … and {} more (--verbose)", count - shown));
    Line("");
  }

  void PlacesPart() {
    Line(paint_(Style::kGrey, "  where                  nodes"));
    for (const Place& place : kPlaces) {
      const int64_t count = run_.placements[static_cast<size_t>(place.placement)];
      if (count == 0) continue;
      std::string title(place.title);
      if (place.placement == Placement::kFloat && !run_.float_dtype.empty()) {
        title = "NPU, " + run_.float_dtype;
      }
      Line("  " + PadRight(paint_(place.style, title, true), 22) +
           PadLeft(std::to_string(count), 6));
    }
    Line("");
  }

  void PiecesPart() {
    if (run_.partitions.size() < 2) return;
    Line(paint_(Style::kBold, fmt::format("the NPU gets {} graphs", run_.partitions.size())));
    std::vector<std::vector<std::string>> rows;
    const size_t shown =
        options_.verbose ? run_.partitions.size() : std::min(run_.partitions.size(), kListedRows * 2);
    for (size_t i = 0; i < shown; ++i) {
      const Partition& partition = run_.partitions[i];
      rows.push_back(
          {std::to_string(i), Counted(static_cast<size_t>(partition.nodes), "node"),
           partition.nodes == 1 ? Name(partition.first) : Name(partition.first) + " … " + Name(partition.last)});
    }
    Table(rows);
    if (shown < run_.partitions.size()) {
      Line(fmt::format("  … and {} more (--verbose)", run_.partitions.size() - shown));
    }
    Line("");
  }

  void NodeTable() {
    std::vector<std::vector<std::string>> rows;
    for (size_t i = 0; i < run_.nodes.size(); ++i) {
      const RunNode& node = run_.nodes[i];
      std::string ops;
      for (const std::string& op : node.ops) ops += (ops.empty() ? "" : ", ") + Printable(op);
      if (ops.empty() && !report_.nodes[i].into.empty()) {
        ops = "in " + Printable(report_.nodes[i].into, kNameColumns);
      }
      rows.push_back({std::string(PlacementName(node.placement)), Name(static_cast<int32_t>(i)),
                      Printable(report_.nodes[i].op), "→", ops});
    }
    Line(paint_(Style::kBold, "nodes"));
    Table(rows);
    Line("");
  }

  void Closing() {
    if (!run_.session_fails.empty()) {
      Wrapped(paint_(Style::kRed, "nothing runs", true) + ": " + Printable(run_.session_fails));
      return;
    }
    std::vector<int32_t> changed;
    for (const Change& change : run_.changes) {
      if (changed.empty() || changed.back() != change.node_index) {
        changed.push_back(change.node_index);
      }
    }
    const auto at = [&](Placement p) { return run_.placements[static_cast<size_t>(p)]; };
    const auto cpu = static_cast<size_t>(at(Placement::kCpu) + at(Placement::kRefused));
    const std::string wrong =
        Counted(static_cast<size_t>(report_.counts[static_cast<size_t>(Consequence::kWrongValues)]),
              "node");
    std::string text = changed.empty()
                           ? "runs as written"
                           : fmt::format("{} of {} run otherwise than written", changed.size(),
                                         Counted(run_.nodes.size(), "node"));
    if (report_.counts[static_cast<size_t>(Consequence::kWrongValues)] > 0) {
      text += fmt::format(", {} with wrong values", wrong);
    }
    if (at(Placement::kCpu) > 0) text += fmt::format(", {} on the CPU", Counted(cpu, "node"));
    if (at(Placement::kRefused) > 0) text += fmt::format(", {} refused", Counted(cpu, "node"));
    if (run_.partitions.size() > 1) text += fmt::format(", in {} NPU graphs", run_.partitions.size());
    const bool fine = changed.empty() && cpu == 0 && run_.partitions.size() < 2;
    Wrapped(paint_(fine ? Style::kGreen : Style::kYellow, "as run", true) + ": " + text);
  }

  const Report& report_;
  const AsRun& run_;
  const TextOptions& options_;
};

}  // namespace

std::string AsRunText(const Report& report, const TextOptions& options) {
  return AsRunReporter(report, options).Print();
}

}  // namespace quantgate
