#include "core/base/json_cursor.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <variant>

#include "core/base/json_text.h"
#include "core/base/nearest.h"
#include "core/base/text.h"

namespace quantgate {
namespace {

using json::In;
using json::kEndsToken;
using json::kIsSpace;
using json::Number;
using json::ParseAll;
using json::ParseNumber;

std::string_view TypeName(JsonType type) {
  switch (type) {
    case JsonType::kArray:
      return "an array";
    case JsonType::kObject:
      return "an object";
    case JsonType::kNumber:
      return "a number";
    case JsonType::kString:
      return "a string";
    case JsonType::kBoolean:
      return "true or false";
    case JsonType::kNull:
      return "null";
  }
  return "something else";
}

}  // namespace

bool JsonCursor::Open(size_t begin, size_t size, Value* root) {
  clean_.clear();
  at_ = begin;
  end_ = begin + size;
  const std::string_view part = text_.substr(begin, size);
  if (const json::Broken broken = json::FindBroken(part); !broken.reason.empty()) {
    return FailAt(begin + broken.at, broken.reason);
  }
  const char open = Peek();
  *root = {at_};
  return open == '{' || open == '[' || FailAt(at_, "must be an object");
}

bool JsonCursor::Close(Value root) {
  if (!Leave(root)) return false;
  Peek();
  return at_ == end_ || FailAt(at_, "something follows the JSON value");
}

char JsonCursor::Peek() {
  while (at_ < end_ && In(kIsSpace, text_[at_])) ++at_;
  return at_ < end_ ? text_[at_] : '\0';
}

bool JsonCursor::Enter(Value value, JsonType type) {
  JsonType found;
  if (!TypeOf(value, &found)) return false;
  if (found != type) return WrongType(value, TypeName(type));
  at_ = value.at + 1;
  return true;
}

bool JsonCursor::Next(char close, bool first, bool* more) {
  const char c = Peek();
  *more = c != close;
  if (c == close) {
    ++at_;
    return true;
  }
  if (!first) {
    if (c != ',') return Syntax(at_);
    ++at_;
    Peek();
  }
  return at_ < end_ || Syntax(at_);
}

bool JsonCursor::Key(std::string_view* key, size_t* offset) {
  *offset = at_;
  if (text_[at_] != '"') return Syntax(at_);
  if (!Unquote(at_, key)) return FailAt(*offset, "bad string");
  if (Peek() != ':') return Syntax(at_);
  ++at_;
  Peek();
  return true;
}

bool JsonCursor::Leave(Value value) {
  if (at_ != value.at) return true;
  // Not visited: brackets are counted, strings are closed.
  int64_t depth = 0;
  do {
    const char c = Peek();
    if (at_ == end_) return Syntax(at_);
    if (c == '"') {
      std::string_view ignored;
      if (!Unquote(at_, &ignored)) return FailAt(at_, "the string has a bad escape");
    } else if (In(kEndsToken, c)) {
      depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
      ++at_;
    } else {
      at_ += TokenOf({at_}).size();
    }
  } while (depth > 0);
  return depth == 0 || Syntax(value.at);
}

bool JsonCursor::Syntax(size_t offset) {
  return FailAt(offset, offset >= end_ ? "an object or array is not closed" : "not valid JSON");
}

std::string_view JsonCursor::TokenOf(Value value) const {
  size_t end = value.at;
  while (end < end_ && !In(kEndsToken, text_[end])) ++end;
  return text_.substr(value.at, end - value.at);
}

bool JsonCursor::Unquote(size_t begin, std::string_view* out) {
  bool escapes = false;
  size_t end = begin + 1;
  for (; end < end_ && text_[end] != '"'; ++end) {
    if (text_[end] == '\\') {
      escapes = true;
      ++end;
    }
  }
  if (end >= end_) return false;
  *out = text_.substr(begin + 1, end - begin - 1);
  if (escapes) {
    std::string clean;
    if (!json::Unescape(*out, &clean)) return false;
    *out = clean_.emplace_back(std::move(clean));
  }
  at_ = end + 1;
  return true;
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

bool JsonCursor::WrongType(Value value, std::string_view wanted) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  return Fail(value, fmt::format("must be {}, not {}", wanted, TypeName(type)));
}

bool JsonCursor::UnknownKey(size_t offset, std::string_view key, std::span<const JsonKey> keys) {
  std::vector<std::string_view> known;
  for (const JsonKey& k : keys) known.push_back(k.camel);
  const std::string hint = key.size() < 64 ? DidYouMeanOf(key, known) : std::string();
  return FailAt(offset, fmt::format("unknown key{}", hint));
}

bool JsonCursor::String(Value value, std::string_view* out) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  if (type != JsonType::kString) return WrongType(value, "a string");
  return Unquote(value.at, out) || Fail(value, "the string has a bad escape");
}

bool JsonCursor::String(Value value, std::string* out) {
  std::string_view text;
  if (!String(value, &text)) return false;
  out->assign(text);
  return true;
}

bool JsonCursor::String(Value value, SharedString* out) {
  std::string_view text;
  if (!String(value, &text)) return false;
  *out = text;
  return true;
}

bool JsonCursor::Strings(Value value, std::vector<TextAt>* out) {
  return Array(value, [&](Value item) {
    TextAt& text = out->emplace_back();
    text.offset = OffsetOf(item);
    return String(item, &text.text);
  });
}

bool JsonCursor::TypeOf(Value value, JsonType* out) {
  const char first = value.at < end_ ? text_[value.at] : '\0';
  switch (first) {
    case '{':
      *out = JsonType::kObject;
      return true;
    case '[':
      *out = JsonType::kArray;
      return true;
    case '"':
      *out = JsonType::kString;
      return true;
    case 't':
    case 'f':
      *out = JsonType::kBoolean;
      return true;
    case 'n':
      *out = JsonType::kNull;
      return true;
    default:
      *out = JsonType::kNumber;
      return first == '-' || (first >= '0' && first <= '9') || Syntax(value.at);
  }
}

bool JsonCursor::Pass(Value value, int depth) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  if (depth > kMaxPassedDepth) return Fail(value, "nested too deep");
  std::string_view text;
  bool flag = false;
  double number = 0;
  switch (type) {
    case JsonType::kObject:
      return Map(value, [&](std::string_view, Value v, size_t) { return Pass(v, depth + 1); });
    case JsonType::kArray:
      return Array(value, [&](Value v) { return Pass(v, depth + 1); });
    case JsonType::kString:
      return String(value, &text);
    case JsonType::kBoolean:
      return Bool(value, &flag);
    case JsonType::kNull:
      return IsNull(value) || Fail(value, "bad literal");
    case JsonType::kNumber:
      return Double(value, &number);
  }
  return false;
}

bool JsonCursor::Bool(Value value, bool* out) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  if (type != JsonType::kBoolean) return WrongType(value, "true or false");
  const std::string_view token = TokenOf(value);
  if (token != "true" && token != "false") return Fail(value, "must be true or false");
  *out = token == "true";
  at_ = value.at + token.size();
  return true;
}

bool JsonCursor::Int(Value value, int64_t min, int64_t max, int64_t* out) {
  constexpr std::string_view kWanted = "an integer";
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  std::optional<int64_t> number;
  if (type == JsonType::kString) {
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
  if (type != JsonType::kNumber) return WrongType(value, kWanted);
  const std::string_view token = TokenOf(value);
  const Number parsed = ParseNumber(token);
  if (std::holds_alternative<std::monostate>(parsed)) {
    return Fail(value, fmt::format("{} is not {} of 64 bits", Quoted(token), kWanted));
  }
  if (const int64_t* integer = std::get_if<int64_t>(&parsed)) {
    number = *integer;
  } else if (const double* real = std::get_if<double>(&parsed)) {
    const bool whole = *real == std::trunc(*real);
    if (whole && std::abs(*real) < 0x1p63) {
      number = static_cast<int64_t>(*real);
    } else {
      return Fail(value, fmt::format("{} is not {}", Quoted(token), kWanted));
    }
  }
  if (!number || *number < min || *number > max) {
    return Fail(value, fmt::format("{} is outside {}..{}", token, min, max));
  }
  *out = *number;
  at_ = value.at + token.size();
  return true;
}

bool JsonCursor::IsInt(Value value, int64_t* out) {
  const std::string_view token = TokenOf(value);
  const Number parsed = ParseNumber(token);
  const int64_t* integer = std::get_if<int64_t>(&parsed);
  if (integer == nullptr) return false;
  *out = *integer;
  at_ = value.at + token.size();
  return true;
}

bool JsonCursor::Uint(Value value, uint64_t* out) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  if (type == JsonType::kString) {
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
  if (type != JsonType::kNumber) return WrongType(value, "an unsigned integer");
  const std::string_view token = TokenOf(value);
  const Number parsed = ParseNumber(token);
  const int64_t* integer = std::get_if<int64_t>(&parsed);
  const double* real = std::get_if<double>(&parsed);
  if (const uint64_t* large = std::get_if<uint64_t>(&parsed)) {
    *out = *large;
  } else if (integer != nullptr && *integer >= 0) {
    *out = static_cast<uint64_t>(*integer);
  } else if (real != nullptr && *real == std::trunc(*real) && *real >= 0 && *real < 0x1p64) {
    *out = static_cast<uint64_t>(*real);
  } else {
    return Fail(value, fmt::format("{} is not an unsigned integer of 64 bits", Quoted(token)));
  }
  at_ = value.at + token.size();
  return true;
}

bool JsonCursor::Double(Value value, double* out) {
  JsonType type;
  if (!TypeOf(value, &type)) return false;
  const size_t offset = OffsetOf(value);
  if (type == JsonType::kString) {
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
  if (type != JsonType::kNumber) return WrongType(value, "a number");
  const std::string_view token = TokenOf(value);
  const std::optional<double> number = json::ParseDouble(token);
  if (!number) {
    return FailAt(offset, fmt::format("{} is not a number of 64 bits", Quoted(token)));
  }
  *out = *number;
  at_ = value.at + token.size();
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
