// Files fixed and written again, by the public headers.
#include "quantgate/fix.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "quantgate/compare_runs.h"

namespace quantgate {
namespace {

const std::string kExamples = std::string(QUANTGATE_SOURCE_DIR) + "/docs/examples/";

Validator Htp() { return Validator(*Target::Parse({.soc = "SM8550"})); }

std::string BytesOf(const std::string& path) {
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

std::string Written(const FixableFile& file) {
  std::string text;
  EXPECT_TRUE(file.Write([&](std::string_view part) { text += part; }).ok());
  return text;
}

TEST(FixableFile, WritesWhatItFixed) {
  for (const char* name : {"planted.onnx", "planted_qnn.json"}) {
    const Validator validator = Htp();
    auto file = FixableFile::Open(kExamples + name);
    ASSERT_TRUE(file.ok()) << file.status();
    const FixResult result = file->Fix(validator);
    EXPECT_TRUE(result.changed()) << name;
    EXPECT_FALSE(result.fixed.empty());
    EXPECT_LT(result.after.findings.size(), result.before.findings.size());
    const std::string text = Written(*file);
    const auto checked = file->CheckBytes(validator, text);
    ASSERT_TRUE(checked.ok()) << checked.status();
    EXPECT_EQ(checked->findings.size(), result.after.findings.size()) << name;

    const std::string path = (std::filesystem::path(::testing::TempDir()) / name).string();
    std::ofstream(path, std::ios::binary) << text;
    const auto read = file->CheckFile(validator, path);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(read->counts, checked->counts);
  }
}

TEST(FixableFile, ChangesSayWhatTheyAre) {
  auto file = FixableFile::Open(kExamples + "planted_qnn.json");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->onnx_model(), nullptr);
  EXPECT_EQ(file->external_data(), "");
  const FixResult result = file->Fix(Htp());
  ASSERT_FALSE(result.changes.empty());
  for (const TensorChange& change : result.changes) {
    EXPECT_FALSE(change.tensor.empty());
    EXPECT_NE(QuantizedTypeText(change.from), QuantizedTypeText(change.to));
  }
}

TEST(FixableFile, WhatNeedsNoFixStaysByteForByte) {
  const std::string path = kExamples + "resnet18_8a8w_per_channel.onnx";
  auto file = FixableFile::Open(path);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(Written(*file), BytesOf(path));  // before Fix() too
  if (!file->Fix(Htp()).changed()) {
    EXPECT_EQ(Written(*file), BytesOf(path));
  }
}

TEST(FixableFile, RefusesOtherFiles) {
  EXPECT_FALSE(FixableFile::Open(kExamples + "no_such_file.onnx").ok());
  const auto other = FixableFile::Open(kExamples + "planted_qnn.json", InputFormat::kModelBinpb);
  EXPECT_EQ(other.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(other.status().message(),
            "only ONNX and TFLite models, Model JSON of QNN graphs and encodings files are "
            "written again");
}

TEST(CompareRuns, InputsAreDrawnFromTheirEncodings) {
  auto file = FixableFile::Open(kExamples + "resnet18_8a8w_per_channel.onnx");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_NE(file->onnx_model(), nullptr);
  const auto inputs = InputValuesOf(*file->onnx_model());
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ(inputs->size(), 1u);
  const InputValues& input = inputs->front();
  EXPECT_EQ(input.dtype, Dtype::kFloat32);
  EXPECT_EQ(input.dims, (std::vector<int64_t>{1, 3, 64, 64}));
  EXPECT_LT(input.low, input.high);
  EXPECT_FALSE(input.whole_type);
  Model unknown = *file->onnx_model();
  unknown.tensors[static_cast<size_t>(unknown.inputs[0])].unknown_rank = true;
  EXPECT_EQ(InputValuesOf(unknown).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace quantgate
