// The outer levels of a JSON text that may be large: members and elements are found byte by byte,
// without an index of the text, and handed out as places; a JsonCursor then reads each of them.
#ifndef QUANTGATE_CORE_BASE_JSON_WALKER_H_
#define QUANTGATE_CORE_BASE_JSON_WALKER_H_

#include <cstddef>
#include <string_view>

namespace quantgate {

struct JsonSpan {
  size_t begin = 0;
  size_t size = 0;
};

// Functions return false after the first error, which is then kept. What is inside of a span is
// only known to be balanced.
class JsonWalker {
 public:
  explicit JsonWalker(std::string_view text) : text_(text) {}

  // Where reading stopped, and why; empty = no error.
  size_t place() const { return at_; }
  std::string_view reason() const { return reason_; }

  // Behind the next member's key or element's beginning; '\0' at the end of the text.
  char Peek();
  bool EnterObject() { return Enter('{', "must be an object"); }
  bool EnterArray() { return Enter('[', "must be an array"); }
  // The next member of the object entered last; *more = false at its end, which is then left.
  bool NextMember(bool* more, JsonSpan* key);
  // The next element of the array entered last, likewise.
  bool NextElement(bool* more);
  // Over one value.
  bool Skip(JsonSpan* value);
  // Nothing but space may follow.
  bool AtEnd();

 private:
  bool Enter(char open, std::string_view reason);
  bool Separator(char close, bool* more);
  bool SkipString();
  bool Fail(size_t at, std::string_view reason);

  std::string_view text_;
  size_t at_ = 0;
  bool first_ = false;  // nothing was read of the container entered last
  std::string_view reason_;
};

}  // namespace quantgate

#endif  // QUANTGATE_CORE_BASE_JSON_WALKER_H_
