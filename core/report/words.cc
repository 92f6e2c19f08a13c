#include "core/report/words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>

#include "quantgate/text.h"

namespace quantgate {

int Severity(Consequence consequence) {
  return consequence == Consequence::kUnchecked ? -1 : static_cast<int>(consequence);
}

std::string_view Meaning(const Report& report, Consequence consequence) {
  switch (consequence) {
    case Consequence::kRejected:
      return report.has_op_validation ? "the backend's op validation refuses it"
                                      : "the backend does not run it";
    case Consequence::kPrepareFails:
      return report.has_op_validation ? "op validation accepts it, graph preparation fails"
                                      : "the model as a whole fails";
    case Consequence::kWrongValues:
      return "every call succeeds, the numbers are wrong";
    case Consequence::kAltered:
      return "it runs, but not as written";
    case Consequence::kUndocumented:
      return "against the documentation, works where measured";
    case Consequence::kAdvice:
      return "it runs, slower or less accurate than it could";
    case Consequence::kAccepted:
      return "nothing found against it";
    case Consequence::kUnchecked:
      return "nothing is known";
  }
  return "";
}

std::string_view Meaning(const Report& report, const Finding& finding) {
  if (finding.consequence == Consequence::kRejected && finding.constraint.empty()) {
    return "it does not reach the backend";
  }
  // Without documents that forbid it, only the library's yes is known.
  const bool documented = std::any_of(
      finding.sources->begin(), finding.sources->end(),
      [](const std::string& source) { return source.starts_with("docs-"); });
  if (finding.consequence == Consequence::kUndocumented && !documented) {
    return "no document allows it; the library accepts it";
  }
  return Meaning(report, finding.consequence);
}

std::string_view Phrase(Consequence consequence, bool one) {
  switch (consequence) {
    case Consequence::kRejected:
      return "would be rejected";
    case Consequence::kPrepareFails:
      return "would fail graph preparation";
    case Consequence::kWrongValues:
      return "would compute wrong values";
    case Consequence::kAltered:
      return one ? "runs altered" : "run altered";
    case Consequence::kUndocumented:
      return one ? "is undocumented" : "are undocumented";
    case Consequence::kAdvice:
      return one ? "has advice" : "have advice";
    case Consequence::kAccepted:
      return one ? "is accepted" : "are accepted";
    case Consequence::kUnchecked:
      return one ? "is unchecked" : "are unchecked";
  }
  return "";
}

std::string Name(std::string_view name) { return Printable(name, kNameColumns); }

std::string SourcesText(const std::vector<std::string>& sources) {
  std::vector<std::string> documents, measurements, reported, others;
  for (const std::string& source : sources) {
    if (source.starts_with("docs-")) {
      documents.push_back(Printable(source.substr(5)));
    } else if (source.starts_with("measured-")) {
      measurements.push_back(Printable(source.substr(9)));
    } else if (source.starts_with("reported-")) {
      reported.push_back(Printable(source.substr(9)));
    } else {
      others.push_back(Printable(source));
    }
  }
  std::vector<std::string> parts;
  if (!documents.empty()) {
    parts.push_back((measurements.empty() && reported.empty() ? "documents only: " : "documented in ") +
                    Join(documents, ", "));
  }
  if (!others.empty()) parts.push_back(Join(others, ", "));
  if (!measurements.empty()) parts.push_back("measured on " + Join(measurements, ", "));
  if (!reported.empty()) parts.push_back("measured by others on " + Join(reported, ", "));
  return Join(parts, "; ");
}

std::string Nodes(size_t count) { return Counted(count, "node"); }

const NodeReport* NodeOf(const Report& report, const Finding& finding) {
  const auto index = static_cast<size_t>(finding.node_index);
  return finding.node_index >= 0 && index < report.nodes.size() ? &report.nodes[index] : nullptr;
}

std::string PlaceText(const Report& report, const Finding& finding) {
  if (finding.node.empty() && finding.node_index < 0) return "the model as a whole";
  std::string place = fmt::format("node \"{}\"", Name(finding.node));
  const NodeReport* node = NodeOf(report, finding);
  const std::string op = Name(finding.op);
  if (node != nullptr && !finding.op.empty() && node->op != finding.op) {
    place += fmt::format(" ({} → {})", Name(node->op), op);
  } else if (!finding.op.empty()) {
    place += fmt::format(" ({})", op);
  }
  if (!finding.port.empty()) place += ", " + Name(finding.port);
  if (!finding.tensor.empty()) place += fmt::format(" \"{}\"", Name(finding.tensor));
  if (node != nullptr && !node->location.empty()) place += ", " + Name(node->location);
  return place;
}

std::string ReasonText(const Finding& finding) {
  std::string text = Printable(finding.constraint);
  const std::string sources = SourcesText(finding.sources);
  if (!sources.empty()) text = text.empty() ? sources : fmt::format("{} ({})", text, sources);
  // Sources say it already.
  if (!finding.note.empty() && finding.note != "documents only" &&
      finding.message.view().find(finding.note.view()) == std::string_view::npos) {
    if (!text.empty()) text += "; ";
    text += Printable(finding.note);
  }
  return text;
}

std::string SuppressionText(const Checked& checked, const Finding& finding) {
  const Suppression* suppression = checked.SuppressionOf(finding);
  if (suppression == nullptr) return "";
  return suppression->by == Suppression::By::kBaseline ? "in the baseline"
                                                       : Printable(suppression->reason);
}

std::string DetailsText(const Checked& checked, const Finding& finding) {
  std::string text;
  const auto line = [&](std::string_view label, const std::string& words) {
    if (!words.empty()) text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", label, words);
  };
  line("found", Printable(finding.found));
  line("allowed", Printable(finding.allowed));
  line("effect", fmt::format("{}: {}", ConsequenceName(finding.consequence),
                             Meaning(checked.report, finding)));
  line("because", ReasonText(finding));
  line("suppressed", SuppressionText(checked, finding));
  for (const Fix& fix : finding.fixes) {
    line("fix", Printable(fix.summary) + (fix.safe ? " (safe)" : ""));
  }
  return text;
}

std::string TargetText(const Report& report, std::string_view separator) {
  std::vector<std::string> target = {Printable(report.backend), "SDK " + Printable(report.sdk)};
  if (!report.arch.empty()) target.push_back(Printable(report.arch));
  if (!report.soc.empty()) target.push_back(Printable(report.soc));
  if (!report.route.empty()) target.push_back("route " + Printable(report.route));
  if (report.mode != Mode::kStrict) target.push_back("mode warn");
  return Join(target, separator);
}

std::string BasisText(const Report& report) {
  const auto count = [&](Basis basis) { return report.basis[static_cast<size_t>(basis)]; };
  std::string text;
  const auto part = [&](int64_t nodes) {
    return text.empty() ? Nodes(static_cast<size_t>(nodes)) : fmt::format(" · {}", nodes);
  };
  if (const int64_t n = count(Basis::kMeasured)) {
    text += fmt::format("{} measured on SDK {}", part(n), Printable(report.sdk));
  }
  if (const int64_t n = count(Basis::kMeasuredElsewhere)) {
    text += part(n) + " measured on another SDK";
  }
  if (!text.empty() && !report.measured_by.empty()) {
    text += fmt::format(" ({})", Printable(report.measured_by));
  }
  if (const int64_t n = count(Basis::kDocuments)) text += fmt::format("{} documented only", part(n));
  if (const int64_t n = count(Basis::kNothing)) text += fmt::format("{} unknown", part(n));
  return text.empty() ? "no nodes" : text;
}

std::array<size_t, kLevelCount> CountLevels(const Checked& checked) {
  std::array<size_t, kLevelCount> counts{};
  for (const Finding& finding : checked.report.findings) {
    if (checked.Counts(finding)) ++counts[static_cast<size_t>(finding.level)];
  }
  return counts;
}

}  // namespace quantgate
