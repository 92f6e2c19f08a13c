// Finds the entries of an encodings file one after the other; entry_fields.cc reads one, and what it
// means is in aimet_entry.cc.
#include "core/readers/aimet/encodings_reader.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/base/json_cursor.h"
#include "core/base/json_walker.h"
#include "core/base/text.h"
#include "core/readers/aimet/aimet_entry.h"
#include "core/readers/aimet/entry_fields.h"
#include "core/readers/file_bytes.h"
#include "core/readers/limits.h"
#include "core/readers/mllm/recipe_reader.h"
#include "core/readers/unknown_fields.h"

namespace quantgate {
namespace aimet {
namespace {

using Value = JsonCursor::Value;
using Kind = EncodingsProblem::Kind;

// How much text may be read before `consumed` is called.
constexpr size_t kConsumedEvery = size_t{4} << 20;

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
        return json_.Array(list, [&](Value item) { return fields_.ReadChannel(item, &raw); });
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
                                  [&](Value item) { return fields_.ReadEntry(item, &raw, &form); });
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
    if (consumed_ && begin - consumed_to_ > kConsumedEvery) {
      consumed_to_ = begin;
      consumed_(begin);
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
    if (fields_.mixes_versions()) {
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
  EntryFields fields_{json_, unknown_};
  int64_t line_ = 1;
  size_t counted_ = 0;  // newlines up to here are in line_
  size_t consumed_to_ = 0;
  bool has_activations_ = false, has_params_ = false, has_plain_ = false;
  bool has_maps_ = false, has_lists_ = false, has_nested_ = false;
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
