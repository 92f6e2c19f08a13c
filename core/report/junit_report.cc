// JUnit XML as CI systems read it: a suite per model, a case per node. Errors of a node are its
// failure, what is less severe stands in its output, an unchecked node is skipped.
#include <fmt/core.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/place.h"
#include "core/report/reporters.h"
#include "core/report/words.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

std::string Escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string Title(const Finding& finding) {
  return fmt::format("{} {}: {}", finding.rule->code, finding.rule->slug,
                     Printable(finding.message));
}

std::string InFull(const Checked& checked, const Finding& finding) {
  return fmt::format("{}\n{}\n{}\n", Title(finding), PlaceText(checked.report, finding),
                     DetailsText(checked, finding));
}

struct Suite {
  size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  std::string cases;
};

class JunitReporter : public Reporter {
 public:
  explicit JunitReporter(const ReporterOptions& options) : options_(options) {}

  std::string Add(const Checked& checked) override {
    const Report& report = checked.report;
    const std::string file = Printable(ModelPlace(report.model, options_.root).path);
    Suite suite;
    // Findings stand in the order of the nodes, those of the model as a whole first or last.
    std::vector<std::vector<const Finding*>> by_node(report.nodes.size());
    std::vector<const Finding*> of_model;
    for (const Finding& finding : report.findings) {
      const auto node = static_cast<size_t>(finding.node_index);
      (finding.node_index >= 0 && node < by_node.size() ? by_node[node] : of_model)
          .push_back(&finding);
    }
    if (!of_model.empty())
      Case(checked, file, "the model as a whole", "model", of_model, "", suite);
    for (size_t i = 0; i < report.nodes.size(); ++i) {
      const NodeReport& node = report.nodes[i];
      // Encodings and constants are no work of the backend.
      if (!node.into.empty() && node.verdict == Consequence::kAccepted) continue;
      const std::string reason =
          node.verdict == Consequence::kUnchecked
              ? (node.reason.empty() ? "nothing is known" : Printable(node.reason))
              : "";
      Case(checked, file, Name(node.name), Name(node.op), by_node[i], reason, suite);
    }
    Append(Printable(report.model), TargetText(report, ", "), suite);
    return "";
  }

  std::string AddUnreadable(std::string_view model, std::string_view place,
                            std::string_view reason) override {
    std::string message = Printable(reason);
    if (!place.empty()) message = Printable(place) + ": " + message;
    Suite suite;
    suite.tests = suite.errors = 1;
    suite.cases = fmt::format(
        "    <testcase name=\"readable\" classname=\"{}\" time=\"0\">\n"
        "      <error type=\"unreadable\" message=\"{}\"/>\n    </testcase>\n",
        Escaped(Printable(model)), Escaped(message));
    Append(Printable(model), "", suite);
    return "";
  }

  std::string Finish() override {
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"quantgate\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"0\">\n{}</testsuites>\n",
        total_.tests, total_.failures, total_.errors, total_.skipped, total_.cases);
  }

 private:
  static void Case(const Checked& checked, const std::string& file, const std::string& name,
                   const std::string& op, std::span<const Finding* const> findings,
                   const std::string& skipped, Suite& suite) {
    std::string first, failure, output;
    size_t failed = 0;
    for (const Finding* finding : findings) {
      if (finding->level != Level::kError) {
        output += fmt::format("{}: {}", LevelName(finding->level), InFull(checked, *finding));
        continue;
      }
      if (failed++ == 0) first = Title(*finding);
      failure += InFull(checked, *finding);
    }
    if (failed > 1) first += fmt::format(" (and {} more)", failed - 1);
    ++suite.tests;
    suite.cases +=
        fmt::format("    <testcase name=\"{}\" classname=\"{}.{}\" file=\"{}\" time=\"0\">\n",
                    Escaped(name), Escaped(file), Escaped(op), Escaped(file));
    if (failed > 0) {
      ++suite.failures;
      suite.cases += fmt::format("      <failure type=\"quantgate\" message=\"{}\">{}</failure>\n",
                                 Escaped(first), Escaped(failure));
    } else if (!skipped.empty()) {
      ++suite.skipped;
      suite.cases += fmt::format("      <skipped message=\"{}\"/>\n", Escaped(skipped));
    }
    if (!output.empty()) {
      suite.cases += fmt::format("      <system-out>{}</system-out>\n", Escaped(output));
    }
    suite.cases += "    </testcase>\n";
  }

  void Append(const std::string& name, const std::string& target, const Suite& suite) {
    std::string properties;
    if (!target.empty()) {
      properties =
          fmt::format("    <properties><property name=\"target\" value=\"{}\"/></properties>\n",
                      Escaped(target));
    }
    total_.cases += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" "
        "time=\"0\">\n{}{}  </testsuite>\n",
        Escaped(name), suite.tests, suite.failures, suite.errors, suite.skipped, properties,
        suite.cases);
    total_.tests += suite.tests;
    total_.failures += suite.failures;
    total_.errors += suite.errors;
    total_.skipped += suite.skipped;
  }

  const ReporterOptions options_;
  Suite total_;
};

}  // namespace

std::unique_ptr<Reporter> MakeJunitReporter(const ReporterOptions& options) {
  return std::make_unique<JunitReporter>(options);
}

}  // namespace quantgate
