#include "core/base/expression.h"

#include <charconv>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/text.h"

namespace quantgate::expression {
namespace {

constexpr size_t kMaxText = 1024;
constexpr int kMaxNesting = 64;
constexpr int64_t kHighestPort = 255;

// How tight an operator binds, from the loosest.
enum Level : uint8_t { kAnyOf, kAllOf, kComparison, kFallback, kSum, kProduct, kUnary };

struct Operator {
  std::string_view token;
  Code code;
  Level level;
};
// Of those that begin alike the longer one first.
constexpr Operator kOperators[] = {
    {"or", Code::kOr, kAnyOf},           {"and", Code::kAnd, kAllOf},
    {"==", Code::kEq, kComparison},      {"!=", Code::kNe, kComparison},
    {"<=", Code::kLe, kComparison},      {">=", Code::kGe, kComparison},
    {"<", Code::kLt, kComparison},       {">", Code::kGt, kComparison},
    {"??", Code::kCoalesce, kFallback},  {"+", Code::kAdd, kSum},
    {"-", Code::kSub, kSum},             {"*", Code::kMul, kProduct},
    {"/", Code::kDiv, kProduct},         {"%", Code::kMod, kProduct},
};

// First characters of all of them.
constexpr std::string_view kOperatorStarts = "oa=!<>?+-*/%";

bool IsWord(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// Recursive descent: each function adds the nodes of what it reads and returns the index of their
// root. The first mistake ends the text, so that all of them return.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Syntax> Run() {
    if (text_.size() > kMaxText) return Mistake(text_, kMaxText, "it is too long");
    Ternary();
    Skip();
    if (at_ < text_.size()) Fail("unexpected text");
    if (failed_) return Mistake(text_, failed_at_, reason_);
    return Syntax{text_, std::move(nodes_)};
  }

 private:
  void Fail(std::string reason) {
    if (!failed_) {
      failed_ = true;
      failed_at_ = at_;
      reason_ = std::move(reason);
    }
    at_ = text_.size();
  }
  void Skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  char Next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Accept(std::string_view token) {
    Skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t end = at_ + token.size();
    // A word must not be the beginning of a longer one.
    if (IsWord(token.back()) && end < text_.size() && IsWord(text_[end])) return false;
    at_ = end;
    return true;
  }
  void Expect(std::string_view token) {
    if (!Accept(token)) Fail(absl::StrCat("expected '", Absl(token), "'"));
  }
  int32_t Add(Node node) {
    nodes_.push_back(std::move(node));
    return static_cast<int32_t>(nodes_.size()) - 1;
  }
  Node At(Code code, size_t at) const {
    Node node;
    node.code = code;
    node.at = static_cast<uint32_t>(at);
    return node;
  }
  int32_t Add(Code code, size_t at, std::initializer_list<int32_t> args) {
    Node node = At(code, at);
    node.args.assign(args.begin(), args.end());
    return Add(std::move(node));
  }

  int32_t Ternary() {
    if (++nesting_ > kMaxNesting) Fail("nested too deep");
    int32_t result = Binary(kAnyOf);
    if (Accept("?")) {
      const size_t at = at_ - 1;
      const int32_t then = Ternary();
      Expect(":");
      const int32_t otherwise = Ternary();
      result = Add(Code::kTernary, at, {result, then, otherwise});
    }
    --nesting_;
    return result;
  }
  const Operator* AcceptOperator(Level loosest, Level tightest) {
    Skip();
    if (kOperatorStarts.find(Next()) == kOperatorStarts.npos) return nullptr;
    for (const Operator& op : kOperators) {
      if (op.level >= loosest && op.level <= tightest && Accept(op.token)) return &op;
    }
    return nullptr;
  }
  // Operators of this level and tighter ones: what binds tighter than the operator before belongs to that one's right
  // side, so levels only loosen on the way.
  int32_t Binary(Level loosest) {
    int32_t left = 0;
    Level tightest = kProduct;
    if (loosest <= kComparison && Accept("not")) {
      left = Nested(Code::kNot, at_ - 3, [&] { return Binary(kComparison); });
      tightest = kAllOf;
    } else {
      left = Unary();
    }
    while (const Operator* op = AcceptOperator(loosest, tightest)) {
      const size_t at = at_ - op->token.size();
      const int32_t right = Binary(static_cast<Level>(op->level + 1));
      left = Add(op->code, at, {left, right});
      tightest = op->level == kComparison ? kAllOf : op->level;
    }
    return left;
  }
  template <typename Read>
  int32_t Nested(Code code, size_t at, Read read) {
    if (++nesting_ > kMaxNesting) Fail("nested too deep");
    const int32_t operand = read();
    --nesting_;
    return Add(code, at, {operand});
  }
  int32_t Unary() {
    if (Accept("-")) return Nested(Code::kNegate, at_ - 1, [&] { return Unary(); });
    int32_t result = Value();
    while (Accept("[")) {
      const size_t at = at_ - 1;
      const int32_t index = Ternary();
      Expect("]");
      result = Add(Code::kIndex, at, {result, index});
    }
    return result;
  }
  int32_t Value() {
    Skip();
    const char c = Next();
    if (c == '(') {
      ++at_;
      const int32_t inner = Ternary();
      Expect(")");
      return inner;
    }
    if (c == '[') return List("]", At(Code::kList, at_));
    if (c == '\'') return Text();
    if (IsDigit(c)) return Number();
    if (IsWord(c)) return Named();
    Fail("expected a value");
    return Add(Node{});
  }
  int32_t Text() {
    const size_t end = text_.find('\'', at_ + 1);
    if (end == text_.npos) {
      Fail("the text has no end");
      return Add(Node{});
    }
    Node node = At(Code::kText, at_);
    node.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return Add(std::move(node));
  }
  int32_t Number() {
    size_t end = at_;
    bool real = false;
    while (end < text_.size() && (IsDigit(text_[end]) || text_[end] == '.' || text_[end] == 'e' ||
                                  (text_[end] == '-' && text_[end - 1] == 'e'))) {
      real |= text_[end] == '.' || text_[end] == 'e';
      ++end;
    }
    Node node = At(real ? Code::kReal : Code::kInteger, at_);
    const char* first = text_.data() + at_;
    const char* last = text_.data() + end;
    const auto parsed = real ? std::from_chars(first, last, node.real)
                             : std::from_chars(first, last, node.integer);
    if (parsed.ec == std::errc::result_out_of_range) {
      Fail("number is out of range");
    } else if (parsed.ec != std::errc() || parsed.ptr != last) {
      Fail("not a number");
    } else {
      at_ = end;
    }
    return Add(std::move(node));
  }
  std::string_view Word() {
    const size_t begin = at_;
    while (IsWord(Next())) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  // A name, a param, a port or a function.
  int32_t Named() {
    const size_t begin = at_;
    const std::string_view word = Word();
    if (word == "param" && Next() == ':') {
      ++at_;
      Node node = At(Code::kParam, at_);
      node.text = Word();
      if (node.text.empty()) Fail("expected the name of a param");
      return Add(std::move(node));
    }
    if ((word == "in" || word == "out") && Next() == '[') return Port(word == "in", begin);
    Node node = At(Code::kName, begin);
    // "in0..m": all tensors of a port.
    if (text_.substr(at_).starts_with("..")) {
      at_ += 2;
      Word();
    }
    node.text = text_.substr(begin, at_ - begin);
    Skip();
    if (Next() != '(') return Add(std::move(node));
    node.code = Code::kCall;
    return List(")", std::move(node));
  }
  int32_t Port(bool input, size_t begin) {
    ++at_;  // '['
    int64_t number = 0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (parsed.ec != std::errc() || number < 0 || number > kHighestPort) {
      Fail("expected the number of a port");
    } else {
      at_ = static_cast<size_t>(parsed.ptr - text_.data());
      Expect("]");
    }
    Node node = At(Code::kPort, begin);
    node.integer = input ? number : -1 - number;
    return Add(std::move(node));
  }
  // From the opening bracket.
  int32_t List(std::string_view close, Node node) {
    ++at_;
    if (!Accept(close)) {
      do {
        node.args.push_back(Ternary());
      } while (Accept(","));
      Expect(close);
    }
    return Add(std::move(node));
  }

  std::string_view text_;
  size_t at_ = 0;
  int nesting_ = 0;
  bool failed_ = false;
  size_t failed_at_ = 0;
  std::string reason_;
  std::vector<Node> nodes_;
};

}  // namespace

absl::StatusOr<Syntax> Parse(std::string_view text) { return Parser(text).Run(); }

absl::Status Mistake(std::string_view text, size_t at, std::string_view reason) {
  return absl::InvalidArgumentError(absl::StrCat("expression ", Quoted(text), ": ", Absl(reason),
                                                 " at character ", at + 1));
}

}  // namespace quantgate::expression
