// Finds the entries of an encodings file one after the other; what an entry means is in
// aimet_entry.cc.
#include "core/readers/aimet/encodings_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/base/json_cursor.h"
#include "core/base/json_walker.h"
#include "core/base/nearest.h"
#include "core/base/text.h"
#include "core/readers/aimet/aimet_entry.h"
#include "core/readers/file_bytes.h"
#include "core/readers/limits.h"
#include "core/readers/mllm/recipe_reader.h"
#include "core/readers/unknown_fields.h"

namespace quantgate {
namespace aimet {
namespace {

using Value = JsonCursor::Value;
using Kind = EncodingsProblem::Kind;

constexpr int64_t kInt32Min = std::numeric_limits<int32_t>::min();
constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();
constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr size_t kMaxNesting = 8;  // dimensions of a weight
// How much text may be read before `consumed` is called.
constexpr size_t kTellEvery = size_t{4} << 20;

constexpr std::array<std::string_view, 5> kEncodingTypes = {"PER_TENSOR", "PER_CHANNEL",
                                                            "PER_BLOCK", "LPBQ", "VECTOR"};
constexpr size_t kVector = 4;

// Keys of the top that say nothing about a tensor.
constexpr std::array<std::string_view, 6> kOtherTopKeys = {"quantizer_args",  "producer",
                                                           "excluded_layers", "propagate_encodings",
                                                           "activation_type", "param_type"};

std::string_view VersionName(Version version) {
  constexpr std::array<std::string_view, 4> kNames = {"0.6.1", "1.0.0", "2.0.0", "2.1.0"};
  return kNames[static_cast<size_t>(version)];
}

class Reader {
 public:
  Reader(std::string_view json, const std::function<void(size_t)>& consumed)
      : text_(json), consumed_(consumed), walker_(json), json_(json) {}

  absl::StatusOr<EncodingsFile> Read() {
    if (!ReadTop()) {
      if (!json_.status().ok()) return json_.status();
      return InvalidAt(LineColumn(text_, walker_.place()), walker_.reason());
    }
    if (absl::Status status = Finish(); !status.ok()) return status;
    return std::move(file_);
  }

 private:
  bool ReadTop() {
    if (!walker_.EnterObject()) return false;
    for (;;) {
      bool more = false;
      JsonSpan key;
      if (!walker_.NextMember(&more, &key)) return false;
      if (!more) return walker_.AtEnd();
      const std::string_view name = text_.substr(key.begin + 1, key.size - 2);
      bool ok = true;
      if (name == "activation_encodings") {
        ok = ReadSection(name, EncodingsSection::kActivations, &has_activations_);
      } else if (name == "param_encodings") {
        ok = ReadSection(name, EncodingsSection::kParams, &has_params_);
      } else if (name == "encodings") {
        ok = ReadSection(name, EncodingsSection::kAny, &has_plain_);
      } else {
        JsonSpan value;
        ok = walker_.Skip(&value) && ReadOther(name, key, value);
      }
      if (!ok) return false;
    }
  }

  bool ReadOther(std::string_view name, JsonSpan key, JsonSpan value) {
    if (name == "version") {
      return ScalarText(value, &file_.declared);
    }
    if (std::find(kOtherTopKeys.begin(), kOtherTopKeys.end(), name) == kOtherTopKeys.end()) {
      std::string clean;
      if (!ScalarText(key, &clean)) return false;
      unknown_.Add(clean);
    }
    return true;
  }

  // A string; other values as they stand.
  bool ScalarText(JsonSpan span, std::string* out) {
    const std::string_view text = text_.substr(span.begin, span.size);
    if (text.size() < 2 || text[0] != '"') {
      *out = Utf8(text.substr(0, 40));
      return true;
    }
    const std::string_view inner = text.substr(1, text.size() - 2);
    const bool plain = std::all_of(inner.begin(), inner.end(), [](char c) {
      return c != '\\' && static_cast<unsigned char>(c) >= 0x20 &&
             static_cast<unsigned char>(c) < 0x7F;
    });
    if (plain) {
      *out = inner;
      return true;
    }
    // Escapes and everything beyond ASCII: within a list, as a document is no scalar.
    scratch_ = fmt::format("[{}]", text);
    JsonCursor strings(scratch_);
    std::string value;
    const bool ok = strings.Document([&](Value list) {
      return strings.Array(list, [&](Value item) { return strings.String(item, &value); });
    });
    if (!ok) return json_.FailAt(span.begin, "the string is not valid");
    *out = value;
    return true;
  }

  bool ReadSection(std::string_view name, EncodingsSection section, bool* seen) {
    if (*seen) return json_.FailAt(walker_.place(), name, "given twice");
    *seen = true;
    section_name_ = name;
    if (section != EncodingsSection::kAny && walker_.Peek() == '{') {
      has_maps_ = true;
      return ReadMap(section);
    }
    if (walker_.Peek() != '[') {
      return json_.FailAt(walker_.place(), name,
                          section == EncodingsSection::kAny ? "must be a list of encodings"
                                                            : "must be an object or a list");
    }
    if (section != EncodingsSection::kAny) has_lists_ = true;
    return ReadList(section, section == EncodingsSection::kAny ? Version::k200 : Version::k100);
  }

  // 0.6.1: {"tensor": [{...}, one for each channel]}
  bool ReadMap(EncodingsSection section) {
    if (!walker_.EnterObject()) return false;
    for (;;) {
      bool more = false;
      JsonSpan key, value;
      if (!walker_.NextMember(&more, &key)) return false;
      if (!more) return true;
      RawEntry raw;
      if (!ScalarText(key, &raw.name)) return false;
      const char first = walker_.Peek();
      if (!walker_.Skip(&value)) return false;
      if (first == '{') {
        return json_.FailAt(value.begin, Path(raw.name),
                            "holds encodings by module and port, which have no tensor names; use "
                            "the encodings file of the ONNX export");
      }
      json_.SetPath(Path(raw.name));
      const bool ok = json_.Slice(value.begin, value.size, [&](Value list) {
        return json_.Array(list, [&](Value item) { return ReadChannel(item, &raw); });
      });
      if (!ok || !Add(std::move(raw), section, Version::k061, key.begin)) return false;
    }
  }

  bool ReadList(EncodingsSection section, Version version) {
    if (!walker_.EnterArray()) return false;
    for (size_t index = 0;; ++index) {
      bool more = false;
      JsonSpan value;
      if (!walker_.NextElement(&more)) return false;
      if (!more) return true;
      if (!walker_.Skip(&value)) return false;
      json_.SetPath(fmt::format("{}[{}]", section_name_, index));
      RawEntry raw;
      Version form = version;
      const bool ok = json_.Slice(value.begin, value.size,
                                  [&](Value item) { return ReadEntry(item, &raw, &form); });
      if (!ok || !Add(std::move(raw), section, form, value.begin)) return false;
    }
  }

  std::string Path(std::string_view name) const {
    return fmt::format("{}.{}", section_name_, Quoted(name));
  }

  bool Add(RawEntry raw, EncodingsSection section, Version version, size_t begin) {
    Meaning meaning = MeaningOf(std::move(raw), section, version);
    if (!meaning.error.empty()) return json_.FailAt(begin, meaning.error);
    line_ += std::count(text_.begin() + static_cast<ptrdiff_t>(counted_),
                        text_.begin() + static_cast<ptrdiff_t>(begin), '\n');
    counted_ = begin;
    meaning.entry.line = line_;
    for (EncodingsProblem& problem : meaning.problems) {
      problem.entry = static_cast<int64_t>(file_.entries.size());
      file_.problems.push_back(std::move(problem));
    }
    file_.entries.push_back(std::move(meaning.entry));
    if (version == Version::k210) has_nested_ = true;
    if (consumed_ && begin - told_ > kTellEvery) {
      told_ = begin;
      consumed_(begin);
    }
    return true;
  }

  // ---- one entry ---------------------------------------------------------------------------

  bool ReadChannel(Value value, RawEntry* raw) {
    return json_.Map(value, [&](std::string_view key, Value v, size_t) {
      if (key == "scale") return Number(v, &raw->scales);
      if (key == "offset") return Number(v, &raw->offsets);
      if (key == "min") return Number(v, &raw->minima);
      if (key == "max") return Number(v, &raw->maxima);
      if (key == "bitwidth") return SameInt(v, "bitwidth", &raw->bitwidth);
      if (key == "is_symmetric") return Flag(v, &raw->symmetric);
      if (key == "dtype") return json_.String(v, &raw->dtype);
      unknown_.Add(key);
      return json_.Pass(v);
    });
  }

  bool ReadEntry(Value value, RawEntry* raw, Version* form) {
    return json_.Map(value, [&](std::string_view key, Value v, size_t) {
      if (key == "name") return json_.String(v, &raw->name);
      if (key == "block_size") return BlockSize(v, raw);
      if (key == "per_block_int_scale") return ReadNumbers(v, &raw->factors);
      return *form == Version::k100 ? ReadListField(key, v, raw)
                                    : ReadPlainField(key, v, raw, form);
    });
  }

  // 1.0.0
  bool ReadListField(std::string_view key, Value v, RawEntry* raw) {
    if (key == "scale") return ReadNumbers(v, &raw->scales);
    if (key == "offset") return ReadNumbers(v, &raw->offsets);
    if (key == "dtype") return json_.String(v, &raw->dtype);
    if (key == "bw") return SameInt(v, "bw", &raw->bitwidth);
    if (key == "compressed_bw") return SameInt(v, "compressed_bw", &raw->compressed_bitwidth);
    if (key == "is_sym") return Flag(v, &raw->symmetric);
    if (key == "enc_type") return EncodingType(v, &raw->enc_type);
    if (key == "zero_point_shift") return Shift(v);
    if (key == "output_dtype" || key == "y_scale" || key == "y_zero_point") foreign_fields_ = true;
    unknown_.Add(key);
    return json_.Pass(v);
  }

  // 2.0.0 and 2.1.0
  bool ReadPlainField(std::string_view key, Value v, RawEntry* raw, Version* form) {
    if (key == "output_dtype") return json_.String(v, &raw->dtype);
    if (key == "y_scale") {
      JsonType type;
      if (!json_.TypeOf(v, &type)) return false;
      if (type != JsonType::kObject) return ReadNumbers(v, &raw->scales);
      *form = Version::k210;
      return json_.Map(v, [&](std::string_view inner, Value field, size_t) {
        if (inner == "x") return ReadNumbers(field, &raw->factors);
        if (inner == "x_scale") return ReadNumbers(field, &raw->scales);
        if (inner == "x_zero_point") return ReadZeroes(field);
        if (inner == "axis") return Axis(field, &raw->factors_axis);
        // Of the factors: implied by their values.
        if (inner == "input_dtype" || inner == "block_size") return json_.Pass(field);
        unknown_.Add(inner);
        return json_.Pass(field);
      });
    }
    if (key == "per_channel_float_scale") return ReadNumbers(v, &raw->scales);
    if (key == "y_zero_point") return ReadNumbers(v, &raw->offsets);
    if (key == "axis") return Axis(v, &raw->axis);
    if (key == "scale" || key == "offset" || key == "bw") foreign_fields_ = true;
    unknown_.Add(key);
    return json_.Pass(v);
  }

  // true, "True" or "true".
  bool Flag(Value value, std::optional<bool>* out) {
    JsonType type;
    if (!json_.TypeOf(value, &type)) return false;
    bool flag = false;
    if (type == JsonType::kString) {
      const size_t offset = json_.OffsetOf(value);
      std::string_view text;
      if (!json_.String(value, &text)) return false;
      flag = text == "True" || text == "true";
      if (!flag && text != "False" && text != "false") {
        return json_.FailAt(offset,
                            fmt::format("{} is neither \"True\" nor \"False\"", Quoted(text)));
      }
    } else if (!json_.Bool(value, &flag)) {
      return false;
    }
    *out = flag;
    return true;
  }

  // A field that each channel repeats.
  bool SameInt(Value value, std::string_view name, std::optional<int64_t>* out) {
    const size_t offset = json_.OffsetOf(value);
    int64_t number = 0;
    if (!json_.Int(value, 0, kInt32Max, &number)) return false;
    if (*out && **out != number) {
      return json_.FailAt(offset,
                          fmt::format("{} {} in one channel, {} in another", name, number, **out));
    }
    *out = number;
    return true;
  }

  bool Axis(Value value, std::optional<int32_t>* out) {
    int64_t number = 0;
    if (!json_.Int(value, kInt32Min, kInt32Max, &number)) return false;
    *out = static_cast<int32_t>(number);
    return true;
  }

  // A number, or a list with one block size a dimension, of which one is not 1 or 0.
  bool BlockSize(Value value, RawEntry* raw) {
    const size_t offset = json_.OffsetOf(value);
    Numbers<int64_t> sizes;
    if (!ReadNumbers(value, &sizes)) return false;
    int64_t block = 0;
    for (size_t i = 0; i < sizes.values.size(); ++i) {
      if (sizes.values.size() > 1 && sizes.values[i] <= 1) continue;
      if (block != 0) return json_.FailAt(offset, "blocks along two axes are not known");
      block = sizes.values[i];
      if (sizes.values.size() > 1) raw->axis = static_cast<int32_t>(i);
    }
    raw->block = block;
    return true;
  }

  bool EncodingType(Value value, std::string* out) {
    const size_t offset = json_.OffsetOf(value);
    if (!json_.String(value, out)) return false;
    const auto known = std::find(kEncodingTypes.begin(), kEncodingTypes.end(), *out);
    if (known == kEncodingTypes.end()) {
      return json_.FailAt(offset, fmt::format("unknown enc_type {}{}", Quoted(*out),
                                              out->size() < 64 ? DidYouMeanOf(*out, kEncodingTypes)
                                                               : std::string()));
    }
    if (known == kEncodingTypes.begin() + kVector) {
      return json_.FailAt(offset, "vector quantization has no QNN encoding");
    }
    return true;
  }

  // Fractions of a step by which the grid is shifted: no backend has any.
  bool Shift(Value value) {
    const size_t offset = json_.OffsetOf(value);
    Numbers<double> numbers;
    if (!ReadNumbers(value, &numbers)) return false;
    const bool zero = std::all_of(numbers.values.begin(), numbers.values.end(),
                                  [](double number) { return number == 0; });
    return zero || json_.FailAt(offset, "a zero point between two steps has no QNN encoding");
  }

  // Zero points of block factors: no backend has any.
  bool ReadZeroes(Value value) {
    const size_t offset = json_.OffsetOf(value);
    Numbers<int64_t> numbers;
    if (!ReadNumbers(value, &numbers)) return false;
    const bool zero = std::all_of(numbers.values.begin(), numbers.values.end(),
                                  [](int64_t number) { return number == 0; });
    return zero || json_.FailAt(offset, "the factors of blocks have a zero point other than 0");
  }

  bool One(Value value, double* out) { return json_.Double(value, out); }
  bool One(Value value, int64_t* out) { return json_.Int(value, kInt64Min, kInt64Max, out); }

  template <typename T>
  bool Number(Value value, Numbers<T>* out) {
    out->given = true;
    out->values.emplace_back();
    return One(value, &out->values.back());
  }

  // A number, or lists of lists of them; lists of one level are as long as each other.
  template <typename T>
  bool ReadNumbers(Value value, Numbers<T>* out) {
    if (out->given) return json_.Fail(value, "given twice");
    out->given = true;
    return ReadLevel(value, 0, out);
  }
  template <typename T>
  bool ReadLevel(Value value, size_t level, Numbers<T>* out) {
    JsonType type;
    if (!json_.TypeOf(value, &type)) return false;
    if (type != JsonType::kArray) {
      if (level != out->dims.size()) return json_.Fail(value, "the lists differ in depth");
      out->values.emplace_back();
      return One(value, &out->values.back());
    }
    if (level == kMaxNesting) return json_.Fail(value, "lists within lists, more than 8 deep");
    const bool known = level < out->dims.size();
    // Depth is settled by the first number.
    if (!known && !out->values.empty()) return json_.Fail(value, "the lists differ in depth");
    if (!known) out->dims.push_back(0);
    const size_t offset = json_.OffsetOf(value);
    int64_t count = 0;
    const bool ok = json_.Array(value, [&](Value item) {
      ++count;
      return ReadLevel(item, level + 1, out);
    });
    if (!ok) return false;
    if (!known) {
      out->dims[level] = count;
    } else if (out->dims[level] != count) {
      return json_.FailAt(offset,
                          fmt::format("a list of {} beside one of {}", count, out->dims[level]));
    }
    return true;
  }

  // ---- the file as a whole -----------------------------------------------------------------

  void Schema(std::string found, std::string allowed, std::string message) {
    file_.problems.push_back(
        {Kind::kSchema, -1, std::move(found), std::move(allowed), std::move(message)});
  }

  absl::Status Finish() {
    if (!has_activations_ && !has_params_ && !has_plain_) {
      return Invalid(
          "not an encodings file: it has neither \"activation_encodings\" and \"param_encodings\" "
          "nor \"encodings\"");
    }
    const Version version = has_plain_   ? has_nested_ ? Version::k210 : Version::k200
                            : has_lists_ ? Version::k100
                                         : Version::k061;
    file_.version = VersionName(version);
    if (has_plain_ && (has_activations_ || has_params_)) {
      Schema("\"encodings\" beside \"activation_encodings\" or \"param_encodings\"",
             "the sections of one version", "sections of different versions in one file");
    } else if (has_maps_ && has_lists_) {
      Schema("one section is an object and one a list", "objects (0.6.1) or lists (1.0.0)",
             "the sections have the forms of different versions");
    } else if (!has_plain_ && (!has_activations_ || !has_params_)) {
      Schema(fmt::format("no \"{}\"", has_params_ ? "activation_encodings" : "param_encodings"),
             "both sections; one may be empty", "a section is missing");
    }
    CheckDeclared(version);
    if (foreign_fields_) {
      Schema("fields of version 1.0.0 and of 2.0.0 in one entry", "the fields of one version",
             "an entry mixes the fields of different versions");
    }
    unknown_.AddNote(file_.notes);
    return absl::OkStatus();
  }

  // The version that the file gives must be read by the same code as its content: tools choose
  // by it. 0.5 and 0.6 have the form of 0.6.1; 2.0.0.beta and 2.1.0 that of 2.0.0.
  void CheckDeclared(Version version) {
    const std::string& declared = file_.declared;
    if (declared.empty()) {
      file_.problems.push_back({Kind::kNoVersion, -1, "no \"version\"",
                                fmt::format("\"{}\"", VersionName(version)),
                                "the file does not say its version"});
      return;
    }
    const auto starts = [&](std::string_view with) { return declared.starts_with(with); };
    bool fits = false;
    switch (version) {
      case Version::k061:
        fits = starts("0.");
        break;
      case Version::k100:
        fits = starts("1.0.");
        break;
      case Version::k200:
        fits = starts("2.0.") || starts("2.1.");
        break;
      case Version::k210:
        fits = starts("2.1.");
        break;
    }
    if (fits) return;
    Schema(fmt::format("version {}", Quoted(declared)),
           fmt::format("\"{}\", as the content is", VersionName(version)),
           "the version and the content disagree");
  }

  std::string_view text_;
  const std::function<void(size_t)>& consumed_;
  JsonWalker walker_;
  JsonCursor json_;
  EncodingsFile file_;
  std::string_view section_name_;
  std::string scratch_;
  UnknownFields unknown_;
  int64_t line_ = 1;
  size_t counted_ = 0;  // newlines up to here are in line_
  size_t told_ = 0;
  bool has_activations_ = false, has_params_ = false, has_plain_ = false;
  bool has_maps_ = false, has_lists_ = false, has_nested_ = false;
  bool foreign_fields_ = false;
};

}  // namespace
}  // namespace aimet

absl::StatusOr<EncodingsFile> ReadEncodings(std::string_view json) {
  return ReadEncodings(json, {});
}

absl::StatusOr<EncodingsFile> ReadEncodings(std::string_view json,
                                            const std::function<void(size_t)>& consumed) {
  if (IsRecipe(json)) return ReadRecipe(json);
  return aimet::Reader(json, consumed).Read();
}

absl::StatusOr<EncodingsFile> ReadEncodingsFile(const std::string& path) {
  const auto look = [](std::string_view bytes) {
    return bytes.find('\0') == std::string_view::npos ? absl::OkStatus()
                                                      : Invalid("not JSON: it holds zero bytes");
  };
  const auto file = FileBytes::Open(path, look);
  if (!file.ok()) return file.status();
  if (file->bytes().size() > kMaxFileBytes) return Invalid("larger than 4 GiB");
  auto read = ReadEncodings(file->bytes(), [&](size_t end) { file->Forget(end); });
  if (read.ok()) read->source = path;
  return read;
}

}  // namespace quantgate
