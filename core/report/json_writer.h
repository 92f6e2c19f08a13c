// JSON, written value by value: the bytes that nlohmann::json would dump, without a tree of them.
#ifndef QUANTGATE_CORE_REPORT_JSON_WRITER_H_
#define QUANTGATE_CORE_REPORT_JSON_WRITER_H_

#include <charconv>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace quantgate {

// Names come from files and may be any bytes: what isn't UTF-8 becomes U+FFFD.
inline std::string Dump(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

class JsonWriter {
 public:
  // `indent`: spaces of a level, 0 = all on one line; `depth`: levels that stand around.
  JsonWriter(std::string& text, int indent, int depth)
      : text_(text), indent_(indent), depth_(depth) {}

  void Begin(char bracket) {
    text_ += bracket;
    ++depth_;
    first_ = true;
  }
  void End(char bracket) {
    --depth_;
    if (!first_) Break();
    text_ += bracket;
    first_ = false;
  }
  // Before each value of an array and each key of an object.
  void Next() {
    if (!std::exchange(first_, false)) text_ += ',';
    Break();
  }
  void Key(std::string_view key) {
    Next();
    text_ += '"';
    text_ += key;
    text_ += indent_ == 0 ? "\":" : "\": ";
  }

  void Value(std::string_view value);
  void Value(std::same_as<bool> auto value) { text_ += value ? "true" : "false"; }
  void Value(std::same_as<int32_t> auto value) {
    char digits[16];
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void Tree(const nlohmann::ordered_json& value);

  template <typename T>
  void Field(std::string_view key, const T& value) {
    Key(key);
    Value(value);
  }
  template <typename Items>
  void Strings(std::string_view key, const Items& items) {
    Key(key);
    Begin('[');
    for (const auto& item : items) {
      Next();
      Value(std::string_view(item));
    }
    End(']');
  }

 private:
  void Break() {
    if (indent_ == 0) return;
    text_ += '\n';
    text_.append(static_cast<size_t>(depth_) * static_cast<size_t>(indent_), ' ');
  }

  std::string& text_;
  const int indent_;
  int depth_;
  bool first_ = true;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_REPORT_JSON_WRITER_H_
