#include "core/readers/json_cursor.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "core/readers/text.h"
#include "core/types/nearest.h"

namespace quantgate {
namespace {

using simdjson::ondemand::json_type;

std::string_view TypeName(json_type type) {
  switch (type) {
    case json_type::array:
      return "an array";
    case json_type::object:
      return "an object";
    case json_type::number:
      return "a number";
    case json_type::string:
      return "a string";
    case json_type::boolean:
      return "true or false";
    case json_type::null:
      return "null";
  }
  return "something else";
}

// simdjson's first stage gives no place for broken strings: the line that is not UTF-8, or the
// beginning of the first string that holds a control character or is not closed.
size_t FindBrokenText(std::string_view text, simdjson::error_code error) {
  if (error == simdjson::UTF8_ERROR) {
    for (size_t begin = 0; begin < text.size();) {
      size_t end = text.find('\n', begin);
      if (end == std::string_view::npos) end = text.size();
      if (!simdjson::validate_utf8(text.data() + begin, end - begin)) return begin;
      begin = end + 1;
    }
    return 0;
  }
  size_t string_begin = std::string_view::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool inside = string_begin != std::string_view::npos;
    if (inside && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      string_begin = inside ? std::string_view::npos : i;
    } else if (inside && static_cast<unsigned char>(text[i]) < 0x20) {
      return i;
    }
  }
  return string_begin == std::string_view::npos ? text.size() : string_begin;
}

std::string_view SyntaxText(simdjson::error_code error) {
  switch (error) {
    case simdjson::UTF8_ERROR:
      return "not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "the string is not closed";
    case simdjson::UNESCAPED_CHARS:
      return "control character in a string";
    case simdjson::EMPTY:
      return "no JSON value";
    case simdjson::INCOMPLETE_ARRAY_OR_OBJECT:
      return "an object or array is not closed";
    case simdjson::CAPACITY:
      return "larger than 4 GiB";
    case simdjson::DEPTH_ERROR:
      return "nested too deep";
    case simdjson::SCALAR_DOCUMENT_AS_VALUE:
      return "must be an object";
    case simdjson::TRAILING_CONTENT:
      return "something follows the JSON value";
    default:
      return "not valid JSON";
  }
}

template <typename T>
std::optional<T> ParseAll(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

bool JsonCursor::Open(size_t begin, size_t size) {
  is_open_ = false;
  begin_ = begin;
  size_ = size;
  buffer_.reserve(size + simdjson::SIMDJSON_PADDING);
  buffer_.assign(text_.substr(begin, size));
  if (const auto error =
          parser_.iterate(buffer_.data(), size, size + simdjson::SIMDJSON_PADDING).get(document_)) {
    return Syntax(error);
  }
  is_open_ = true;
  return true;
}

size_t JsonCursor::OffsetOf(Value& value) const { return OffsetOf(value.raw_json_token().data()); }

std::string_view JsonCursor::TokenOf(Value& value) {
  const std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

bool JsonCursor::IsNull(Value& value) {
  // A plain bool in some versions of simdjson.
  bool null = false;
  return TokenOf(value) == "null" &&
         simdjson::simdjson_result<bool>(value.is_null()).get(null) == simdjson::SUCCESS && null;
}

std::string JsonCursor::Path() const {
  std::string out = root_;
  for (const Step& step : path_) {
    if (step.index >= 0) {
      out += fmt::format("[{}]", step.index);
    } else {
      if (!out.empty()) out += '.';
      const std::string quoted = Quoted(step.key);
      const bool plain = std::string_view(quoted).substr(1, quoted.size() - 2) == step.key &&
                         step.key.find_first_of(" .[]\"") == std::string_view::npos;
      out += plain ? std::string(step.key) : quoted;
    }
  }
  return out;
}

bool JsonCursor::FailAt(size_t offset, std::string_view reason) {
  return FailAt(offset, Path(), reason);
}

bool JsonCursor::FailAt(size_t offset, std::string_view path, std::string_view reason) {
  if (status_.ok()) {
    const std::string place = LineColumn(text_, offset);
    status_ = path.empty() ? InvalidAt(place, reason)
                           : InvalidAt(place, fmt::format("{}: {}", path, reason));
  }
  return false;
}

bool JsonCursor::Syntax(simdjson::error_code error) {
  size_t offset = begin_ + size_;
  if (error == simdjson::UTF8_ERROR || error == simdjson::UNCLOSED_STRING ||
      error == simdjson::UNESCAPED_CHARS) {
    offset = begin_ + FindBrokenText(text_.substr(begin_, size_), error);
  } else if (const char* location;
             is_open_ && document_.current_location().get(location) == simdjson::SUCCESS) {
    offset = OffsetOf(location);
  }
  return FailAt(offset, SyntaxText(error));
}

bool JsonCursor::WrongType(Value& value, std::string_view wanted) {
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  return Fail(value, fmt::format("must be {}, not {}", wanted, TypeName(type)));
}

bool JsonCursor::UnknownKey(size_t offset, std::string_view key, std::span<const JsonKey> keys) {
  std::vector<std::string_view> known;
  for (const JsonKey& k : keys) known.push_back(k.camel);
  const std::string hint = key.size() < 64 ? DidYouMeanOf(key, known) : std::string();
  return FailAt(offset, fmt::format("unknown key{}", hint));
}

bool JsonCursor::String(Value value, std::string_view* out) {
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  if (type != json_type::string) return WrongType(value, "a string");
  const size_t offset = OffsetOf(value);
  if (value.get_string().get(*out)) return FailAt(offset, "the string has a bad escape");
  return true;
}

bool JsonCursor::String(Value value, std::string* out) {
  std::string_view text;
  if (!String(value, &text)) return false;
  out->assign(text);
  return true;
}

bool JsonCursor::Strings(Value value, std::vector<TextAt>* out) {
  return Array(value, [&](Value item) {
    TextAt& text = out->emplace_back();
    text.offset = OffsetOf(item);
    return String(item, &text.text);
  });
}

bool JsonCursor::TypeOf(Value& value, simdjson::ondemand::json_type* out) {
  return !value.type().get(*out) || Fail(value, "not valid JSON");
}

bool JsonCursor::Pass(Value value, int depth) {
  using simdjson::ondemand::json_type;
  json_type type;
  if (!TypeOf(value, &type)) return false;
  if (depth > kMaxPassedDepth) return Fail(value, "nested too deep");
  std::string_view text;
  bool flag = false;
  double number = 0;
  switch (type) {
    case json_type::object:
      return Map(value, [&](std::string_view, Value v, size_t) { return Pass(v, depth + 1); });
    case json_type::array:
      return Array(value, [&](Value v) { return Pass(v, depth + 1); });
    case json_type::string:
      return String(value, &text);
    case json_type::boolean:
      return Bool(value, &flag);
    case json_type::null:
      return true;
    default:
      return Double(value, &number);
  }
}

bool JsonCursor::Bool(Value value, bool* out) {
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  if (type != json_type::boolean) return WrongType(value, "true or false");
  const size_t offset = OffsetOf(value);
  if (value.get_bool().get(*out)) return FailAt(offset, "must be true or false");
  return true;
}

bool JsonCursor::Int(Value value, int64_t min, int64_t max, int64_t* out) {
  constexpr std::string_view kWanted = "an integer";
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  std::optional<int64_t> number;
  if (type == json_type::string) {
    const size_t offset = OffsetOf(value);
    std::string_view text;
    if (!String(value, &text)) return false;
    number = ParseAll<int64_t>(text);
    if (!number)
      return FailAt(offset, fmt::format("{} is not {} of 64 bits", Quoted(text), kWanted));
    if (*number < min || *number > max) {
      return FailAt(offset, fmt::format("{} is outside {}..{}", *number, min, max));
    }
    *out = *number;
    return true;
  }
  if (type != json_type::number) return WrongType(value, kWanted);
  const size_t offset = OffsetOf(value);
  const std::string_view token = TokenOf(value);
  simdjson::ondemand::number parsed;
  if (value.get_number().get(parsed)) {
    return FailAt(offset, fmt::format("{} is not {} of 64 bits", Quoted(token), kWanted));
  }
  if (parsed.is_int64()) {
    number = parsed.get_int64();
  } else if (parsed.is_double() && parsed.get_double() == std::trunc(parsed.get_double()) &&
             std::abs(parsed.get_double()) < 0x1p63) {
    number = static_cast<int64_t>(parsed.get_double());
  } else if (parsed.is_double()) {
    return FailAt(offset, fmt::format("{} is not {}", Quoted(token), kWanted));
  }
  if (!number || *number < min || *number > max) {
    return FailAt(offset, fmt::format("{} is outside {}..{}", token, min, max));
  }
  *out = *number;
  return true;
}

bool JsonCursor::Uint(Value value, uint64_t* out) {
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  if (type == json_type::string) {
    const size_t offset = OffsetOf(value);
    std::string_view text;
    if (!String(value, &text)) return false;
    const auto number = ParseAll<uint64_t>(text);
    if (!number) {
      return FailAt(offset, fmt::format("{} is not an unsigned integer of 64 bits", Quoted(text)));
    }
    *out = *number;
    return true;
  }
  if (type != json_type::number) return WrongType(value, "an unsigned integer");
  const size_t offset = OffsetOf(value);
  const std::string_view token = TokenOf(value);
  simdjson::ondemand::number parsed;
  if (value.get_number().get(parsed) == simdjson::SUCCESS) {
    if (parsed.is_uint64() || (parsed.is_int64() && parsed.get_int64() >= 0)) {
      *out = parsed.is_uint64() ? parsed.get_uint64() : static_cast<uint64_t>(parsed.get_int64());
      return true;
    }
    if (parsed.is_double() && parsed.get_double() == std::trunc(parsed.get_double()) &&
        parsed.get_double() >= 0 && parsed.get_double() < 0x1p64) {
      *out = static_cast<uint64_t>(parsed.get_double());
      return true;
    }
  }
  return FailAt(offset, fmt::format("{} is not an unsigned integer of 64 bits", Quoted(token)));
}

bool JsonCursor::Double(Value value, double* out) {
  json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  const size_t offset = OffsetOf(value);
  if (type == json_type::string) {
    std::string_view text;
    if (!String(value, &text)) return false;
    if (text == "NaN") {
      *out = std::numeric_limits<double>::quiet_NaN();
    } else if (text == "Infinity") {
      *out = std::numeric_limits<double>::infinity();
    } else if (text == "-Infinity") {
      *out = -std::numeric_limits<double>::infinity();
    } else if (const auto number = ParseAll<double>(text); number && std::isfinite(*number)) {
      *out = *number;
    } else {
      return FailAt(offset, fmt::format("{} is not a number", Quoted(text)));
    }
    return true;
  }
  if (type != json_type::number) return WrongType(value, "a number");
  const std::string_view token = TokenOf(value);
  if (value.get_double().get(*out)) {
    return FailAt(offset, fmt::format("{} is not a number of 64 bits", Quoted(token)));
  }
  return true;
}

bool JsonCursor::Float(Value value, float* out) {
  const size_t offset = OffsetOf(value);
  double number = 0;
  if (!Double(value, &number)) return false;
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) {
    return FailAt(offset, fmt::format("{} is beyond a 32-bit float", number));
  }
  *out = static_cast<float>(number);
  return true;
}

}  // namespace quantgate
