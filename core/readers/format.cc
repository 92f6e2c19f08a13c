// Which format an input has.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cctype>
#include <string>

#include "core/base/text.h"
#include "quantgate/reader.h"

namespace quantgate {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"onnx", "model",  "jsonl", "binpb",
                                                    "qnn",  "layers", "pt2",   "tflite"};

struct Ending {
  std::string_view ending;
  InputFormat format;
};
constexpr std::array<Ending, 5> kEndings = {{{".onnx", InputFormat::kOnnx},
                                             {".jsonl", InputFormat::kModelJsonl},
                                             {".binpb", InputFormat::kModelBinpb},
                                             {".pt2", InputFormat::kPt2},
                                             {".tflite", InputFormat::kTflite}}};

constexpr std::string_view kZipMagic = "PK\x03\x04";
// The tag of ModelProto.ir_version, which every exporter writes first.
constexpr char kOnnxFirstByte = 0x08;
// The file identifier of a .tflite, and where it stands.
constexpr std::string_view kTfliteMagic = "TFL3";
constexpr size_t kTfliteMagicAt = 4;
constexpr std::string_view kJsonSpace = " \t\r\n";

bool HasEnding(std::string_view path, std::string_view ending) {
  return path.size() > ending.size() &&
         std::equal(
             ending.begin(), ending.end(), path.end() - static_cast<ptrdiff_t>(ending.size()),
             [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

// Keys at the top that tell what a JSON file is.
enum Key : uint8_t { kGraph, kLayers, kRecipe, kEncodings, kKeys };

Key KeyOf(std::string_view key) {
  if (key == "graph") return kGraph;
  if (key == "layers") return kLayers;
  if (key == "quant_recipe") return kRecipe;
  const bool encodings =
      key == "encodings" || key == "activation_encodings" || key == "param_encodings";
  return encodings ? kEncodings : kKeys;
}

struct FirstValue {
  std::bitset<kKeys> has;
  size_t end = 0;  // behind the value; the text's size when it isn't closed
};

// Looks at nesting and strings only: text that isn't JSON is for the reader to refuse.
FirstValue ScanFirstValue(std::string_view json) {
  FirstValue found;
  int64_t depth = 0;
  for (size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      const size_t begin = i + 1;
      for (++i; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') ++i;
      }
      if (depth != 1 || i >= json.size()) continue;
      const Key key = KeyOf(json.substr(begin, i - begin));
      if (key == kKeys) continue;
      const size_t next = json.find_first_not_of(kJsonSpace, i + 1);
      if (next != std::string_view::npos && json[next] == ':') found.has.set(key);
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth <= 0) {
      found.end = i + 1;
      return found;
    }
  }
  found.end = json.size();
  return found;
}

std::string Seen(std::string_view bytes) {
  return fmt::format("it begins with {}", Quoted(bytes.substr(0, 8)));
}

}  // namespace

std::string_view InputFormatName(InputFormat format) { return kNames[static_cast<size_t>(format)]; }

std::optional<InputFormat> InputFormatFromName(std::string_view name) {
  const auto it = std::find(kNames.begin(), kNames.end(), name);
  if (it == kNames.end()) return std::nullopt;
  return static_cast<InputFormat>(it - kNames.begin());
}

absl::StatusOr<InputFormat> GuessFormat(std::string_view path, std::string_view bytes) {
  for (const Ending& known : kEndings) {
    if (HasEnding(path, known.ending)) return known.format;
  }
  if (bytes.empty()) return Invalid("the input is empty");
  if (bytes.substr(0, kZipMagic.size()) == kZipMagic) return InputFormat::kPt2;
  if (bytes.size() > kTfliteMagicAt &&
      bytes.substr(kTfliteMagicAt, kTfliteMagic.size()) == kTfliteMagic) {
    return InputFormat::kTflite;
  }
  const size_t first = bytes.find_first_not_of(kJsonSpace);
  if (first != std::string_view::npos && bytes[first] == '{') {
    const FirstValue value = ScanFirstValue(bytes.substr(first));
    if (value.has[kGraph]) return InputFormat::kQnnNetJson;
    if (value.has[kLayers]) return InputFormat::kLayers;
    if (value.has[kRecipe] || value.has[kEncodings]) {
      return Invalid(fmt::format("no model but {}: give it beside one, as --encodings",
                                 value.has[kRecipe] ? "an mllm recipe" : "an encodings file"));
    }
    if (HasEnding(path, ".json")) return InputFormat::kModelJson;
    const size_t next = bytes.find_first_not_of(kJsonSpace, first + value.end);
    return next == std::string_view::npos ? InputFormat::kModelJson : InputFormat::kModelJsonl;
  }
  if (HasEnding(path, ".json")) return InputFormat::kModelJson;
  if (bytes[0] == kOnnxFirstByte) return InputFormat::kOnnx;
  return Invalid(
      fmt::format("not a known model format: {}; use a name that ends in .onnx, .tflite, "
                  ".json, .jsonl or .binpb, or --input-format",
                  Seen(bytes)));
}

}  // namespace quantgate
