// Strict reading of JSON with the place of every error. Values are read where they stand in the
// text, one after the other: there is no tree and no index of it.
#ifndef QUANTGATE_CORE_BASE_JSON_CURSOR_H_
#define QUANTGATE_CORE_BASE_JSON_CURSOR_H_

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "quantgate/shared_string.h"

namespace quantgate {

// Bounds of what a field holds.
inline constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();
inline constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kInt32Min = std::numeric_limits<int32_t>::min();
inline constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

enum class JsonType : uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

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
// file order; one that is not visited is passed over. The text must outlive the cursor, and strings
// live as long as both.
class JsonCursor {
 public:
  // A value by the byte of the text at which it begins.
  struct Value {
    size_t at = 0;
  };

  explicit JsonCursor(std::string_view json) : text_(json) {}

  // The error, "LINE:COLUMN: PATH: REASON".
  const absl::Status& status() const { return status_; }

  // Calls read(object) for the one object or array the text holds.
  template <typename Read>
  bool Document(Read read) {
    return Slice(0, text_.size(), read);
  }
  // The same for one that is only a part of the text. Ends the life of the strings of the part
  // before.
  template <typename Read>
  bool Slice(size_t begin, size_t size, Read read) {
    Value root;
    return Open(begin, size, &root) && read(root) && Close(root);
  }

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
  bool String(Value value, SharedString* out);
  // An array of strings.
  bool Strings(Value value, std::vector<TextAt>* out);
  bool Bool(Value value, bool* out);
  bool Int(Value value, int64_t min, int64_t max, int64_t* out);
  bool Uint(Value value, uint64_t* out);
  bool Double(Value value, double* out);
  bool Float(Value value, float* out);
  // Whether it is written as an integer of 64 bits, which is then visited; no error otherwise.
  bool IsInt(Value value, int64_t* out);
  bool TypeOf(Value value, JsonType* out);
  // Over a value of no use; it is held to be JSON all the same, of kMaxPassedDepth levels at most.
  bool Pass(Value value, int depth = 0);
  static constexpr int kMaxPassedDepth = 64;

  // The path of what Slice() visits, before the path within it.
  void SetPath(std::string path) { root_ = std::move(path); }

  // Byte of the text at which a value begins.
  static size_t OffsetOf(Value value) { return value.at; }
  bool Fail(Value value, std::string_view reason) { return FailAt(value.at, reason); }
  // With the path of the value being visited.
  bool FailAt(size_t offset, std::string_view reason);
  // With a path of the caller's.
  bool FailAt(size_t offset, std::string_view path, std::string_view reason);

 private:
  struct Step {
    std::string_view key;
    int64_t index;  // -1 = `key`
  };

  // Checks the characters of the part, and that one object or array is all of it.
  bool Open(size_t begin, size_t size, Value* root);
  bool Close(Value root);
  // To the next byte that is no space; '\0' at the end of the part.
  char Peek();
  // Into a container of that type.
  bool Enter(Value value, JsonType type);
  // To the next member or element, or out of the container.
  bool Next(char close, bool first, bool* more);
  bool Key(std::string_view* key, size_t* offset);
  // Behind a value that `visit` was given and may have left where it is.
  bool Leave(Value value);

  bool Syntax(size_t offset);
  bool WrongType(Value value, std::string_view wanted);
  bool UnknownKey(size_t offset, std::string_view key, std::span<const JsonKey> keys);
  // The token of a scalar, without what follows it.
  std::string_view TokenOf(Value value) const;
  bool IsNull(Value value) const { return TokenOf(value) == "null"; }
  // The string that begins at a quote; at_ is then behind it.
  bool Unquote(size_t begin, std::string_view* out);
  std::string Path() const;

  std::string_view text_;
  size_t at_ = 0, end_ = 0;        // what is unread of the part
  std::deque<std::string> clean_;  // strings that had escapes
  std::string root_;
  std::vector<Step> path_;
  absl::Status status_;
};

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
  if (!Enter(value, JsonType::kObject)) return false;
  for (bool first = true, more = true;; first = false) {
    if (!Next('}', first, &more)) return false;
    if (!more) return true;
    std::string_view key;
    size_t offset = 0;
    if (!Key(&key, &offset)) return false;
    path_.push_back({key, -1});
    const Value member{at_};
    JsonType type;
    if (!TypeOf(member, &type)) return false;
    if (type == JsonType::kNull) {
      if (!IsNull(member)) return Fail(member, "bad literal");
    } else if (!field(key, member, offset)) {
      return false;
    }
    if (!Leave(member)) return false;
    path_.pop_back();
  }
}

template <typename Element>
bool JsonCursor::Array(Value value, Element element) {
  if (!Enter(value, JsonType::kArray)) return false;
  path_.push_back({{}, 0});
  for (bool first = true, more = true;; first = false) {
    if (!Next(']', first, &more)) return false;
    if (!more) break;
    const Value item{at_};
    if (!element(item) || !Leave(item)) return false;
    ++path_.back().index;
  }
  path_.pop_back();
  return true;
}

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_JSON_CURSOR_H_
