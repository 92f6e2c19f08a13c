#include "core/lower/expression/expr.h"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"

namespace quantgate::mapping {

// Recursive descent; each rule appends its items and returns the index of its root.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<Expr> Run() {
    Ternary();
    Space();
    if (error_.empty() && at_ < text_.size()) Fail("unexpected text");
    if (!error_.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", error_at_ + 1, " of the expression: ", error_));
    }
    return std::move(expr_);
  }

 private:
  using Code = Expr::Code;
  static constexpr int kMaxDepth = 64;

  void Fail(std::string_view reason) {
    if (!error_.empty()) return;
    error_ = std::string(reason);
    error_at_ = at_;
    at_ = text_.size();
  }
  void Space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  static bool IsName(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
  bool Take(std::string_view token) {
    Space();
    if (!text_.substr(at_).starts_with(token)) return false;
    const size_t end = at_ + token.size();
    // A word must not be the beginning of a longer one.
    if (IsName(token.back()) && end < text_.size() && IsName(text_[end])) return false;
    at_ = end;
    return true;
  }
  bool Peek(char c) {
    Space();
    return at_ < text_.size() && text_[at_] == c;
  }
  int32_t Add(Expr::Item item) {
    expr_.nodes_.push_back(std::move(item));
    return static_cast<int32_t>(expr_.nodes_.size()) - 1;
  }
  int32_t Make(Code code, std::initializer_list<int32_t> args) {
    Expr::Item item;
    item.code = code;
    item.args.assign(args.begin(), args.end());
    return Add(std::move(item));
  }

  int32_t Ternary() {
    if (++depth_ > kMaxDepth) Fail("nested too deeply");
    const int32_t condition = Or();
    int32_t result = condition;
    Space();
    if (at_ < text_.size() && text_[at_] == '?' && !text_.substr(at_).starts_with("??")) {
      ++at_;
      const int32_t a = Ternary();
      if (!Take(":")) Fail("':' expected");
      const int32_t b = Ternary();
      result = Make(Code::kTernary, {condition, a, b});
    }
    --depth_;
    return result;
  }
  int32_t Or() {
    int32_t left = And();
    while (Take("or")) {
      const int32_t right = And();
      left = Make(Code::kOr, {left, right});
    }
    return left;
  }
  int32_t And() {
    int32_t left = Not();
    while (Take("and")) {
      const int32_t right = Not();
      left = Make(Code::kAnd, {left, right});
    }
    return left;
  }
  int32_t Not() {
    if (++depth_ > kMaxDepth) Fail("nested too deeply");
    const int32_t result = Take("not") ? Make(Code::kNot, {Not()}) : Compare();
    --depth_;
    return result;
  }
  int32_t Compare() {
    static constexpr std::pair<std::string_view, Code> kOps[] = {
        {"==", Code::kEq}, {"!=", Code::kNe}, {"<=", Code::kLe},
        {">=", Code::kGe}, {"<", Code::kLt},  {">", Code::kGt}};
    const int32_t left = Coalesce();
    for (const auto& [token, code] : kOps) {
      if (Take(token)) {
        const int32_t right = Coalesce();
        return Make(code, {left, right});
      }
    }
    return left;
  }
  int32_t Coalesce() {
    int32_t left = Sum();
    while (Take("??")) {
      const int32_t right = Sum();
      left = Make(Code::kCoalesce, {left, right});
    }
    return left;
  }
  int32_t Sum() {
    int32_t left = Term();
    for (;;) {
      const Code code = Take("+") ? Code::kAdd : Take("-") ? Code::kSub : Code::kConst;
      if (code == Code::kConst) return left;
      const int32_t right = Term();
      left = Make(code, {left, right});
    }
  }
  int32_t Term() {
    int32_t left = Unary();
    for (;;) {
      const Code code = Take("*")   ? Code::kMul
                        : Take("/") ? Code::kDiv
                        : Take("%") ? Code::kMod
                                    : Code::kConst;
      if (code == Code::kConst) return left;
      const int32_t right = Unary();
      left = Make(code, {left, right});
    }
  }
  int32_t Unary() {
    if (++depth_ > kMaxDepth) Fail("nested too deeply");
    int32_t result;
    if (Take("-")) {
      result = Make(Code::kNegate, {Unary()});
    } else {
      result = Primary();
      while (Peek('[')) {
        ++at_;
        const int32_t index = Ternary();
        if (!Take("]")) Fail("']' expected");
        result = Make(Code::kIndex, {result, index});
      }
    }
    --depth_;
    return result;
  }
  int32_t Primary() {
    Space();
    Expr::Item item;
    if (at_ >= text_.size()) {
      Fail("a value is missing");
      return Add(std::move(item));
    }
    const char c = text_[at_];
    if (c == '(') {
      ++at_;
      const int32_t inner = Ternary();
      if (!Take(")")) Fail("')' expected");
      return inner;
    }
    if (c == '[') return List(']', Code::kList, nullptr);
    if (c == '\'') {
      const size_t end = text_.find('\'', at_ + 1);
      if (end == std::string_view::npos) {
        Fail("the text has no end");
        return Add(std::move(item));
      }
      item.code = Code::kText;
      item.name = std::string(text_.substr(at_ + 1, end - at_ - 1));
      at_ = end + 1;
      return Add(std::move(item));
    }
    if (c >= '0' && c <= '9') return Number();
    if (!IsName(c)) {
      Fail("a value is missing");
      return Add(std::move(item));
    }
    const size_t begin = at_;
    while (at_ < text_.size() && IsName(text_[at_])) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if ((name == "in" || name == "out") && Peek('[')) return Port(name == "in");
    if (Peek('(')) {
      const FunctionRow* function = FindFunction(name);
      if (function == nullptr) {
        std::vector<std::string_view> known;
        for (const FunctionRow& row : Functions()) known.push_back(row.name);
        Fail(absl::StrCat("unknown function ", std::string(name), DidYouMeanOf(name, known)));
        return Add(std::move(item));
      }
      return List(')', Code::kCall, function);
    }
    item.code = Code::kAttribute;
    item.name = std::string(name);
    return Add(std::move(item));
  }
  int32_t Number() {
    Expr::Item item;
    size_t end = at_;
    bool real = false;
    while (end < text_.size() &&
           ((text_[end] >= '0' && text_[end] <= '9') || text_[end] == '.' || text_[end] == 'e' ||
            (text_[end] == '-' && text_[end - 1] == 'e'))) {
      real |= text_[end] == '.' || text_[end] == 'e';
      ++end;
    }
    const char* first = text_.data() + at_;
    const char* last = text_.data() + end;
    int64_t i = 0;
    double d = 0;
    const auto parsed = real ? std::from_chars(first, last, d) : std::from_chars(first, last, i);
    if (parsed.ec != std::errc() || parsed.ptr != last) Fail("not a number");
    item.value = real ? Value::Real(d) : Value::Int(i);
    at_ = end;
    return Add(std::move(item));
  }
  int32_t Port(bool input) {
    Expr::Item item;
    ++at_;  // '['
    int64_t number = 0;
    const auto parsed = std::from_chars(text_.data() + at_, text_.data() + text_.size(), number);
    if (parsed.ec != std::errc() || number < 0 || number > 255) {
      Fail("a port number is missing");
      return Add(std::move(item));
    }
    at_ = static_cast<size_t>(parsed.ptr - text_.data());
    if (!Take("]")) Fail("']' expected");
    item.code = Code::kPort;
    item.value.type = Value::Type::kPort;
    item.value.integer = input ? number : -1 - number;
    return Add(std::move(item));
  }
  int32_t List(char close, Code code, const FunctionRow* function) {
    Expr::Item item;
    item.code = code;
    item.function = function;
    ++at_;
    if (!Peek(close)) {
      do {
        item.args.push_back(Ternary());
      } while (Take(","));
    }
    if (!Peek(close)) {
      Fail(absl::StrCat("'", std::string(1, close), "' expected"));
    } else {
      ++at_;
    }
    const int count = static_cast<int>(item.args.size());
    if (function != nullptr && (count < function->min_args || count > function->max_args)) {
      Fail(absl::StrCat("wrong number of arguments for ", std::string(function->name)));
    }
    return Add(std::move(item));
  }

  std::string_view text_;
  size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
  size_t error_at_ = 0;
  Expr expr_;
};

absl::StatusOr<Expr> Expr::Parse(std::string_view text) { return Parser(text).Run(); }

absl::StatusOr<Expr> Expr::Compile(opdb::Tree tree) {
  Expr result;
  switch (tree.type()) {
    case opdb::TreeType::kString: {
      absl::StatusOr<Expr> parsed = Parse(tree.str());
      if (!parsed.ok()) {
        return absl::InvalidArgumentError(absl::StrCat(tree.line(), ":", tree.column(), ": ",
                                                       std::string(parsed.status().message())));
      }
      return parsed;
    }
    case opdb::TreeType::kBool:
    case opdb::TreeType::kInt:
      result.nodes_.emplace_back().value = Value::Int(tree.integer().value_or(0));
      return result;
    case opdb::TreeType::kReal:
      result.nodes_.emplace_back().value = Value::Real(tree.real().value_or(0));
      return result;
    case opdb::TreeType::kList: {
      Item list;
      list.code = Code::kList;
      for (size_t i = 0; i < tree.size(); ++i) {
        absl::StatusOr<Expr> element = Compile(tree.at(i));
        if (!element.ok()) return element.status();
        const auto base = static_cast<int32_t>(result.nodes_.size());
        for (Item& item : element->nodes_) {
          for (int32_t& arg : item.args) arg += base;
          result.nodes_.push_back(std::move(item));
        }
        list.args.push_back(static_cast<int32_t>(result.nodes_.size()) - 1);
      }
      result.nodes_.push_back(std::move(list));
      return result;
    }
    case opdb::TreeType::kNull:
    case opdb::TreeType::kMap:
      break;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(tree.line(), ":", tree.column(), ": an expression is missing"));
}

namespace {

std::optional<int64_t> Integer(int64_t a, int64_t b, char op) {
  int64_t r = 0;
  switch (op) {
    case '+':
      if (__builtin_add_overflow(a, b, &r)) return std::nullopt;
      return r;
    case '-':
      if (__builtin_sub_overflow(a, b, &r)) return std::nullopt;
      return r;
    case '*':
      if (__builtin_mul_overflow(a, b, &r)) return std::nullopt;
      return r;
    default:
      if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1)) return std::nullopt;
      return op == '/' ? a / b : a % b;
  }
}

// Lists work element by element, a number against a list repeats.
Value Arithmetic(const Value& a, const Value& b, char op) {
  if (a.null()) return a;
  if (b.null()) return b;
  if (a.type == Value::Type::kReal || b.type == Value::Type::kReal) {
    const std::optional<double> x = a.AsReal(), y = b.AsReal();
    if (!x || !y) return Value::Null();
    switch (op) {
      case '+':
        return Value::Real(*x + *y);
      case '-':
        return Value::Real(*x - *y);
      case '*':
        return Value::Real(*x * *y);
      case '/':
        return Value::Real(*x / *y);
      default:
        return Value::Null();
    }
  }
  const std::optional<Ints> x = a.AsInts(), y = b.AsInts();
  if (!x || !y) return Value::Null();
  const bool list = a.type == Value::Type::kInts || b.type == Value::Type::kInts;
  const bool x_repeats = a.type == Value::Type::kInt;
  const bool y_repeats = b.type == Value::Type::kInt;
  if (!x_repeats && !y_repeats && x->size() != y->size()) return Value::Null();
  Ints result;
  const size_t count = x_repeats ? y->size() : x->size();
  for (size_t i = 0; i < count; ++i) {
    const std::optional<int64_t> r = Integer((*x)[x_repeats ? 0 : i], (*y)[y_repeats ? 0 : i], op);
    if (!r) return Value::Null();
    result.push_back(*r);
  }
  return list ? Value::List(std::move(result)) : Value::Int(result[0]);
}

}  // namespace

Value Expr::Eval(const Scope& scope) const {
  if (nodes_.empty()) return Value::Null();
  return Eval(static_cast<int32_t>(nodes_.size()) - 1, scope);
}

Value Expr::Eval(int32_t index, const Scope& scope) const {
  const Item& item = nodes_[static_cast<size_t>(index)];
  const auto arg = [&](size_t i) { return Eval(item.args[i], scope); };
  switch (item.code) {
    case Code::kConst:
    case Code::kPort:
      return item.value;
    case Code::kText:
      return Value::Text(item.name);
    case Code::kAttribute:
      return scope.Attribute(item.name);
    case Code::kList: {
      Ints ints;
      std::vector<double> reals;
      for (size_t i = 0; i < item.args.size(); ++i) {
        const Value v = arg(i);
        if (v.null()) return v;
        const std::optional<double> real = v.AsReal();
        if (!real) return Value::Null();
        if (v.type == Value::Type::kReal || !reals.empty()) {
          if (reals.empty()) reals.assign(ints.begin(), ints.end());
          reals.push_back(*real);
        } else {
          ints.push_back(*v.AsInt());
        }
      }
      if (reals.empty()) return Value::List(std::move(ints));
      Value v;
      v.type = Value::Type::kReals;
      v.reals = std::move(reals);
      return v;
    }
    case Code::kCall: {
      absl::InlinedVector<Value, 4> args;
      for (size_t i = 0; i < item.args.size(); ++i) args.push_back(arg(i));
      return item.function->call(scope, args);
    }
    case Code::kTernary:
      return arg(0).True() ? arg(1) : arg(2);
    case Code::kCoalesce: {
      Value a = arg(0);
      return a.null() ? arg(1) : a;
    }
    case Code::kAnd:
      return Value::Int(arg(0).True() && arg(1).True());
    case Code::kOr:
      return Value::Int(arg(0).True() || arg(1).True());
    case Code::kNot:
      return Value::Int(!arg(0).True());
    case Code::kNegate:
      return Arithmetic(Value::Int(0), arg(0), '-');
    case Code::kAdd:
      return Arithmetic(arg(0), arg(1), '+');
    case Code::kSub:
      return Arithmetic(arg(0), arg(1), '-');
    case Code::kMul:
      return Arithmetic(arg(0), arg(1), '*');
    case Code::kDiv:
      return Arithmetic(arg(0), arg(1), '/');
    case Code::kMod:
      return Arithmetic(arg(0), arg(1), '%');
    case Code::kEq:
      return Value::Int(arg(0).Equals(arg(1)));
    case Code::kNe:
      return Value::Int(!arg(0).Equals(arg(1)));
    case Code::kLt:
    case Code::kLe:
    case Code::kGt:
    case Code::kGe: {
      const std::optional<double> a = arg(0).AsReal(), b = arg(1).AsReal();
      if (!a || !b) return Value::Int(0);
      const bool holds = item.code == Code::kLt   ? *a < *b
                         : item.code == Code::kLe ? *a <= *b
                         : item.code == Code::kGt ? *a > *b
                                                  : *a >= *b;
      return Value::Int(holds);
    }
    case Code::kIndex: {
      const Value list = arg(0);
      if (list.null()) return list;
      std::optional<int64_t> i = arg(1).AsInt();
      const bool reals = list.type == Value::Type::kReals;
      if (!i || (!reals && list.type != Value::Type::kInts)) return Value::Null();
      const auto size = static_cast<int64_t>(reals ? list.reals.size() : list.ints.size());
      if (*i < 0) *i += size;
      if (*i < 0 || *i >= size) return Value::Null();
      const auto at = static_cast<size_t>(*i);
      return reals ? Value::Real(list.reals[at]) : Value::Int(list.ints[at]);
    }
  }
  return Value::Null();
}

}  // namespace quantgate::mapping
