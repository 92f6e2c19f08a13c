// Strict reading of JSON with the place of every error: simdjson's on-demand parser plus a path.
#ifndef QUANTGATE_CORE_READERS_JSON_CURSOR_H_
#define QUANTGATE_CORE_READERS_JSON_CURSOR_H_

#include <simdjson.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"

namespace quantgate {

// A field of a message under its JSON name and its name in the .proto file.
struct JsonKey {
  std::string_view camel;
  std::string_view snake;
};

// A string and the byte of the text at which it begins.
struct TextAt {
  std::string_view text;
  size_t offset;
};

// Functions return false after the first error, which is then kept. Values are visited once, in
// file order. Strings live as long as the cursor.
class JsonCursor {
 public:
  using Value = simdjson::ondemand::value;

  explicit JsonCursor(std::string_view json) : text_(json) {}

  // The error, "LINE:COLUMN: PATH: REASON".
  const absl::Status& status() const { return status_; }

  // Calls read(object) for the one object the text holds.
  template <typename Read>
  bool Document(Read read) {
    return Slice(0, text_.size(), read);
  }
  // The same for one value that is only a part of the text: memory is in proportion to the part.
  // Ends the life of the strings of the part before.
  template <typename Read>
  bool Slice(size_t begin, size_t size, Read read);

  // Calls field(index of the key, value) for each member; null members count as absent.
  template <typename Field>
  bool Object(Value value, std::span<const JsonKey> keys, Field field);
  // Calls field(key, value, offset of the key) for each member of an object with free keys.
  template <typename Field>
  bool Map(Value value, Field field);
  // Calls element(value) for each element.
  template <typename Element>
  bool Array(Value value, Element element);

  bool String(Value value, std::string_view* out);
  bool String(Value value, std::string* out);
  // An array of strings.
  bool Strings(Value value, std::vector<TextAt>* out);
  bool Bool(Value value, bool* out);
  bool Int(Value value, int64_t min, int64_t max, int64_t* out);
  bool Uint(Value value, uint64_t* out);
  bool Double(Value value, double* out);
  bool Float(Value value, float* out);
  bool TypeOf(Value& value, simdjson::ondemand::json_type* out);
  // Over a value of no use; it is held to be JSON all the same, of kMaxPassedDepth levels at most.
  bool Pass(Value value, int depth = 0);
  static constexpr int kMaxPassedDepth = 64;

  // The path of what Slice() visits, before the path within it.
  void SetPath(std::string path) { root_ = std::move(path); }

  // Byte of the text at which a value begins.
  size_t OffsetOf(Value& value) const;
  bool Fail(Value& value, std::string_view reason) { return FailAt(OffsetOf(value), reason); }
  // With the path of the value being visited.
  bool FailAt(size_t offset, std::string_view reason);
  // With a path of the caller's.
  bool FailAt(size_t offset, std::string_view path, std::string_view reason);

 private:
  struct Step {
    std::string_view key;
    int64_t index;  // -1 = `key`
  };

  bool Syntax(simdjson::error_code error);
  bool WrongType(Value& value, std::string_view wanted);
  bool UnknownKey(size_t offset, std::string_view key, std::span<const JsonKey> keys);
  // The token at which a value begins, without what follows it.
  static std::string_view TokenOf(Value& value);
  static bool IsNull(Value& value);
  std::string Path() const;

  // Byte of the text that a byte of the buffer is.
  size_t OffsetOf(const char* at) const {
    return begin_ + static_cast<size_t>(at - buffer_.data());
  }
  // Fills the buffer.
  bool Open(size_t begin, size_t size);

  std::string_view text_;
  std::string buffer_;  // text_[begin_, begin_ + size_) and simdjson's padding
  size_t begin_ = 0;
  size_t size_ = 0;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  bool is_open_ = false;  // document_ may be asked for its place
  std::string root_;
  std::vector<Step> path_;
  absl::Status status_;
};

template <typename Read>
bool JsonCursor::Slice(size_t begin, size_t size, Read read) {
  if (!Open(begin, size)) return false;
  Value root;
  if (const auto error = document_.get_value().get(root)) return Syntax(error);
  if (!read(root)) return false;
  if (const char* next; document_.current_location().get(next) == simdjson::SUCCESS) {
    return Syntax(simdjson::TRAILING_CONTENT);
  }
  return true;
}

template <typename Field>
bool JsonCursor::Object(Value value, std::span<const JsonKey> keys, Field field) {
  uint32_t seen = 0;  // no message has more than 32 fields
  return Map(value, [&](std::string_view key, Value member, size_t offset) {
    size_t i = 0;
    while (i < keys.size() && keys[i].camel != key && keys[i].snake != key) ++i;
    if (i == keys.size()) return UnknownKey(offset, key, keys);
    if ((seen >> i & 1) != 0) return FailAt(offset, "given twice");
    seen |= uint32_t{1} << i;
    return field(i, member);
  });
}

template <typename Field>
bool JsonCursor::Map(Value value, Field field) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  if (type != simdjson::ondemand::json_type::object) return WrongType(value, "an object");
  simdjson::ondemand::object object;
  if (const auto error = value.get_object().get(object)) return Syntax(error);
  for (auto member : object) {
    simdjson::ondemand::field pair;
    if (const auto error = std::move(member).get(pair)) return Syntax(error);
    const size_t offset = OffsetOf(pair.key().raw()) - 1;
    std::string_view key;
    if (const auto error = pair.unescaped_key().get(key)) return FailAt(offset, "bad string");
    path_.push_back({key, -1});
    Value v = pair.value();
    simdjson::ondemand::json_type member_type;
    if (const auto error = v.type().get(member_type)) return Syntax(error);
    if (member_type == simdjson::ondemand::json_type::null) {
      if (!IsNull(v)) return Fail(v, "bad literal");
    } else if (!field(key, v, offset)) {
      return false;
    }
    path_.pop_back();
  }
  return true;
}

template <typename Element>
bool JsonCursor::Array(Value value, Element element) {
  simdjson::ondemand::json_type type;
  if (const auto error = value.type().get(type)) return Syntax(error);
  if (type != simdjson::ondemand::json_type::array) return WrongType(value, "an array");
  simdjson::ondemand::array array;
  if (const auto error = value.get_array().get(array)) return Syntax(error);
  path_.push_back({{}, 0});
  for (auto item : array) {
    Value v;
    if (const auto error = std::move(item).get(v)) return Syntax(error);
    if (!element(v)) return false;
    ++path_.back().index;
  }
  path_.pop_back();
  return true;
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_READERS_JSON_CURSOR_H_
