// What explain makes of logs: patterns with holes, the index of their words, the order of lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "tools/quantgate/log/literal_index.h"
#include "tools/quantgate/log/log_messages.h"
#include "tools/quantgate/log/log_pattern.h"
#include "tools/quantgate/log/log_table.h"
#include "tools/quantgate/log/message_files.h"

namespace quantgate::cli {
namespace {

std::string Caught(std::string_view pattern, std::string_view line, std::string_view hole = "x") {
  const auto captures = LogPattern(pattern).Match(line);
  if (!captures) return "(no match)";
  const auto at = captures->find(hole);
  return at == captures->end() ? "(no hole)" : at->second;
}

TEST(LogPattern, HolesCatchByType) {
  EXPECT_EQ(Caught("op {x} with", "an op /a/b c with"), "/a/b c");
  EXPECT_EQ(Caught("op {x}", "an op /a/b, then"), "/a/b");
  EXPECT_EQ(Caught("rank {x:int}.", "rank 17."), "17");
  EXPECT_EQ(Caught("rank {x:int}.", "rank x7."), "(no match)");
  EXPECT_EQ(Caught("err {x:code}", "err 0xc26)"), "0xc26");
  EXPECT_EQ(Caught("err {x:code}", "err 3110: no"), "3110");
  EXPECT_EQ(Caught("err {x:code}", "err QNN_GRAPH_ERROR_ABORTED: no"), "QNN_GRAPH_ERROR_ABORTED");
  EXPECT_EQ(Caught("err {x:code}", "err abc"), "(no match)");
  EXPECT_EQ(Caught("err {x:code}", "err 0x"), "(no match)");
  EXPECT_EQ(Caught("op `{x:word}`", "op `Conv`"), "Conv");
  EXPECT_EQ(Caught("op `{x:word}`", "op `a b`"), "(no match)");
  EXPECT_EQ(Caught("why: {x:rest}", "why: it is so \r"), "it is so");
  EXPECT_EQ(Caught("why:{x:rest}", "why:"), "");
  EXPECT_EQ(Caught("{x}: no bits", "E image: no bits"), "image");
  EXPECT_EQ(Caught("{x}: no bits", ": no bits"), "(no match)");
}

TEST(LogPattern, WhatIsNotWellFormedMatchesNothing) {
  for (const std::string_view wrong :
       {"{x}", "a {x:float}", "a {x:}", "a {:int}", "a {}", "a {x}{y}", "a {x:rest} b", ""}) {
    SCOPED_TRACE(wrong);
    const LogPattern pattern(wrong);
    EXPECT_FALSE(pattern.wrong().empty());
    EXPECT_FALSE(pattern.Match("a b c"));
  }
  EXPECT_EQ(LogPattern("ab {x} longer {y}").Literal(), " longer ");
}

TEST(LiteralIndex, FindsAllThatAreThere) {
  const std::vector<std::string_view> texts = {"he",     "she", "hers",  "he",
                                               "ushers", "",    "other", "\xff\xfe"};
  const LiteralIndex index(texts);
  const auto found = [&](std::string_view in) {
    std::vector<uint32_t> numbers;
    index.FindAll(in, numbers);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    return numbers;
  };
  EXPECT_EQ(found("ushers\nsh e"), (std::vector<uint32_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(found("hehe"), (std::vector<uint32_t>{0, 3}));
  EXPECT_EQ(found("usher"), (std::vector<uint32_t>{0, 1, 3}));
  EXPECT_EQ(found("\xff\xfe"), (std::vector<uint32_t>{7}));
  EXPECT_TRUE(found("").empty());
  EXPECT_EQ(found("s h e r s"), std::vector<uint32_t>());
  const auto line = [&](std::string_view in, size_t from) {
    return in.rfind('\n', index.First(in, from));
  };
  EXPECT_EQ(line("xx\n she\nother\n", 0), 2u);
  EXPECT_EQ(line("xx\nother\n she\n", 0), 2u);
  EXPECT_EQ(line("xx\nother\n she\n", 9), 8u);
  EXPECT_EQ(index.First("xx she", 5), std::string_view::npos);
  EXPECT_EQ(LiteralIndex({}).First("anything", 0), std::string_view::npos);
}

constexpr std::string_view kTable = R"(==> words.yaml
phrases: {look: "look there", unknown line: "not known", unknown error: "read on"}
names:
  nodes: ["node '{node}'", "node {node:word} of {op:word}", "kind={op:word}"]
  errors: ["status {code:code}"]
  soc ids: ["SoC {id:int}"]
tables: {kinds: {"0x2": "two"}, fastrpc: {"0x80000442": "no symbol"}}
errors:
  - {code: 7001, name: TENSOR_ERROR_LOST, means: "the tensor is lost", do: "find it"}
  - {code: 1002, name: COMMON_ERROR_MEM_ALLOC, means: "no memory", do: "take less"}
==> messages.yaml
about ops:
  - {pattern: "bad type {code:code}", role: cause, rule: QG201, means: "{code|dtype}", do: "cast"}
  - {pattern: "bad rank {n:int}", role: cause, rule: QG501, means: "rank {n}", do: "reshape"}
  - {pattern: "refused {node}", role: verdict, means: "refused", alone: "nobody says why", do: $look}
  - {pattern: "again refused", role: echo, means: "an echo"}
  - {pattern: "so it failed {code:code}", role: effect, means: "failed, {code|error}"}
  - {pattern: "it is {node} of {op:word}", role: subject}
  - {pattern: "chatter", role: quiet}
about other:
  - {pattern: "size {n:int} kind {code:code}", means: "{n|bytes}, {n|kib}, {code|kinds}", do: "{code|do}"}
  - {pattern: "code {code:code}", when: {code: known}, means: "{code|error}", do: "{code|do}"}
  - {pattern: "chip {name:word}", when: {name: [SM, SA]}, means: "chip {name}", do: "upgrade"}
  - {pattern: "kernel.cc says {rest:rest}", role: stage, means: "the kernel speaks", do: "listen"}
  - {pattern: "value {n:int}", when: {n: [5, 6]}, means: "five or six", do: "less"}
  - {pattern: "{n} are too many", means: "{n} too many", do: "less"}
  - {in failures: ["--some_option{rest:rest}"], means: "an option", do: "leave it out"}
)";

class Logs : public testing::Test {
 protected:
  LogAnswer Explain(std::string_view log) {
    EXPECT_EQ(table_.wrong(), std::vector<std::string>());
    LogReader reader(table_);
    reader.Read(log);
    return std::move(reader).Finish();
  }
  // The only finding.
  LogFinding One(std::string_view log) {
    LogAnswer answer = Explain(log);
    EXPECT_EQ(answer.findings.size(), 1u) << log;
    return answer.findings.empty() ? LogFinding() : answer.findings.front();
  }

  LogTable table_{ParseMessageFiles(kTable)};
};

TEST_F(Logs, AVerdictTakesTheCausesBeforeIt) {
  const LogFinding finding = One("E bad type 0x408\nbad rank 6\nagain refused\nE refused a\n");
  EXPECT_EQ(finding.node, "a");
  EXPECT_EQ(finding.causes, (std::vector<std::string>{"UFIXED_POINT_8 (0x408)", "rank 6"}));
  EXPECT_EQ(finding.rule->code, "QG201");  // one rule, the first cause's
  EXPECT_EQ(finding.action, "cast");
  EXPECT_EQ(finding.means, "refused");
}

TEST_F(Logs, AVerdictWithoutCausesSaysSo) {
  const LogFinding finding = One("refused a\n" + std::string(30, '\n') + "bad rank");
  EXPECT_EQ(finding.means, "refused; nobody says why");
  EXPECT_EQ(finding.rule, nullptr);
  EXPECT_EQ(finding.action, "look there");
}

TEST_F(Logs, ACauseRightAfterAVerdictIsItsOwn) {
  const LogFinding finding = One("refused a\nbad rank 5");
  EXPECT_EQ(finding.causes, std::vector<std::string>{"rank 5"});
  EXPECT_EQ(finding.means, "refused");
  EXPECT_EQ(finding.rule->code, "QG501");
  // But the one of the next verdict stays with that one.
  const LogAnswer two = Explain("refused a\nbad rank 5\nrefused b\n");
  ASSERT_EQ(two.findings.size(), 2u);
  EXPECT_TRUE(two.findings[0].causes.empty());
  EXPECT_EQ(two.findings[1].causes, std::vector<std::string>{"rank 5"});
}

TEST_F(Logs, CausesFarAwayStandAlone) {
  const LogAnswer answer = Explain("bad rank 5\n" + std::string(40, '\n') + "refused a\n");
  ASSERT_EQ(answer.findings.size(), 2u);
  EXPECT_EQ(answer.findings[0].means, "rank 5");
  EXPECT_EQ(answer.findings[1].line, 42u);
}

TEST_F(Logs, EffectsAndEchoesBelongToWhatIsBefore) {
  LogFinding finding = One("refused a\nagain refused\nso it failed 0x3ea\n");
  EXPECT_EQ(finding.effects,
            std::vector<std::string>{
                "failed, 0x3ea = 1002 = QNN_COMMON_ERROR_MEM_ALLOC (no memory)"});
  finding = One("bad rank 5\nso it failed 1002\n");
  EXPECT_EQ(finding.means, "rank 5");
  EXPECT_EQ(finding.effects.size(), 1u);
  EXPECT_EQ(One("so it failed 9\n").means, "failed, 9");
  EXPECT_EQ(One("again refused\n").means, "an echo");
  EXPECT_EQ(One("bad rank 5\nagain refused\n").means, "rank 5");
}

TEST_F(Logs, ASubjectNamesTheNodeOfTheNextLines) {
  const LogFinding finding = One("it is n1 of Conv\nso it failed 1002\n");
  EXPECT_EQ(finding.node, "n1");
  EXPECT_EQ(finding.op, "Conv");
  EXPECT_EQ(One("it is n1 of Conv\n\n\n\n\nso it failed 1002\n").node, "");
  EXPECT_TRUE(Explain("it is n1 of Conv\nchatter").findings.empty());
}

TEST_F(Logs, CodesAndSizesInWords) {
  EXPECT_EQ(One("size 37748736 kind 0x2").means, "36 MiB, 36 GiB, 0x2 (two)");
  EXPECT_EQ(One("code 7001").action, "find it");
  EXPECT_EQ(One("code QNN_TENSOR_ERROR_LOST: gone").means,
            "QNN_TENSOR_ERROR_LOST = 7001 (the tensor is lost)");
  // Every component has the common errors under a name of its own.
  EXPECT_EQ(One("code QNN_GRAPH_ERROR_MEM_ALLOC").means,
            "QNN_GRAPH_ERROR_MEM_ALLOC = 1002 (no memory)");
  EXPECT_TRUE(Explain("code 7002\ncode QNN_GRAPH_ERROR_NONE\n").findings.empty());
}

TEST_F(Logs, ConditionsOfHoles) {
  EXPECT_EQ(Explain("value 4\nvalue 7\nchip SMART\nchip XM8550\n").findings.size(), 0u);
  EXPECT_EQ(One("value 6\n").means, "five or six");
  EXPECT_EQ(One("chip SM8735.\n").means, "chip SM8735");
}

TEST_F(Logs, WhatALineNamesIsSaidInWords) {
  const LogFinding finding =
      One("value 6: node '/a/b', kind=Conv, SoC 57, status 7001, v2.49.0 of the SDK");
  EXPECT_EQ(finding.node, "/a/b");
  EXPECT_EQ(finding.op, "Conv");
  EXPECT_EQ(finding.names,
            (std::vector<std::string>{"7001 = QNN_TENSOR_ERROR_LOST (the tensor is lost)",
                                      "QNN's SoC id 57 is SM8650, a chip with Hexagon v75",
                                      "SDK version 2.49"}));
  // What the explanation says itself is not said again, nor are numbers that mean nothing.
  EXPECT_TRUE(One("code 7001").names.empty());
  EXPECT_TRUE(One("value 6: status 4, SoC 9999, v2.49.0, HTTP_V2").names.empty());
  EXPECT_EQ(One("value 6: libV79Skel, Error 0x80000442").names,
            (std::vector<std::string>{"0x80000442 (no symbol)", "Hexagon v79"}));
  EXPECT_EQ(One("value 6: HTP_V68_SM7325_2MB").names,
            (std::vector<std::string>{"SM7325, a chip with Hexagon v68", "Hexagon v68"}));
}

TEST_F(Logs, ASubjectNamesTheNodeOfACause) {
  const LogFinding finding = One("it is n1 of Conv\nbad rank 6\n");
  EXPECT_EQ(finding.node, "n1");
  EXPECT_EQ(finding.op, "Conv");
  EXPECT_EQ(finding.means, "rank 6");
}

TEST_F(Logs, UnknownLinesAreExplainedByWhatTheyName) {
  const LogAnswer answer = Explain("ERROR: strange, at node 'a'\n");
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].node, "a");
  EXPECT_EQ(answer.findings[0].means, "not known");
  EXPECT_EQ(answer.unknown_lines, 1u);
  // Where a node near it is known to be at fault, there is nothing to add.
  EXPECT_EQ(Explain("refused b\nERROR: strange, at node 'a'\n").findings.size(), 1u);
}

TEST_F(Logs, WhoSpeaksIsSaidWhereNothingElseIsKnown) {
  EXPECT_EQ(One("ERROR kernel.cc says no\nERROR kernel.cc says never\n").means,
            "the kernel speaks");
  EXPECT_EQ(One("  File \"kernel.cc says no\n").means, "the kernel speaks");
  EXPECT_EQ(One("ERROR kernel.cc says no\nvalue 6\n").means, "five or six");
}

TEST_F(Logs, FewLinesAreLookedAtWhetherTheyLookLikeFailuresOrNot) {
  EXPECT_EQ(One("kernel.cc says hello\n").means, "the kernel speaks");
  EXPECT_EQ(Explain("kernel.cc says hello\n").unknown_lines, 0u);
  EXPECT_EQ(One("kernel.cc says hello\nvalue 6\n").means, "five or six");
  std::string log = "kernel.cc says hello\n";
  for (int i = 0; i < 3; ++i) log += "all is well\n";
  EXPECT_TRUE(Explain(log).findings.empty());
}

TEST_F(Logs, UnknownFailuresAreCountedNotExplained) {
  const LogAnswer answer = Explain("all is well\nERROR: strange 1\nERROR: strange 22\nFAILED x\n");
  EXPECT_TRUE(answer.findings.empty());
  EXPECT_EQ(answer.unknown_lines, 3u);
  ASSERT_EQ(answer.unknown.size(), 2u);
  EXPECT_EQ(answer.unknown[0].line, 2u);
  EXPECT_EQ(answer.unknown[0].count, 2u);
}

TEST_F(Logs, PiecesAreOneLog) {
  LogReader reader(table_);
  reader.Read("bad rank 5\nnothing\n");
  reader.Read("refused a\n");
  const LogAnswer answer = std::move(reader).Finish();
  ASSERT_EQ(answer.findings.size(), 1u);
  EXPECT_EQ(answer.findings[0].line, 3u);
  EXPECT_EQ(answer.findings[0].causes.size(), 1u);
}

TEST_F(Logs, FindingsAreLimited) {
  std::string log;
  for (int i = 0; i < 3000; ++i) log += "refused n" + std::to_string(i) + "\n";
  log += "value 5\n";
  const LogAnswer answer = Explain(log);
  EXPECT_EQ(answer.findings.size(), 1001u);
  EXPECT_EQ(answer.findings.back().means, "five or six");
  EXPECT_EQ(answer.left_out, 2000u);
}

TEST_F(Logs, WhatIsLeftOutTakesItsCausesAlong) {
  std::string log;
  for (int i = 0; i < 1200; ++i) {
    log += "bad rank " + std::to_string(i) + "\nrefused n" + std::to_string(i) + "\n";
  }
  const LogAnswer answer = Explain(log);
  EXPECT_EQ(answer.findings.size(), 1000u);
  EXPECT_EQ(answer.left_out, 200u);
}

TEST_F(Logs, ALineIsTheSameAtAnotherTime) {
  std::string log;
  for (const char* time : {"2026-11-28 10:00:00.123 ", "[11/28 10:00:01,5] ", "  1.2ms ", ""}) {
    log += std::string(time) + "value 5\n";
  }
  const LogFinding finding = One(log);
  EXPECT_EQ(finding.count, 4u);
  EXPECT_EQ(finding.message, "2026-11-28 10:00:00.123 value 5");
}

TEST_F(Logs, NamesOfOptionsCountWhereALineTellsOfAFailure) {
  EXPECT_TRUE(Explain("Running tool --some_option x\n").findings.empty());
  EXPECT_EQ(One("Failed: --some_option x\n").means, "an option");
}

TEST_F(Logs, ANumberThatBeginsALineIsNoTime) {
  EXPECT_EQ(Explain("6 are too many\n7 are too many\n-8 are too many\n").findings.size(), 3u);
}

std::string Meaning(std::string_view log) {
  const LogAnswer answer = ExplainLog(log);
  return answer.findings.size() == 1 ? answer.findings[0].means : "(not one finding)";
}

TEST(LogTable, KnowsTheNumbersOfFastRpcWithAndWithoutTheDspsOffset) {
  for (const std::string_view line :
       {"Error 0x80000414: remote_handle64_control failed for domain 3",
        "ggml-hex: failed to open session 0 : error 0x14"}) {
    EXPECT_NE(Meaning(line).find("not supported (unsupported call)"), std::string::npos) << line;
  }
  EXPECT_NE(Meaning("fastrpc_spawn failed for app").find("fastrpc_shell_3"), std::string::npos);
  EXPECT_NE(Meaning("Unable to create FastRPC session on domain 3").find("/dev/fastrpc-cdsp"),
            std::string::npos);
}

TEST(LogTable, NamesNoRuleForWhatIsNotOfTheModel) {
  for (const std::string_view line :
       {"No dispatch library found in /data/app/lib/arm64",
        "relocation truncated to fit: R_X86_64_PC32 against `.tm_clone_table'",
        "Must use --truncate_64bit_io when input tensors have type int64.",
        "Failed to load symbol <QnnInterface_getProviders>. dlerror returns x",
        "ERROR: No matching distribution found for qai-hub",
        "qnn_graph_create failed. Error 6020"}) {
    const LogAnswer answer = ExplainLog(line);
    ASSERT_EQ(answer.findings.size(), 1u) << line;
    EXPECT_EQ(answer.findings[0].rule, nullptr) << line;
    EXPECT_EQ(answer.unknown_lines, 0u) << line;
  }
}

TEST(LogTable, SaysOfOptionalFilesThatTheyAreNotNeeded) {
  for (const std::string_view line :
       {"apps_std_imp.c:540:Error 45: fopen failed for oemconfig.so. (No such file or directory)",
        "log_config.c:421:file_watcher_thread: Couldn't find file app.farf, errno (2)",
        "apps_std_fopen_with_env failed with 0x2 for libsysmon_skel.so (No such file)",
        "ERROR: Overriding output data pointer allocated by memory plan is not allowed."}) {
    const bool file = line.find("ERROR") != 0;
    EXPECT_NE(Meaning(line).find(file ? "harmless" : "warning"), std::string::npos) << line;
  }
}

TEST(LogTable, TellsAnExpiredQueueFromABrokenOne) {
  EXPECT_NE(Meaning("dspqueue_cpu.c:9: Error 0xc: dspqueue_write failed").find("timed out"),
            std::string::npos);
  EXPECT_EQ(Meaning("dspqueue_cpu.c:9: Error 0xe: dspqueue_write failed").find("timed out"),
            std::string::npos);
}

TEST(LogTable, NamesTheNodeThatABuilderRefuses) {
  const LogAnswer rank = ExplainLog("Failed to validate op /proj/MatMul incorrect Rank 5.");
  ASSERT_EQ(rank.findings.size(), 1u);
  EXPECT_EQ(rank.findings[0].node, "/proj/MatMul");
  ASSERT_NE(rank.findings[0].rule, nullptr);
  EXPECT_EQ(rank.findings[0].rule->code, "QG501");
  const LogAnswer list =
      ExplainLog("Unsupported nodes in QNN EP: { name: n0, type: DequantizeLinear }");
  ASSERT_EQ(list.findings.size(), 1u);
  EXPECT_EQ(list.findings[0].node, "n0");
  EXPECT_EQ(list.findings[0].op, "DequantizeLinear");
}

std::string Names(std::string_view line) {
  const LogAnswer answer = ExplainLog(line);
  std::string names;
  for (const LogFinding& finding : answer.findings) {
    for (const std::string& name : finding.names) names += name + "\n";
  }
  return names;
}

// What is said of lines that no entry is about.
// What the provider, LiteRT, mllm and FastRPC write of a session in which all is well.
TEST(LogTable, FindsNothingInTracesOfAWorkingSession) {
  constexpr std::string_view kLines[] = {
      "[V:onnxruntime:, base_op_builder.cc:40 AddToModelBuilder] QNN node builder is trying to add node. Onnx node "
      "name: [/layer.1/MatMul] onnx node type: [MatMul].",
      "[V:onnxruntime:, base_op_builder.cc:113 ProcessInput] Tensor already added, skip it: y_q",
      "[V:onnxruntime:, conv_op_builder.cc:698 ProcessAttributes] Using DepthWiseConv2d instead of Conv2d for node a",
      "[V:onnxruntime:, qnn_execution_provider.cc:345 ParseBoolOption] User specified "
      "ep.qnn.offload_graph_io_quantization: 1",
      "[V:onnxruntime:, qnn_backend_manager.cc:1310 Extract] The QNN backend does not support extended event data.",
      "[V:onnxruntime:, qnn_execution_provider.cc:1713 LogNodeSupport] Validation PASSED for 3 nodes in OrtNodeUnit "
      "(Gather) :",
      "[I:onnxruntime:, qnn_backend_manager.cc:451 IsDevicePropertySupported] Device property not supported or unknown "
      "to backend.",
      "[INFO] mllm/backends/qnn/QNNBackend.cpp:52 QNN backend supports dynamic dimensions",
      "cdsprpcd[714]: listener_android.c:260: adsp_default_listener_start called",
      "mod_table.c:511: done open_mod_table_open_dynamic for libQnnHtpV73Skel.so rv 0 handle: 4 0"};
  for (const std::string_view line : kLines) {
    SCOPED_TRACE(line);
    std::string log(line);
    for (int i = 0; i < 4; ++i) log += "\nall is well";
    const LogAnswer answer = ExplainLog(log);
    EXPECT_TRUE(answer.findings.empty()) << answer.findings.front().means;
  }
}

TEST(LogTopics, SayWhatAnUnknownLineIsAbout) {
  const std::string one = Meaning("Zorbing: asymmetric LPBQ of the weight failed to settle");
  EXPECT_NE(one.find("unknown to quantgate"), std::string::npos);
  EXPECT_NE(one.find("whether an encoding is symmetric"), std::string::npos);
  EXPECT_NE(one.find("and about block encodings"), std::string::npos);
  // Any case, and of a line that looks like no failure where somebody pastes it alone.
  EXPECT_NE(Meaning("zorb: CONTEXT BINARY v9").find("a context binary"), std::string::npos);
  EXPECT_TRUE(ExplainLog("zorb zorb zorb").findings.empty());
}

// A hint is for lines of which no topic is found.
TEST(LogTopics, HintWhereNothingElseIsFound) {
  EXPECT_NE(Meaning("Error: zorb session zorbs").find("about device, backend or session"),
            std::string::npos);
  EXPECT_EQ(Meaning("Error: zorb session timed out").find("about device, backend or session"),
            std::string::npos);
  EXPECT_NE(Names("Error: zorb GLIBC_2.38 zorbs").find("runtime of the system"), std::string::npos);
}

TEST(LogTopics, GiveEachOfFewLinesItsAnswer) {
  const std::string lines =
      "Failed to finalize graph (id: 1) with err 1002\nError: zorb of the skel.so failed\n";
  EXPECT_EQ(ExplainLog(lines).findings.size(), 2u);
  EXPECT_EQ(ExplainLog(lines + "a\nb\nc\n").findings.size(), 1u);
}

TEST(LogFacts, SayWhatNumbersAre) {
  EXPECT_NE(Names("Error: zorb came to 5005 there").find("CONTEXT_ERROR_CREATE_FROM_BINARY"),
            std::string::npos);
  EXPECT_NE(Names("Error: zorb -2147482611").find("0x8000040d"), std::string::npos);
  EXPECT_NE(Names("Error: zorb datatype 0x408").find("UFIXED_POINT_8"), std::string::npos);
  EXPECT_NE(Names("Error: zorb buffer size 817889280").find("780 MiB"), std::string::npos);
  EXPECT_NE(Names("Error: zorb for arch 68").find("Hexagon v68"), std::string::npos);
  // The line of a source file, and a number that is none of these.
  EXPECT_EQ(Names("graph.cc:5005:Error: zorb 5555"), "");
  EXPECT_EQ(Names("graph.cc:5005 Error: zorb 5555"), "");
}

TEST(LogFacts, SayWhatFilesAre) {
  EXPECT_NE(Names("Error: zorb testsig-0x1.so").find("a test signature"), std::string::npos);
}

TEST(LogFacts, FindANodeByItsLook) {
  const auto node = [](std::string_view line) {
    const LogAnswer answer = ExplainLog(line);
    return answer.findings.empty() ? std::string("?") : answer.findings[0].node;
  };
  EXPECT_EQ(node("Error: zorb at /model.22/Sigmoid_1."), "/model.22/Sigmoid_1");
  EXPECT_EQ(node("Error: zorb (aten_view_copy_default_17)"), "aten_view_copy_default_17");
  EXPECT_EQ(node("Error: zorb opening /vendor/lib64/zorb.so"), "");
}

TEST(LogTable, SaysWhatIsWrong) {
  const auto wrong = [](std::string_view entry) {
    const LogTable table(
        ParseMessageFiles("==> a.yaml\nabout x:\n  - " + std::string(entry) + "\n"));
    return table.wrong().empty() ? std::string() : table.wrong().front();
  };
  EXPECT_EQ(wrong("{pattern: \"a\", means: m, do: d}"), "");
  EXPECT_EQ(wrong("{pattern: \"a\", means: m, do: d, rules: [QG201]}"),
            "a.yaml:2: unknown key 'rules' (did you mean rule?)");
  EXPECT_EQ(wrong("{pattern: \"a\", means: m, do: d, rule: QG000}"),
            "a.yaml:2: unknown rule QG000");
  EXPECT_EQ(wrong("{pattern: \"a\", means: m, do: d, role: king}"), "a.yaml:2: unknown role king");
  EXPECT_EQ(wrong("{pattern: \"a\", means: \"{x}\", do: d}"),
            "a.yaml:2: not every pattern catches {x}");
  EXPECT_EQ(wrong("{pattern: \"a {x}\", means: \"{x|y}\", do: d}"), "a.yaml:2: unknown filter 'y'");
  EXPECT_EQ(wrong("{pattern: \"a\", means: m, do: $p}"), "a.yaml:2: there is no phrase $p");
  EXPECT_EQ(wrong("{pattern: \"a\", do: d}"), "a.yaml:2: no means");
  EXPECT_EQ(wrong("{pattern: \"a\", means: m}"), "a.yaml:2: no do");
  EXPECT_EQ(wrong("{pattern: \"{x}\", means: m, do: d}"), "a.yaml:2: there are no words in it");
  EXPECT_EQ(wrong("{means: m, do: d}"), "a.yaml:2: no pattern");
  EXPECT_EQ(wrong("{means: m, means: m}"), "a.yaml: not YAML, or no mapping");
  EXPECT_EQ(LogTable::Get().wrong(), std::vector<std::string>());
}

}  // namespace
}  // namespace quantgate::cli
