// Tables of a sweep: their rows, what they share with a single check, and the C interface.
#include "quantgate/sweep.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/sweep/columns.h"
#include "quantgate/reader.h"
#include "tests/unit/support/one_node.h"
#include "tests/unit/support/onnx_model.h"

namespace quantgate {
namespace {

using sweep::Field;
using sweep::TableBuilder;
using sweep::Type;
using testing_onnx::OnnxModel;

// A stream read as a consumer would: text of every cell by name of its column; "-" = null.
std::vector<std::map<std::string, std::string>> RowsOf(ArrowArrayStream& stream) {
  std::vector<std::map<std::string, std::string>> rows;
  ArrowSchema schema;
  EXPECT_EQ(stream.get_schema(&stream, &schema), 0);
  while (true) {
    ArrowArray batch;
    EXPECT_EQ(stream.get_next(&stream, &batch), 0);
    if (batch.release == nullptr) break;
    EXPECT_EQ(batch.n_children, schema.n_children);
    for (int64_t row = 0; row < batch.length; ++row) {
      auto& cells = rows.emplace_back();
      for (int64_t c = 0; c < batch.n_children; ++c) {
        const ArrowArray& column = *batch.children[c];
        EXPECT_EQ(column.length, batch.length);
        const auto bit = [&](int buffer) {
          return static_cast<const uint8_t*>(column.buffers[buffer])[row / 8] >> (row % 8) & 1;
        };
        std::string& cell = cells[schema.children[c]->name];
        if (column.buffers[0] != nullptr && !bit(0)) {
          cell = "-";
          continue;
        }
        switch (schema.children[c]->format[0]) {
          case 'u': {
            const auto* offsets = static_cast<const int32_t*>(column.buffers[1]);
            cell.assign(static_cast<const char*>(column.buffers[2]) + offsets[row],
                        static_cast<size_t>(offsets[row + 1] - offsets[row]));
            break;
          }
          case 'l':
            cell = std::to_string(static_cast<const int64_t*>(column.buffers[1])[row]);
            break;
          default:
            cell = bit(1) ? "true" : "false";
        }
      }
    }
    batch.release(&batch);
  }
  schema.release(&schema);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  return rows;
}

std::vector<std::map<std::string, std::string>> RowsOf(const SweepResult& result,
                                                       SweepTable table) {
  ArrowArrayStream stream;
  result.Export(table, &stream);
  auto rows = RowsOf(stream);
  EXPECT_EQ(static_cast<int64_t>(rows.size()), result.rows(table));
  return rows;
}

std::vector<ListedTarget> TargetsOf(std::string_view list,
                                    const std::vector<std::string>& sdks = {}) {
  auto targets = ParseTargets(list, "htp", sdks, Database::Embedded());
  EXPECT_TRUE(targets.ok()) << targets.status();
  return *std::move(targets);
}

std::string ErrorOf(std::string_view list, const std::vector<std::string>& sdks = {}) {
  const auto targets = ParseTargets(list, "htp", sdks, Database::Embedded());
  return targets.ok() ? "" : std::string(targets.status().message());
}

std::shared_ptr<const Model> Unary(const char* op, Dtype dtype) {
  const Tensor tensor = PerTensor(dtype, {1, 8}, 0.02F, 128);
  return std::make_shared<const Model>(OneNode(op, {tensor, tensor}));
}

SweepInput InputOf(const char* path, std::shared_ptr<const Model> model) {
  SweepInput input;
  input.path = path;
  input.model = std::move(model);
  return input;
}

TEST(TargetList, LabelsAreWhatWasAskedFor) {
  std::vector<std::string> labels;
  for (const auto& t : TargetsOf("sm8550, arch:v79@2.25,lpai@2.25,cpu", {"2.47", "2.51"})) {
    labels.push_back(t.label);
  }
  const std::vector<std::string> expected = {"SM8550@2.47", "SM8550@2.51", "arch:v79@2.25",
                                             "lpai@2.25",    "cpu@2.47",    "cpu@2.51"};
  EXPECT_EQ(labels, expected);
  EXPECT_EQ(TargetsOf("SM8550,arch:v73,SM8550").size(), 2u);
  EXPECT_EQ(TargetsOf("arch:v73").front().label, "arch:v73");
  EXPECT_EQ((*ParseTargets("htp:v79,arch:v73", "htp", {}, Database::Embedded()))[0].label,
            "arch:v79");
  EXPECT_EQ((*ParseTargets("htp:v79", "cpu", {}, Database::Embedded()))[0].label, "htp:v79");
}

TEST(TargetList, SaysWhatIsWrong) {
  EXPECT_EQ(ErrorOf("SM8550,,arch:v73"), "--targets: an entry is empty");
  EXPECT_EQ(ErrorOf("arch:"), "target 'arch:': an arch is missing after the colon");
  EXPECT_EQ(ErrorOf("SM8550@"), "target 'SM8550@': an SDK is missing after the @");
  EXPECT_NE(ErrorOf("arc:v73").find("did you mean arch?"), std::string::npos);
  EXPECT_NE(ErrorOf("SM8551").find("SM8550"), std::string::npos);
  EXPECT_NE(ErrorOf("SM8550", {"1.0"}), "");
}

TEST(Sweep, ARowForEachModelAndTarget) {
  SweepInput unread;
  unread.path = "unread";
  unread.error = "a reason";
  const std::vector<SweepInput> inputs = {
      unread, InputOf("good", Unary("Relu", Dtype::kUfixedPoint8)),
      InputOf("bad", Unary("Relu", Dtype::kBool8))};
  const Sweeper sweeper(TargetsOf("arch:v68,arch:v73"), {}, Database::Embedded());
  const SweepResult result = sweeper.Run(inputs, {.threads = 2, .nodes = true});
  auto rows = RowsOf(result, SweepTable::kModels);
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[1].at("error"), "a reason");
  rows.erase(rows.begin(), rows.begin() + 2);
  EXPECT_EQ(rows[0].at("model"), "good");
  EXPECT_EQ(rows[0].at("target"), "arch:v68");
  EXPECT_EQ(rows[1].at("target"), "arch:v73");
  EXPECT_EQ(rows[1].at("verdict"), "accepted");
  EXPECT_EQ(rows[1].at("failed"), "false");
  EXPECT_EQ(rows[1].at("accepted"), "1");
  EXPECT_EQ(rows[1].at("error"), "-");
  EXPECT_EQ(rows[3].at("verdict"), "rejected");
  EXPECT_EQ(rows[3].at("failed"), "true");
  EXPECT_EQ(rows[3].at("rejected"), "1");

  // What a single check says.
  const Report report =
      Validator(*Target::Parse({.arch = "v73"})).Check(*Unary("Relu", Dtype::kBool8));
  const auto findings = RowsOf(result, SweepTable::kFindings);
  std::vector<std::map<std::string, std::string>> of_bad;
  for (const auto& row : findings) {
    if (row.at("model") == "bad" && row.at("target") == "arch:v73") of_bad.push_back(row);
  }
  ASSERT_EQ(of_bad.size(), report.findings.size());
  EXPECT_EQ(of_bad[0].at("message"), report.findings[0].message.str());
  EXPECT_EQ(of_bad[0].at("code"), report.findings[0].rule->code);
  EXPECT_EQ(RowsOf(result, SweepTable::kNodes).size(), 4u);
}

// What a tool on the way hands over differs between SDKs too.
TEST(Sweep, EverySdkIsAnsweredForItself) {
  OnnxModel m;
  m.Op("pool", "LpPool", {m.Input("x", {1, 4, 8, 8})}, {1, 4, 7, 7}, {{"p", IntParam{2}}});
  const auto model = std::make_shared<const Model>(m.model);
  for (const char* sdks : {"2.47", "2.51"}) {
    const std::string other = sdks == std::string_view("2.47") ? "2.51" : "2.47";
    const Sweeper sweeper(TargetsOf("arch:v73", {sdks, other}), {}, Database::Embedded());
    const std::vector<SweepInput> inputs = {InputOf("pool", model)};
    const auto rows = RowsOf(sweeper.Run(inputs, {}), SweepTable::kModels);
    ASSERT_EQ(rows.size(), 2u);
    for (const auto& row : rows) EXPECT_EQ(row.at("rejected"), row.at("sdk") == "2.47" ? "1" : "0");
  }
}

TEST(Sweep, ThreadsChangeNothing) {
  std::vector<SweepInput> inputs;
  for (int i = 0; i < 500; ++i) {
    inputs.push_back(InputOf(std::to_string(i).c_str(),
                             Unary("Relu", i % 3 ? Dtype::kUfixedPoint8 : Dtype::kBool8)));
  }
  const Sweeper sweeper(TargetsOf("arch:v73"), {}, Database::Embedded());
  const auto one = RowsOf(sweeper.Run(inputs, {.threads = 1}), SweepTable::kModels);
  EXPECT_EQ(one, RowsOf(sweeper.Run(inputs, {.threads = 4}), SweepTable::kModels));
  ASSERT_EQ(one.size(), 500u);
  EXPECT_EQ(one[499].at("model"), "499");
}

TEST(Sweep, ReadsFilesLinesAndBytes) {
  const std::string json = WriteModelJson(*Unary("Relu", Dtype::kUfixedPoint8), 0);
  const std::string path = testing::TempDir() + "/sweep_lines.jsonl";
  std::ofstream(path, std::ios::binary) << json << "\n\n{broken\n" << json << "\n";
  SweepInput whole, line, bytes, missing;
  whole.path = line.path = path;
  line.line = 4;
  line.offset = static_cast<int64_t>(json.size()) + 10;
  line.length = static_cast<int64_t>(json.size());
  SweepInput gone = line;
  gone.offset += 5;
  bytes.path = "zoo.zip/a.json";
  bytes.bytes = json;
  missing.path = testing::TempDir() + "/no_such_model.onnx";
  const Sweeper sweeper(TargetsOf("arch:v73"), {}, Database::Embedded());
  const auto rows = RowsOf(sweeper.Run(std::vector{whole, line, bytes, missing, gone}, {}),
                           SweepTable::kModels);
  std::filesystem::remove(path);
  ASSERT_EQ(rows.size(), 7u);
  EXPECT_EQ(rows[0].at("model"), path + ":1");
  EXPECT_EQ(rows[0].at("verdict"), "accepted");
  EXPECT_EQ(rows[1].at("model"), path + ":3");
  EXPECT_EQ(rows[1].at("verdict"), "-");
  EXPECT_EQ(rows[1].at("nodes"), "-");
  EXPECT_EQ(rows[1].at("failed"), "true");
  EXPECT_NE(rows[1].at("error").find("1:2"), std::string::npos) << rows[1].at("error");
  EXPECT_EQ(rows[3], rows[2]);
  EXPECT_EQ(rows[4].at("model"), "zoo.zip/a.json");
  EXPECT_EQ(rows[4].at("verdict"), "accepted");
  EXPECT_NE(rows[5].at("error"), "-");
  EXPECT_EQ(rows[6].at("error"), "this line can't be read: the file has changed");
}

TEST(Columns, BatchesEndBeforeOffsetsAreTooShort) {
  static constexpr Field kFields[] = {{"text", Type::kText}, {"flag", Type::kFlag}};
  TableBuilder table(kFields);
  const std::string text(1 << 20, 'x');
  for (int i = 0; i < 130; ++i) {
    table.Text(text);
    if (i % 2 == 0) table.Null();
    if (i % 2 == 1) table.Flag(i % 4 == 1);
    table.EndRow();
  }
  const sweep::Batches batches = table.Finish();
  ASSERT_EQ(batches.size(), 3u);
  ArrowArrayStream stream;
  sweep::ExportBatches(kFields, batches, &stream);
  const auto rows = RowsOf(stream);
  ASSERT_EQ(rows.size(), 130u);
  EXPECT_EQ(rows[128].at("flag"), "-");
  EXPECT_EQ(rows[129].at("flag"), "true");
  EXPECT_EQ(rows[127].at("flag"), "false");
  EXPECT_EQ(rows[129].at("text").size(), text.size());
  EXPECT_TRUE(table.Finish().empty());
}

TEST(Columns, ArraysOutliveTheirStreamAndMayBeTakenApart) {
  static constexpr Field kFields[] = {{"text", Type::kText}, {"number", Type::kInteger}};
  ArrowArray batch, column;
  {
    TableBuilder table(kFields);
    table.Text("a\xFF");
    table.Integer(7);
    table.EndRow();
    ArrowArrayStream stream;
    sweep::ExportBatches(kFields, table.Finish(), &stream);
    ASSERT_EQ(stream.get_next(&stream, &batch), 0);
    stream.release(&stream);
  }
  std::memcpy(&column, batch.children[1], sizeof column);
  batch.children[1]->release = nullptr;
  const auto* text = static_cast<const char*>(batch.children[0]->buffers[2]);
  EXPECT_EQ(std::string(text, 4), "a\xEF\xBF\xBD");
  batch.release(&batch);
  EXPECT_EQ(static_cast<const int64_t*>(column.buffers[1])[0], 7);
  column.release(&column);
}

}  // namespace
}  // namespace quantgate
