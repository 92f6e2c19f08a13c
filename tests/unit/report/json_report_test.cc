#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/report/json_writer.h"
#include "core/report/reporter.h"
#include "quantgate/version.h"
#include "tests/unit/support/sample_report.h"

namespace quantgate {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Keys(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

TEST(JsonReport, HasExactlyTheFieldsOfTheFormat) {
  const Json json = Json::parse(ReportJson(SampleReport()));
  EXPECT_EQ(Keys(json),
            (std::vector<std::string>{"schemaVersion", "tool", "mode", "model", "target", "route",
                                      "knowledge", "basis", "notes", "verdict", "failed", "summary",
                                      "nodes", "findings"}));
  EXPECT_EQ(json["schemaVersion"], "2");
  EXPECT_EQ(json["tool"], Json({{"name", "quantgate"}, {"version", QUANTGATE_VERSION}}));
  EXPECT_EQ(json["mode"], "strict");
  EXPECT_EQ(json["model"], "resnet.onnx");
  EXPECT_EQ(json["target"],
            Json({{"backend", "htp"}, {"sdk", "2.51"}, {"arch", "v73"}, {"soc", "SM8550"}}));
  EXPECT_EQ(json["route"], "onnxruntime");
  EXPECT_EQ(json["knowledge"], Json({{"sdk", "2.51"}, {"measured", true}}));
  EXPECT_EQ(json["notes"], Json::array({"something to know"}));
  EXPECT_EQ(json["verdict"], "rejected");
  EXPECT_EQ(json["failed"], true);
}

TEST(JsonReport, CountsEveryVerdict) {
  const Json json = Json::parse(ReportJson(SampleReport(3)));
  EXPECT_EQ(json["summary"], Json({{"nodes", 7},
                                   {"accepted", 1},
                                   {"advice", 0},
                                   {"undocumented", 0},
                                   {"altered", 0},
                                   {"wrong_values", 3},
                                   {"prepare_fails", 0},
                                   {"rejected", 2},
                                   {"unchecked", 1}}));
}

TEST(JsonReport, ListsEveryNodeInOrder) {
  const Json nodes = Json::parse(ReportJson(SampleReport()))["nodes"];
  ASSERT_EQ(nodes.size(), 5u);
  EXPECT_EQ(nodes[0].dump(),
            R"({"name":"q","op":"QuantizeLinear","resolved":[],"verdict":"accepted",)"
            R"("into":"stem.conv"})");
  EXPECT_EQ(nodes[1].dump(),
            R"({"name":"stem.conv","op":"Conv","resolved":["Conv2d"],"verdict":"rejected"})");
  EXPECT_EQ(nodes[3].dump(), R"({"name":"odd","op":"Loop","resolved":[],"verdict":"unchecked",)"
                             R"("reason":"control flow isn't checked"})");
}

TEST(JsonReport, WritesAFindingInFull) {
  const Json finding = Json::parse(ReportJson(SampleReport()))["findings"][0];
  EXPECT_EQ(Keys(finding),
            (std::vector<std::string>{"code", "rule", "constraint", "consequence", "level", "group",
                                      "node", "op", "opIndex", "port", "tensor", "message", "found",
                                      "allowed", "fixes", "sources", "related"}));
  EXPECT_EQ(finding["code"], "QG301");
  EXPECT_EQ(finding["rule"], "asymmetric-encoding");
  EXPECT_EQ(finding["consequence"], "rejected");
  EXPECT_EQ(finding["level"], "error");
  EXPECT_EQ(finding["group"], "QG301/rejected");
  EXPECT_EQ(finding["opIndex"], 0);
  EXPECT_EQ(finding["related"], Json::array({"in[0]"}));
  EXPECT_EQ(finding["fixes"].dump(),
            R"([{"summary":"quantize the weight symmetric","safe":false,"edits":[)"
            R"({"op":"set","path":"tensors/stem.conv.weight/encoding/perChannel/zeroPoints",)"
            R"("value":[0]},{"op":"remove","path":"nodes/q"}]}])");
}

TEST(JsonReport, LeavesOutWhatIsNotThere) {
  Report report = SampleReport();
  report.soc.clear();
  report.findings[0].op_index = -1;
  const Json json = Json::parse(ReportJson(report));
  EXPECT_FALSE(json["target"].contains("soc"));
  EXPECT_FALSE(json["findings"][0].contains("opIndex"));
}

TEST(JsonReport, CompactIsOneLineAndEqual) {
  const std::string compact = ReportJson(SampleReport(), 0);
  EXPECT_EQ(compact.find('\n'), std::string::npos);
  EXPECT_EQ(Json::parse(compact), Json::parse(ReportJson(SampleReport(), 2)));
}

TEST(JsonReport, EmptyListsStayLists) {
  const Json json = Json::parse(ReportJson(EmptyReport()));
  EXPECT_EQ(json["nodes"], Json::array());
  EXPECT_EQ(json["findings"], Json::array());
  EXPECT_EQ(json["notes"], Json::array());
  EXPECT_EQ(json["verdict"], "accepted");
}

TEST(JsonReport, AnyBytesInNamesGiveValidJson) {
  Report report = SampleReport();
  report.model = "a\"b\\c\n\x01.onnx";
  report.nodes[0].name = "\xff\xfe";
  report.findings[0].node = "\xc3";
  report.findings[0].found = "caf\xc3\xa9";
  const Json json = Json::parse(ReportJson(report, 2), nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_EQ(json["model"], "a\"b\\c\n\x01.onnx");
  EXPECT_EQ(json["nodes"][0]["name"], "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(json["findings"][0]["found"], "caf\xc3\xa9");
}

// What is written value by value is what a tree of the same values would be dumped as.
TEST(JsonWriter, WritesWhatATreeWouldBeDumpedAs) {
  std::vector<std::string> texts = {"", "plain", "\"", "\\", "a\"b\\c", "caf\xc3\xa9", "\xc3", "\xe2\x82", "\xf0\x9f\x98\x80\xff"};
  for (int byte = 0; byte < 256; ++byte) texts.push_back(std::string("x") + static_cast<char>(byte) + "y");
  const Json tree = {{"deep", {{"list", {1, {{"none", Json::array()}}}}}}};
  for (const int indent : {0, 2}) {
    Json expected = {{"yes", true}, {"no", false}, {"least", INT32_MIN}, {"empty", Json::array()}};
    expected["texts"] = texts;
    expected["tree"] = tree;
    std::string text;
    JsonWriter writer(text, indent, 0);
    writer.Begin('{');
    writer.Field("yes", true);
    writer.Field("no", false);
    writer.Field("least", int32_t{INT32_MIN});
    writer.Strings("empty", std::vector<std::string>());
    writer.Strings("texts", texts);
    writer.Key("tree");
    writer.Tree(tree);
    writer.End('}');
    EXPECT_EQ(text, Dump(expected, indent == 0 ? -1 : indent));
  }
}

TEST(JsonReport, AnEditThatIsNoJsonIsText) {
  Report report = SampleReport();
  report.findings[0].fixes[0].edits[0].value = "{broken";
  const Json json = Json::parse(ReportJson(report));
  EXPECT_EQ(json["findings"][0]["fixes"][0]["edits"][0]["value"], "{broken");
}

TEST(JsonReport, UnreadableInput) {
  EXPECT_EQ(ReportErrorJson("a.jsonl:3", "1:7", "unexpected \"x\""),
            R"({"schemaVersion":"2","model":"a.jsonl:3",)"
            R"("error":{"place":"1:7","message":"unexpected \"x\""}})");
}

TEST(ReportNames, ModesAndLevels) {
  EXPECT_EQ(ModeName(Mode::kStrict), "strict");
  EXPECT_EQ(ModeName(Mode::kWarn), "warn");
  EXPECT_EQ(LevelName(Level::kNote), "note");
  EXPECT_EQ(LevelName(Level::kWarning), "warning");
  EXPECT_EQ(LevelName(Level::kError), "error");
}

}  // namespace
}  // namespace quantgate
