// An outline of a model is read as the model is.
#include "core/readers/onnx/outline.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "quantgate/reader.h"

namespace quantgate::onnx {
namespace {

const std::filesystem::path kExamples = QUANTGATE_SOURCE_DIR "/docs/examples";

std::string Bytes(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Counted {
  size_t bytes = 0, most = 0;
};

ReadAt From(const std::string& file, Counted* counted = nullptr) {
  return [&file, counted](uint64_t at, char* out, size_t size) {
    if (at + size > file.size()) return false;
    std::memcpy(out, file.data() + at, size);
    if (counted != nullptr) {
      counted->bytes += size;
      counted->most = std::max(counted->most, size);
    }
    return true;
  };
}

TEST(Outline, IsReadAsTheFileIs) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kExamples)) {
    if (entry.path().extension() != ".onnx") continue;
    SCOPED_TRACE(entry.path());
    const std::string file = Bytes(entry.path());
    const auto whole = ReadOnnx(file, "m", kExamples.string());
    ASSERT_TRUE(whole.ok());
    for (const size_t longest : {size_t{8}, size_t{64}, size_t{1024}}) {
      const auto outline =
          Outline(file.size(), entry.path().filename().string(), From(file), longest);
      ASSERT_TRUE(outline.ok()) << outline.status();
      const auto model = ReadOnnx(*outline, "m", kExamples.string());
      ASSERT_TRUE(model.ok()) << model.status();
      EXPECT_EQ(WriteModelJson(*model), WriteModelJson(*whole));
    }
    ++models;
  }
  EXPECT_GT(models, 8);
}

TEST(Outline, OfAShortFileIsTheFile) {
  const std::string file = Bytes(kExamples / "planted.onnx");
  const auto outline = Outline(file.size(), "planted.onnx", From(file), file.size());
  ASSERT_TRUE(outline.ok());
  EXPECT_EQ(*outline, file);
}

// A graph with one constant: ModelProto{ir_version, graph{initializer{dims, data_type, name,
// raw_data}}}.
std::string ModelWithWeights(size_t size) {
  const auto field = [](int number, const std::string& content) {
    std::string text(1, static_cast<char>(number << 3 | 2));
    for (size_t left = content.size();; left >>= 7) {
      text += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
      if (left <= 0x7F) break;
    }
    return text + content;
  };
  std::string dims = "\x08";
  for (size_t left = size;; left >>= 7) {
    dims += static_cast<char>((left & 0x7F) | (left > 0x7F ? 0x80 : 0));
    if (left <= 0x7F) break;
  }
  const std::string tensor = dims + std::string("\x10\x03", 2) + field(8, "w") +
                             field(9, std::string(size, '\x07')) + std::string("\x70\x00", 2);
  return std::string("\x08\x07", 2) + field(7, field(5, tensor));
}

TEST(Outline, LeavesWeightsWhereTheyAre) {
  const std::string file = ModelWithWeights(size_t{8} << 20);
  Counted counted;
  const auto outline = Outline(file.size(), "m.onnx", From(file, &counted));
  ASSERT_TRUE(outline.ok()) << outline.status();
  EXPECT_LT(outline->size(), 200u);
  EXPECT_LT(counted.bytes, size_t{256} << 10);
  const auto model = ReadOnnx(*outline, "m", "");
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ(model->tensors.size(), 1u);
  EXPECT_EQ(model->tensors[0].dims[0], 8 << 20);
}

TEST(Outline, SaysWhereAFileIsBroken) {
  const std::string file = Bytes(kExamples / "mobilenetv2_8a8w.onnx");
  const std::string half = file.substr(0, file.size() / 2);
  EXPECT_FALSE(Outline(half.size(), "m.onnx", From(half), 64).ok());
  const auto no_protobuf = Outline(5, "m.onnx", From("\x0F\x0F\x0F\x0F\x0F"));
  ASSERT_FALSE(no_protobuf.ok());
  EXPECT_EQ(no_protobuf.status().message(), "byte 0: not a protobuf message");
  // Longer than what can be read.
  EXPECT_FALSE(Outline(file.size() + 10, "m.onnx", From(file), 64).ok());
}

TEST(Outline, OfAnyBytesEnds) {
  const std::string file = Bytes(kExamples / "planted.onnx");
  for (size_t i = 0; i < file.size(); i += 37) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 0x55);
    const auto outline = Outline(changed.size(), "m.onnx", From(changed), 16);
    if (!outline.ok()) continue;
    EXPECT_LT(outline->size(), changed.size() * 8);
  }
}

}  // namespace
}  // namespace quantgate::onnx
