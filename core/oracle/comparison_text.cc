#include <fmt/core.h>

#include <algorithm>

#include "quantgate/verify.h"
#include "core/oracle/text_columns.h"
#include "core/report/text_page.h"
#include "quantgate/text.h"

namespace quantgate::verify {
namespace {

// Constraints named before "and N more".
constexpr size_t kListedConstraints = 6;

std::string Joined(const std::vector<std::string>& items, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < items.size() && i < kListedConstraints; ++i) {
    if (i > 0) text += separator;
    text += items[i];
  }
  if (items.size() > kListedConstraints) {
    text += fmt::format(" and {} more", items.size() - kListedConstraints);
  }
  return text;
}

class ComparisonPrinter : TextPage {
 public:
  ComparisonPrinter(const Comparison& comparison, const TextOptions& options)
      : TextPage(options, kLabelColumns), comparison_(comparison), verbose_(options.verbose) {}

  std::string Print() && {
    Head();
    for (const ComparedNode* node : comparison_.Sorted()) {
      if (node->agreement != Agreement::kAgrees) Block(*node);
    }
    if (verbose_) Table();
    Summary();
    return std::move(text_);
  }

 private:
  void Head() {
    std::string where = comparison_.backend + " · SDK " + comparison_.sdk;
    if (!comparison_.arch.empty()) where += " · " + comparison_.arch;
    if (!comparison_.soc.empty()) where += " · " + comparison_.soc;
    where += " · route " + comparison_.route;
    Line(paint_(Style::kBold, Printable(comparison_.model, 160)) + "  " + Printable(where));
    std::string asked;
    for (const Stage stage : comparison_.asked) {
      asked += (asked.empty() ? "" : ", ") + std::string(StageName(stage));
    }
    const std::string library =
        fmt::format("{} {}, asked to {}; {}", Printable(comparison_.library),
                    Printable(comparison_.build_id, 60), asked, Printable(comparison_.about));
    Wrapped(library, Style::kGrey);
    for (const std::string& note : comparison_.notes) {
      Note(Printable(note));
    }
    Line("");
  }

  static Style StyleOf(const ComparedNode& node) {
    switch (node.agreement) {
      case Agreement::kFalseRejection:
        return node.known.empty() ? Style::kYellow : Style::kGrey;
      case Agreement::kFalseAcceptance:
        return node.known.empty() ? Style::kRed : Style::kGrey;
      case Agreement::kAgrees:
        return Style::kGreen;
      default:
        return Style::kGrey;
    }
  }

  static std::string Place(const ComparedNode& node) {
    std::string place = fmt::format("node \"{}\"", Printable(node.name, kNameColumns));
    const std::string op = Printable(node.op, kNameColumns);
    place += node.source_op.empty()
                 ? fmt::format(" ({})", op)
                 : fmt::format(" ({} → {})", Printable(node.source_op, kNameColumns), op);
    if (!node.source.empty()) {
      place += fmt::format(" of \"{}\"", Printable(node.source, kNameColumns));
    }
    return place;
  }

  // "accepted, prepare ok, execute ok, values wrong by 120 steps (0.47 of the range)"
  static std::string Said(const ComparedNode& node) {
    if (!node.answer.not_queried.empty()) return "not queried: " + Printable(node.answer.not_queried);
    std::string said = OutcomeText(Stage::kValidate, node.answer[Stage::kValidate]);
    for (const Stage stage : {Stage::kPrepare, Stage::kExecute}) {
      const StageAnswer& answer = node.answer[stage];
      if (answer.outcome == Outcome::kNotQueried) continue;
      said += fmt::format(", {} {}", StageName(stage), OutcomeText(stage, answer));
      if (answer.outcome == Outcome::kFails) {
        said += fmt::format(" at {} with {:#x}", answer.step, answer.code);
      }
    }
    const Judgement& judgement = node.judgement;
    if (judgement.values == Values::kNotEvaluated) {
      if (!judgement.reason.empty()) said += ", values not evaluated: " + Printable(judgement.reason);
      return said;
    }
    said += fmt::format(", values {}", ValuesName(judgement.values));
    if (judgement.values == Values::kBetween) said += " right and wrong";
    if (judgement.steps > 0) {
      said += fmt::format(": off by up to {:.6g} steps, {:.2g} of the range", judgement.steps,
                          judgement.fraction);
    } else if (judgement.fraction > 0) {
      said += fmt::format(": off by up to {:.2g}", judgement.fraction);
    }
    return said;
  }

  static std::string Message(const Answer& answer) {
    for (const Stage stage : {Stage::kValidate, Stage::kPrepare, Stage::kExecute}) {
      if (!answer[stage].message.empty()) return Printable(answer[stage].message, 300);
    }
    return "";
  }

  static std::string Ours(const ComparedNode& node) {
    std::string ours(ConsequenceName(node.verdict));
    if (!node.constraints.empty()) ours += ": " + Printable(Joined(node.constraints, ", "));
    if (!node.reason.empty()) ours += ": " + Printable(node.reason);
    return ours;
  }

  void Block(const ComparedNode& node) {
    const std::string title(AgreementText(node.agreement));
    Line(paint_(StyleOf(node), title, true) + paint_(Style::kBold, ": " + Place(node)));
    Labelled("quantgate", Ours(node));
    Labelled("library", Said(node));
    if (node.answer.not_queried.empty()) Labelled("it says", Message(node.answer), Style::kGrey);
    Labelled("known", Printable(node.known));
    Line("");
  }

  void Table() {
    size_t columns = 4;
    for (const ComparedNode& node : comparison_.nodes) {
      columns = std::max(columns, Columns(Printable(node.name, kNameColumns)));
    }
    Line(paint_(Style::kGrey, "  " + PadRight("node", columns) + "  " + PadRight("op", 22) +
                                  PadRight("quantgate", 15) + "library"));
    for (const ComparedNode* node : comparison_.Sorted()) {
      Line("  " + PadRight(paint_(StyleOf(*node), Printable(node->name, kNameColumns)), columns) +
           "  " + PadRight(Printable(node->op, 20), 22) +
           PadRight(std::string(ConsequenceName(node->verdict)), 15) + Said(*node));
    }
    Line("");
  }

  void Summary() {
    static constexpr std::string_view kMeanings[] = {
        "both say the same", "quantgate expects a failure that does not come",
        "the library fails where quantgate expects it to work", "quantgate does not know",
        "the library could not be asked"};
    const auto counts = comparison_.Counts();
    Line(paint_(Style::kGrey, "  " + PadRight("", 18) + "nodes"));
    for (int i = 0; i < kAgreementCount; ++i) {
      const auto agreement = static_cast<Agreement>(i);
      const size_t count = counts[static_cast<size_t>(i)];
      // The three counts that tell how right quantgate is are never left out.
      if (count == 0 && agreement == Agreement::kNotQueried) continue;
      ComparedNode like;
      like.agreement = agreement;
      const Style style = count == 0 ? Style::kGrey : StyleOf(like);
      std::string line = "  " + PadRight(paint_(style, AgreementText(agreement), count > 0), 18) +
                         PadLeft(std::to_string(count), 5);
      const std::string_view meaning = kMeanings[static_cast<size_t>(i)];
      if (Columns(line) + 2 + Columns(meaning) <= width_) {
        line += "  " + paint_(Style::kGrey, meaning);
      }
      Line(line);
    }
    Line("  " + PadRight("total", 18) + PadLeft(std::to_string(comparison_.nodes.size()), 5));
    Line("");
    const size_t wrong = counts[1] + counts[2];
    if (comparison_.nodes.empty()) {
      Line(paint_(Style::kYellow, "nothing to ask", true) + ": the model has no nodes");
    } else if (comparison_.HasUnlistedDisagreement()) {
      Line(paint_(Style::kRed, "disagrees", true) +
           fmt::format(": on {} of {} nodes", wrong, comparison_.nodes.size()));
    } else if (wrong > 0) {
      Line(paint_(Style::kGreen, "agrees", true) + fmt::format(" but for {} listed", wrong));
    } else if (counts[0] == 0) {
      Line(paint_(Style::kYellow, "unknown", true) + ": nothing could be compared");
    } else {
      Line(paint_(Style::kGreen, "agrees", true) +
           fmt::format(": on {} of {} nodes", counts[0], comparison_.nodes.size()));
    }
  }

  const Comparison& comparison_;
  const bool verbose_;
};

}  // namespace

std::string ComparisonText(const Comparison& comparison, const TextOptions& options) {
  return ComparisonPrinter(comparison, options).Print();
}

}  // namespace quantgate::verify
