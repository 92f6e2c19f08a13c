#include "core/lower/expression/expr.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/checked_math.h"
#include "core/base/nearest.h"

namespace quantgate::mapping {

using expression::Code;

namespace {

// What is wrong with a node that the grammar allows; "" = nothing. `function`: that of a call.
std::string Mistake(const expression::Node& node, const FunctionRow* function) {
  if (node.code == Code::kParam) return "an attribute is written without param:";
  if (node.code == Code::kName && node.text.find('.') != node.text.npos) return "unexpected text";
  if (node.code != Code::kCall) return {};
  if (function == nullptr) {
    std::vector<std::string_view> known;
    for (const FunctionRow& row : Functions()) known.push_back(row.name);
    return absl::StrCat("unknown function ", Absl(node.text), DidYouMeanOf(node.text, known));
  }
  const auto count = static_cast<int>(node.args.size());
  if (count < function->min_args || count > function->max_args) {
    return absl::StrCat("wrong number of arguments for ", Absl(function->name));
  }
  return {};
}

}  // namespace

absl::StatusOr<Expr> Expr::Parse(std::string_view text) {
  absl::StatusOr<expression::Syntax> syntax = expression::Parse(text);
  if (!syntax.ok()) return syntax.status();
  Expr result;
  result.nodes_.reserve(syntax->nodes.size());
  for (expression::Node& node : syntax->nodes) {
    const FunctionRow* function = node.code == Code::kCall ? FindFunction(node.text) : nullptr;
    const std::string mistake = Mistake(node, function);
    if (!mistake.empty()) return expression::Mistake(text, node.at, mistake);
    Item& item = result.nodes_.emplace_back();
    item.code = node.code;
    if (node.code == Code::kReal) item.value = Value::Real(node.real);
    if (node.code == Code::kInteger) item.value = Value::Int(node.integer);
    if (node.code == Code::kPort) item.value = Value::Port(node.integer);
    item.function = function;
    if (node.code == Code::kText || node.code == Code::kName) item.name = std::string(node.text);
    item.args = std::move(node.args);
  }
  return result;
}

bool Condition::Holds(const Scope& scope) {
  if (!text_) return true;
  if (compiled_.empty()) compiled_ = Expr::Compile(text_).value();
  return compiled_.Holds(scope);
}

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

bool IsLiteral(Code code) {
  return code == Code::kInteger || code == Code::kReal || code == Code::kPort;
}

char SignOf(Code code) {
  return code == Code::kAdd   ? '+'
         : code == Code::kSub ? '-'
         : code == Code::kMul ? '*'
         : code == Code::kDiv ? '/'
                              : '%';
}

// Lists work element by element, a number against a list repeats.
Value Arithmetic(Code code, const Value& a, const Value& b) {
  if (a.null()) return a;
  if (b.null()) return b;
  if (a.type == Value::Type::kInt && b.type == Value::Type::kInt) {
    const std::optional<int64_t> result = Checked(a.integer, SignOf(code), b.integer);
    return result ? Value::Int(*result) : Value::Null();
  }
  if (a.type == Value::Type::kReal || b.type == Value::Type::kReal) {
    const std::optional<double> x = a.AsReal(), y = b.AsReal();
    if (!x || !y) return Value::Null();
    switch (code) {
      case Code::kAdd:
        return Value::Real(*x + *y);
      case Code::kSub:
        return Value::Real(*x - *y);
      case Code::kMul:
        return Value::Real(*x * *y);
      case Code::kDiv:
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
    const std::optional<int64_t> r =
        Checked((*x)[x_repeats ? 0 : i], SignOf(code), (*y)[y_repeats ? 0 : i]);
    if (!r) return Value::Null();
    result.push_back(*r);
  }
  return list ? Value::List(std::move(result)) : Value::Int(result[0]);
}

// Numbers only; one that is none makes the list none.
Value List(const std::vector<Value>& values) {
  Ints ints;
  std::vector<double> reals;
  for (const Value& v : values) {
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

// False where one of both is no number.
bool Compare(Code code, const Value& left, const Value& right) {
  const std::optional<double> a = left.AsReal(), b = right.AsReal();
  if (!a || !b) return false;
  return code == Code::kLt   ? *a < *b
         : code == Code::kLe ? *a <= *b
         : code == Code::kGt ? *a > *b
                             : *a >= *b;
}

// Negative indexes count from the end.
Value Element(const Value& list, const Value& index) {
  if (list.null()) return list;
  std::optional<int64_t> i = index.AsInt();
  const bool reals = list.type == Value::Type::kReals;
  if (!i || (!reals && list.type != Value::Type::kInts)) return Value::Null();
  const auto size = static_cast<int64_t>(reals ? list.reals.size() : list.ints.size());
  if (*i < 0) *i += size;
  if (*i < 0 || *i >= size) return Value::Null();
  const auto at = static_cast<size_t>(*i);
  return reals ? Value::Real(list.reals[at]) : Value::Int(list.ints[at]);
}

}  // namespace

Value Expr::Eval(const Scope& scope) const {
  return nodes_.empty() ? Value::Null() : Eval(nodes_.back(), scope);
}

bool Expr::Holds(const Scope& scope) const {
  return !nodes_.empty() && Holds(nodes_.back(), scope);
}

Value Expr::Call(const Item& item, const Scope& scope) const {
  // Most functions are asked about one port.
  if (item.args.size() == 1) {
    const Item& only = At(item.args[0]);
    if (IsLiteral(only.code)) return item.function->call(scope, {&only.value, 1});
    const Value value = Eval(only, scope);
    return item.function->call(scope, {&value, 1});
  }
  absl::InlinedVector<Value, 4> args;
  for (const int32_t arg : item.args) args.push_back(Eval(At(arg), scope));
  return item.function->call(scope, args);
}

template <typename Compute>
auto Expr::OfBoth(const Item& item, const Scope& scope, Compute&& compute) const {
  const Item& second = At(item.args[1]);
  const Value first = Eval(At(item.args[0]), scope);
  return IsLiteral(second.code) ? compute(first, second.value) : compute(first, Eval(second, scope));
}

bool Expr::AreEqual(const Item& item, const Scope& scope) const {
  return OfBoth(item, scope, [](const Value& a, const Value& b) { return a.Equals(b); });
}

bool Expr::Holds(const Item& item, const Scope& scope) const {
  const auto arg = [&](size_t i) { return Holds(At(item.args[i]), scope); };
  switch (item.code) {
    case Code::kAnd:
      return arg(0) && arg(1);
    case Code::kOr:
      return arg(0) || arg(1);
    case Code::kNot:
      return !arg(0);
    case Code::kEq:
      return AreEqual(item, scope);
    case Code::kNe:
      return !AreEqual(item, scope);
    case Code::kLt:
    case Code::kLe:
    case Code::kGt:
    case Code::kGe:
      return OfBoth(item, scope, [&](const Value& a, const Value& b) { return Compare(item.code, a, b); });
    default:
      return Eval(item, scope).True();
  }
}

Value Expr::Eval(const Item& item, const Scope& scope) const {
  const auto arg = [&](size_t i) { return Eval(At(item.args[i]), scope); };
  switch (item.code) {
    case Code::kInteger:
    case Code::kReal:
    case Code::kPort:
      return item.value;
    case Code::kParam:  // Parse() refuses it
      return Value::Null();
    case Code::kText:
      return Value::Text(item.name);
    case Code::kName:
      return scope.Attribute(item.name);
    case Code::kList: {
      std::vector<Value> values;
      for (size_t i = 0; i < item.args.size(); ++i) values.push_back(arg(i));
      return List(values);
    }
    case Code::kCall:
      return Call(item, scope);
    case Code::kTernary:
      return Holds(At(item.args[0]), scope) ? arg(1) : arg(2);
    case Code::kCoalesce: {
      Value first = arg(0);
      if (first.null()) return arg(1);
      return first;
    }
    case Code::kNegate:
      return Arithmetic(Code::kSub, Value::Int(0), arg(0));
    case Code::kAdd:
    case Code::kSub:
    case Code::kMul:
    case Code::kDiv:
    case Code::kMod:
      return OfBoth(item, scope, [&](const Value& a, const Value& b) { return Arithmetic(item.code, a, b); });
    case Code::kIndex:
      return Element(arg(0), arg(1));
    case Code::kAnd:
    case Code::kOr:
    case Code::kNot:
    case Code::kEq:
    case Code::kNe:
    case Code::kLt:
    case Code::kLe:
    case Code::kGt:
    case Code::kGe:
      return Value::Int(Holds(item, scope));
  }
  return Value::Null();
}

}  // namespace quantgate::mapping
