#include "core/report/json_writer.h"

namespace quantgate {

void JsonWriter::Value(std::string_view value) {
  const size_t start = text_.size();
  text_ += '"';
  const char* plain = value.data();  // from here on nothing is written yet
  const char* const end = plain + value.size();
  for (const char* at = plain; at != end; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 0x20 || byte >= 0x80) {  // control characters, and what need not be UTF-8
      text_.resize(start);
      text_ += Dump(value, -1);
      return;
    }
    if (byte != '"' && byte != '\\') continue;
    text_.append(plain, at);
    text_ += '\\';
    plain = at;
  }
  text_.append(plain, end);
  text_ += '"';
}

void JsonWriter::Tree(const nlohmann::ordered_json& value) {
  if (indent_ == 0) {
    text_ += Dump(value, -1);
    return;
  }
  // A line feed in dumped JSON is always one between tokens.
  for (const char c : Dump(value, indent_)) {
    if (c == '\n') {
      Break();
    } else {
      text_ += c;
    }
  }
}

}  // namespace quantgate
