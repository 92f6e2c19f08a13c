#include "core/base/json_walker.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace quantgate {
namespace {

// Bytes at which the depth changes or a string begins.
constexpr std::array<bool, 256> kMarks = [] {
  std::array<bool, 256> marks{};
  for (const char c : {'{', '}', '[', ']', '"'}) marks[static_cast<unsigned char>(c)] = true;
  return marks;
}();
constexpr std::string_view kSpace = " \t\r\n";

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || kSpace.find(c) != std::string_view::npos;
}

}  // namespace

bool JsonWalker::Fail(size_t at, std::string_view reason) {
  at_ = at;
  reason_ = reason;
  return false;
}

char JsonWalker::Peek() {
  at_ = text_.find_first_not_of(kSpace, at_);
  if (at_ == std::string_view::npos) at_ = text_.size();
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonWalker::Enter(char open, std::string_view reason) {
  if (Peek() != open) return Fail(at_, at_ == text_.size() ? "the text ends early" : reason);
  ++at_;
  first_ = true;
  return true;
}

bool JsonWalker::Separator(char close, bool* more) {
  const char c = Peek();
  *more = c != close;
  if (c == close) {
    ++at_;
    first_ = false;
    return true;
  }
  if (at_ == text_.size()) return Fail(at_, "an object or array is not closed");
  if (!first_) {
    if (c != ',') return Fail(at_, "expected a comma");
    ++at_;
  }
  first_ = false;
  return true;
}

bool JsonWalker::NextMember(bool* more, JsonSpan* key) {
  if (!Separator('}', more) || !*more) return reason_.empty();
  if (Peek() != '"') return Fail(at_, "expected a key");
  key->begin = at_;
  if (!SkipString()) return false;
  key->size = at_ - key->begin;
  if (Peek() != ':') return Fail(at_, "expected a colon");
  ++at_;
  return true;
}

bool JsonWalker::NextElement(bool* more) { return Separator(']', more); }

bool JsonWalker::SkipString() {
  const size_t begin = at_;
  for (size_t i = begin + 1; i < text_.size(); ++i) {
    const void* quote = std::memchr(text_.data() + i, '"', text_.size() - i);
    if (quote == nullptr) break;
    i = static_cast<size_t>(static_cast<const char*>(quote) - text_.data());
    size_t escapes = i;
    while (escapes > begin + 1 && text_[escapes - 1] == '\\') --escapes;
    if ((i - escapes) % 2 == 0) {
      at_ = i + 1;
      return true;
    }
  }
  return Fail(begin, "the string is not closed");
}

bool JsonWalker::Skip(JsonSpan* value) {
  const char first = Peek();
  value->begin = at_;
  if (first == '"') {
    if (!SkipString()) return false;
  } else if (first == '{' || first == '[') {
    int64_t depth = 0;
    for (;;) {
      while (at_ < text_.size() && !kMarks[static_cast<unsigned char>(text_[at_])]) ++at_;
      if (at_ == text_.size()) return Fail(value->begin, "an object or array is not closed");
      const char c = text_[at_];
      if (c == '"') {
        if (!SkipString()) return false;
        continue;
      }
      ++at_;
      depth += c == '{' || c == '[' ? 1 : -1;
      if (depth == 0) break;
    }
  } else {
    while (at_ < text_.size() && !EndsScalar(text_[at_])) ++at_;
    if (at_ == value->begin) return Fail(at_, "expected a value");
  }
  value->size = at_ - value->begin;
  return true;
}

bool JsonWalker::AtEnd() {
  return Peek() == '\0' && at_ == text_.size() ? true
                                               : Fail(at_, "something follows the JSON value");
}

}  // namespace quantgate
