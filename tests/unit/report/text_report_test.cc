#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/reporter.h"
#include "quantgate/report_text.h"
#include "quantgate/text.h"
#include "tests/unit/support/sample_report.h"

namespace quantgate {
namespace {

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

size_t CountOf(const std::string& text, std::string_view part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string LastLine(const std::string& text) {
  const size_t end = text.size() - 1;
  return text.substr(text.rfind('\n', end - 1) + 1, end - text.rfind('\n', end - 1) - 1);
}

TEST(TextReport, TellsTheTargetAndWhatIsKnown) {
  const std::string text = ReportText(SampleReport());
  EXPECT_TRUE(Has(text, "resnet.onnx  htp · SDK 2.51 · v73 · SM8550 · route onnxruntime\n"));
  EXPECT_TRUE(Has(text,
                  "basis: 4 nodes measured on SDK 2.51 (x86-64 library and emulator, not a chip) · 1 "
                  "unknown\n"));
  EXPECT_TRUE(Has(text, "note: something to know\n"));
  Report report = SampleReport();
  report.basis = {0, 4, 0, 0};
  EXPECT_TRUE(Has(ReportText(report), "basis: 4 nodes documented only\n"));
  report.basis = {0, 0, 3, 0};
  EXPECT_TRUE(Has(ReportText(report), "basis: 3 nodes measured on another SDK (x86-64"));
}

TEST(TextReport, WhatMeasuredAndWhoRefusesIsTheBackends) {
  Report report = SampleReport();
  report.measured_by = "the Wave compiler";
  report.has_op_validation = false;
  const std::string text = ReportText(report);
  EXPECT_TRUE(Has(text, "basis: 4 nodes measured on SDK 2.51 (the Wave compiler) · 1 unknown\n"));
  EXPECT_TRUE(Has(text, "rejected: the backend does not run it"));
  EXPECT_FALSE(Has(text, "op validation"));
  report.measured_by.clear();
  EXPECT_TRUE(Has(ReportText(report), "basis: 4 nodes measured on SDK 2.51 · 1 unknown\n"));
}

TEST(TextReport, AFindingSaysWhereWhatAndWhy) {
  EXPECT_TRUE(Has(
      ReportText(SampleReport()),
      "error[QG301] asymmetric-encoding: in[1] of Conv2d must be symmetric on HTP v73\n"
      "  at       node \"stem.conv\" (Conv → Conv2d), in[1] \"stem.conv.weight\", model.py:42\n"
      "  found    SFIXED_POINT_8 per-channel axis 3, zero_point 3 (offset -3) in 2 of 64 channels\n"
      "  allowed  zero_point 0 in every channel\n"
      "  effect   rejected: the backend's op validation refuses it\n"
      "  because  htp/Conv2d/in[1]/symmetric (documented in 2.13, 2.25; measured on 2.51)\n"
      "  fix      quantize the weight symmetric\n"
      "\n"));
  EXPECT_TRUE(Has(ReportText(SampleReport()), "\n  more: quantgate explain QG301\n\n"));
  EXPECT_TRUE(Has(ReportText(SampleReport(), {.verbose = true}),
                  "  more     quantgate explain QG301\n"));
}

TEST(TextReport, ARuleNobodyMeasuredSaysDocumentsOnly) {
  EXPECT_TRUE(
      Has(ReportText(SampleReport()), "htp/Reshape/out[0]/same_encoding (documents only: 2.25)"));
}

TEST(TextReport, EqualFindingsAreOneBlock) {
  const std::string text = ReportText(SampleReport(118));
  EXPECT_EQ(CountOf(text, "[QG401]"), 1u);
  EXPECT_TRUE(
      Has(text,
          "  also in  117 nodes: reshape1, reshape2, reshape3, … and 114 more\n"));
}

TEST(TextReport, DifferentValuesAreOneKind) {
  const std::string text = ReportText(SampleReport(10, /*same_values=*/false));
  EXPECT_EQ(CountOf(text, "[QG401]"), 1u);
  EXPECT_TRUE(Has(text, "  also in  9 nodes, with other values: reshape1, reshape2, reshape3, … "
                        "and 6 more\n"))
      << text;
}

TEST(TextReport, AKindIsARuleAndAConsequence) {
  Report report = SampleReport(4);
  EXPECT_EQ(FindingGroup(report.findings[0]), "QG301/rejected");
  EXPECT_EQ(FindingGroup(report.findings[2]), "QG401/wrong_values");
  report.findings[2].consequence = Consequence::kUndocumented;
  report.findings[2].level = Level::kNote;
  const std::string text = ReportText(report);
  EXPECT_EQ(CountOf(text, "error[QG401]"), 1u) << text;
  EXPECT_EQ(CountOf(text, "note[QG401]"), 1u) << text;
}

// As many kinds as rules, each on three nodes.
Report ManyKinds(size_t kinds, std::vector<Rule>& rules) {
  Report report = SampleReport(3);
  const Finding like = report.findings[1];
  rules.resize(kinds);
  for (size_t i = 0; i < kinds; ++i) {
    rules[i] = {"QG500", "a-rule", "Summary", "Explanation"};
    rules[i].code = std::string_view("QG500QG501QG502QG503QG504QG505QG506QG507QG508QG509QG510QG511"
                                     "QG512QG513QG514QG515QG516QG517QG518QG519QG520QG521QG522QG523")
                        .substr(5 * i, 5);
    for (int32_t node = 4; node < 7; ++node) {
      Finding finding = like;
      finding.rule = &rules[i];
      finding.node_index = node;
      finding.node = report.nodes[static_cast<size_t>(node)].name;
      report.findings.push_back(finding);
    }
  }
  return report;
}

TEST(TextReport, ManyKindsKeepToThirtyLinesWorstFirst) {
  for (size_t kinds = 0; kinds <= 24; ++kinds) {
    std::vector<Rule> rules;
    const std::string text = ReportText(ManyKinds(kinds, rules));
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30) << text;
    EXPECT_TRUE(Has(text, "error[QG301] asymmetric-encoding: in[1] of Conv2d must be")) << text;
    EXPECT_TRUE(Has(text, "  effect   rejected:")) << text;
  }
  std::vector<Rule> rules;
  const std::string some = ReportText(ManyKinds(4, rules));
  EXPECT_TRUE(Has(some, "error[QG503] a-rule at \"reshape0\" and 2 more nodes: out[0] of Reshape "
                        "must have the encoding of\n  in[0]\n"))
      << some;
  EXPECT_TRUE(Has(some, "--verbose for every finding\n")) << some;
  const std::string many = ReportText(ManyKinds(24, rules));
  EXPECT_TRUE(Has(many, " more kinds of findings (")) << many;
  // Nothing is left out where it is asked for.
  EXPECT_EQ(CountOf(ReportText(ManyKinds(24, rules), {.verbose = true}), "  effect   "), 76u);
}

TEST(TextReport, PortsOfANodeThatBreakTheSameRuleAreOneBlock) {
  Report report = SampleReport();
  Finding again = report.findings[0];
  again.port = "in[2]";
  again.constraint = "htp/Conv2d/in[2]/symmetric";
  report.findings.insert(report.findings.begin() + 1, again);
  again.port = "out[0]";
  again.found = "zero_point 7";
  report.findings.insert(report.findings.begin() + 2, again);
  const std::string text = ReportText(report);
  EXPECT_TRUE(Has(text, "  also     its in[2], out[0] (zero_point 7)\n")) << text;
  EXPECT_EQ(CountOf(text, "[QG301]"), 1u);
  // What asks for something else is another case of the kind.
  report.findings[1].allowed = "something else";
  EXPECT_TRUE(Has(ReportText(report), "  also in  1 node, with other values: stem.conv\n"));
}

TEST(TextReport, AFindingThatTellsWhyANodeIsUncheckedIsNotRepeated) {
  Report report = SampleReport();
  Finding unknown;
  unknown.rule = &kModelRule;
  unknown.consequence = Consequence::kUnchecked;
  unknown.level = Level::kNote;
  unknown.node_index = 3;
  unknown.node = "odd";
  unknown.message = "control flow isn't checked";
  report.findings.push_back(unknown);
  EXPECT_EQ(CountOf(ReportText(report), "control flow isn't checked"), 1u);
}

TEST(TextReport, WorstFirst) {
  Report report = SampleReport();
  std::reverse(report.findings.begin(), report.findings.end());
  const std::string text = ReportText(report);
  EXPECT_LT(text.find("[QG301]"), text.find("[QG401]"));
}

TEST(TextReport, VerboseTellsEachFindingAndNode) {
  const std::string text = ReportText(SampleReport(118), {.color = false, .verbose = true});
  EXPECT_EQ(CountOf(text, "[QG401]"), 118u);
  EXPECT_TRUE(Has(text, "  related  in[0]\n"));
  EXPECT_TRUE(Has(text, "set tensors/stem.conv.weight/encoding/perChannel/zeroPoints = [0]\n"));
  EXPECT_TRUE(Has(text, "remove nodes/q\n"));
  EXPECT_TRUE(Has(text, "  accepted       q           QuantizeLinear, part of stem.conv\n"));
  EXPECT_TRUE(Has(text, "  rejected       stem.conv   Conv → Conv2d\n"));
}

TEST(TextReport, UncheckedNodesSayWhy) {
  EXPECT_TRUE(Has(ReportText(SampleReport()),
                  "unchecked: 1 node: control flow isn't checked\n  nodes    odd\n"));
}

TEST(TextReport, FindingsOfTheModel) {
  Report report = EmptyReport();
  Finding finding;
  finding.rule = &kModelRule;
  finding.message = "nodes a and b feed each other";
  report.findings = {finding};
  report.failed = true;
  const std::string text = ReportText(report);
  EXPECT_TRUE(Has(text, "  at       the model as a whole\n"));
  EXPECT_EQ(LastLine(text), "failed: the model as a whole has errors");
}

TEST(TextReport, SummaryCountsVerdicts) {
  EXPECT_TRUE(Has(ReportText(SampleReport()),
                  "5 nodes: 2 rejected · 1 wrong_values · 1 accepted · 1 unchecked\n"));
  EXPECT_TRUE(Has(ReportText(SampleReport(), {.verbose = true}),
                  "  verdict        nodes\n"
                  "  rejected           2  the backend's op validation refuses it\n"
                  "  wrong_values       1  every call succeeds, the numbers are wrong\n"
                  "  accepted           1  nothing found against it\n"
                  "  unchecked          1  nothing is known\n"
                  "  total              5\n"));
}

struct Ending {
  std::vector<Consequence> verdicts;
  bool failed;
  Mode mode;
  std::string expected;
};

TEST(TextReport, ClosesWithTheAnswer) {
  using enum Consequence;
  const std::vector<Ending> cases = {
      {{kAccepted}, false, Mode::kStrict, "fits: the node is accepted"},
      {{kAccepted, kAccepted}, false, Mode::kStrict, "fits: all 2 nodes accepted"},
      {{kAccepted, kAltered, kAltered, kAdvice},
       false,
       Mode::kStrict,
       "fits: 2 of 4 nodes run altered, 1 has advice"},
      {{kAccepted, kUnchecked},
       false,
       Mode::kStrict,
       "partly checked: 1 of 2 nodes is unchecked"},
      {{kUnchecked}, false, Mode::kStrict, "unknown: no node could be checked"},
      {{kRejected, kAccepted, kWrongValues},
       true,
       Mode::kStrict,
       "failed: 1 of 3 nodes would be rejected, 1 would compute wrong values"},
      {{kRejected, kAccepted, kAltered},
       false,
       Mode::kWarn,
       "passed (mode warn): 1 of 3 nodes would be rejected, 1 runs altered"},
      {{kAltered, kAccepted}, true, Mode::kStrict, "failed: 1 of 2 nodes runs altered"},
      {{kWrongValues, kAccepted},
       false,
       Mode::kStrict,
       "passed: 1 of 2 nodes would compute wrong values"},
      {{}, false, Mode::kStrict, "nothing to check: the model has no nodes"},
  };
  for (const Ending& ending : cases) {
    Report report = EmptyReport();
    for (const Consequence verdict : ending.verdicts) {
      report.nodes.push_back({"n", "Op", {"Op"}, verdict, Basis::kMeasured, "", "", ""});
    }
    report.failed = ending.failed;
    report.mode = ending.mode;
    Count(report);
    EXPECT_EQ(LastLine(ReportText(report)), ending.expected);
  }
}

TEST(TextReport, ColoursOnlyWhenAsked) {
  const std::string plain = ReportText(SampleReport());
  const std::string coloured = ReportText(SampleReport(), {.color = true});
  EXPECT_FALSE(Has(plain, "\x1b"));
  EXPECT_TRUE(Has(coloured, "\x1b[1;31merror[QG301]\x1b[0m"));
  // The same text under the colours.
  std::string stripped;
  for (size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\x1b') {
      i = coloured.find('m', i);
      continue;
    }
    stripped += coloured[i];
  }
  EXPECT_EQ(stripped, plain);
}

TEST(TextReport, KeepsToTheWidth) {
  Report report = SampleReport(118);
  report.findings[0].message = std::string(40, 'm') + " " + std::string(30, 'n') + " end";
  std::istringstream lines(ReportText(report, {.width = 60}));
  for (std::string line; std::getline(lines, line);) {
    // Constraint ids and names stay whole.
    if (Has(line, "stem.conv.weight")) continue;
    EXPECT_LE(Columns(line), 60u) << line;
  }
}

TEST(TextReport, NamesCanNotSteerTheTerminal) {
  Report report = SampleReport();
  report.findings[0].node = "evil\x1b[2J\r\x07name\xff\n";
  report.nodes[3].name =
      "\xc2\x9b"
      "31m";
  report.model = std::string(1 << 20, 'x');
  const std::string text = ReportText(report);
  EXPECT_FALSE(Has(text, "\x1b"));
  EXPECT_FALSE(Has(text, "\xc2\x9b"));
  EXPECT_TRUE(Has(text, "evil\\x1b[2J\\x0d\\x07name\xEF\xBF\xBD "));
  EXPECT_LT(text.size(), 10000u);
}

TEST(Layout, PrintableKeepsGoodUtf8AndReplacesBad) {
  EXPECT_EQ(Printable("caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80"),
            "caf\xc3\xa9 \xe2\x86\x92 \xf0\x9f\x98\x80");
  EXPECT_EQ(Printable("\xc0\xaf"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "abc"),
            "\xEF\xBF\xBD"
            "abc");
  EXPECT_EQ(Printable("abcdefghij", 5), "ab…ij");
}

TEST(Layout, WrapBreaksAtSpaces) {
  EXPECT_EQ(Wrap("aa bb cc", 5), (std::vector<std::string>{"aa bb", "cc"}));
  EXPECT_EQ(Wrap("aaaaaaaa b", 5), (std::vector<std::string>{"aaaaaaaa", "b"}));
  EXPECT_EQ(Wrap("", 5), std::vector<std::string>{""});
  EXPECT_EQ(Wrap("→→ →→", 5), std::vector<std::string>{"→→ →→"});
}

TEST(Layout, ColumnsCountCharactersNotColours) {
  EXPECT_EQ(Columns("\x1b[1;31mab→\x1b[0m"), 3u);
  EXPECT_EQ(PadRight("→", 3), "→  ");
  EXPECT_EQ(PadLeft("→", 3), "  →");
}

}  // namespace
}  // namespace quantgate
