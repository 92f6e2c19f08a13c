#include "core/database/compile/expr.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/checked_math.h"
#include "core/base/expression.h"
#include "core/base/nearest.h"
#include "core/database/expr_math.h"
#include "core/database/image.h"

namespace quantgate::opdefs {
namespace {

using expression::Code;
using expression::Syntax;
using SyntaxNode = expression::Node;
using opdb::ExprCode;
using opdb::ExprOp;

enum class Takes : uint8_t { kPort, kParam, kPortAndParam, kPortAndIndex, kValues };
struct Function {
  std::string_view name;
  ExprCode code;
  Takes takes;
};
constexpr Function kFunctions[] = {
    {"rank", ExprCode::kRank, Takes::kPort},
    {"elements", ExprCode::kElements, Takes::kPort},
    {"count", ExprCode::kCount, Takes::kParam},
    {"total", ExprCode::kTotal, Takes::kPortAndParam},
    {"dim", ExprCode::kDimConst, Takes::kPortAndIndex},
    {"max", ExprCode::kMax, Takes::kValues},
    {"min", ExprCode::kMin, Takes::kValues},
};
// Highest index of a dimension and of an element of a param.
constexpr int64_t kHighestIndex = 64;

std::optional<ExprCode> Arithmetic(Code code) {
  switch (code) {
    case Code::kAdd:
      return ExprCode::kAdd;
    case Code::kSub:
      return ExprCode::kSub;
    case Code::kMul:
      return ExprCode::kMul;
    case Code::kDiv:
      return ExprCode::kDiv;
    default:
      return std::nullopt;
  }
}

// From the syntax to postfix steps. A function returns whether what it was given has a meaning.
class Compiler {
 public:
  Compiler(const Syntax& syntax, const Symbols& symbols) : syntax_(syntax), symbols_(symbols) {}

  absl::StatusOr<Expr> Run() {
    if (!Value(syntax_.root())) return error_;
    if (Depth() > opdb::kMaxExprDepth) {
      return expression::Mistake(syntax_.text, syntax_.root().at, "it is too deep");
    }
    return std::move(out_);
  }

 private:
  bool Fail(const SyntaxNode& node, std::string_view reason) {
    error_ = expression::Mistake(syntax_.text, node.at, reason);
    return false;
  }

  size_t Depth() const {
    size_t depth = 0, deepest = 0;
    for (const ExprOp& op : out_) {
      if (opdb::TakesTwo(op.code)) {
        --depth;
      } else if (op.code != ExprCode::kNeg) {
        deepest = std::max(deepest, ++depth);
      }
    }
    return deepest;
  }

  bool Push(ExprOp op) {
    out_.push_back(op);
    return true;
  }
  bool PushConst(int64_t value) { return Push({ExprCode::kConst, -1, -1, value}); }

  bool Value(const SyntaxNode& node) {
    if (const std::optional<ExprCode> code = Arithmetic(node.code)) {
      return Value(syntax_.arg(node, 0)) && Value(syntax_.arg(node, 1)) && Apply(*code, node);
    }
    switch (node.code) {
      case Code::kInteger:
        return PushConst(node.integer);
      case Code::kReal:
        return Fail(node, "expected a whole number");
      case Code::kNegate:
        return Value(syntax_.arg(node, 0)) && Negate(node);
      case Code::kParam:
      case Code::kIndex: {
        ExprOp op{ExprCode::kParam, -1, -1, 0};
        if (node.code == Code::kIndex && syntax_.arg(node, 0).code != Code::kParam) break;
        return Param(node, op) && Push(op);
      }
      case Code::kName:
        if (node.text == "INT32_MAX") return PushConst(std::numeric_limits<int32_t>::max());
        if (node.text == "INT32_MIN") return PushConst(std::numeric_limits<int32_t>::min());
        break;
      case Code::kCall:
        return Call(node);
      default:
        break;
    }
    return Fail(node,
                "expected a number, rank(), dim(), elements(), count(), total(), max(), min(), "
                "param: or INT32_MAX");
  }

  bool Call(const SyntaxNode& node) {
    const auto* function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                        [&](const Function& row) { return row.name == node.text; });
    if (function == std::end(kFunctions)) {
      std::vector<std::string_view> names;
      for (const Function& row : kFunctions) names.push_back(row.name);
      return Fail(node, absl::StrCat("unknown function ", Absl(node.text),
                                     DidYouMeanOf(node.text, names)));
    }
    const bool one = function->takes == Takes::kPort || function->takes == Takes::kParam;
    const size_t given = node.args.size();
    if (function->takes == Takes::kValues ? given < 2 : given != (one ? 1 : 2)) {
      return Fail(node, absl::StrCat("wrong number of arguments for ", Absl(function->name)));
    }
    if (function->takes == Takes::kValues) {
      for (size_t i = 0; i < given; ++i) {
        if (!Value(syntax_.arg(node, i)) || (i > 0 && !Apply(function->code, node))) return false;
      }
      return true;
    }
    ExprOp op{function->code, -1, -1, 0};
    const SyntaxNode& first = syntax_.arg(node, 0);
    const SyntaxNode& last = syntax_.arg(node, given - 1);
    if (function->takes != Takes::kParam && !Port(first, op.port)) return false;
    if (function->takes == Takes::kPortAndIndex) return Index(last, op) && Push(op);
    return (function->takes == Takes::kPort || ParamName(last, op.param)) && Push(op);
  }
  bool Port(const SyntaxNode& node, int16_t& port) {
    if (node.code != Code::kName) return Fail(node, "expected a port, such as in0");
    const auto found = symbols_.FindPort(node.text);
    if (!found) return Fail(node, symbols_.UnknownPort(node.text));
    if (found->element > 0) {
      return Fail(node, "only the first tensor of a variadic port can be meant");
    }
    port = found->port;
    return true;
  }
  // Of dim(): a number, negative counts from the end, or the value of a param.
  bool Index(const SyntaxNode& node, ExprOp& op) {
    const bool negative = node.code == Code::kNegate;
    const SyntaxNode& number = negative ? syntax_.arg(node, 0) : node;
    if (number.code == Code::kInteger) {
      if (number.integer > kHighestIndex) return Fail(number, "dimension is out of range");
      op.value = negative ? -number.integer : number.integer;
      return true;
    }
    op.code = ExprCode::kDimParam;
    return Param(node, op);
  }
  // `axis`, `param:axis`, and one with the number of an element behind it, which is stored counted
  // from 1; 0 = the single value.
  bool Param(const SyntaxNode& node, ExprOp& op) {
    const bool element = node.code == Code::kIndex;
    if (!ParamName(element ? syntax_.arg(node, 0) : node, op.param)) return false;
    if (!element) return true;
    const SyntaxNode& number = syntax_.arg(node, 1);
    if (number.code != Code::kInteger) return Fail(number, "expected the number of an element");
    if (number.integer >= kHighestIndex) return Fail(number, "element is out of range");
    op.value = number.integer + 1;
    return true;
  }
  bool ParamName(const SyntaxNode& node, int16_t& param) {
    if (node.code != Code::kName && node.code != Code::kParam) {
      return Fail(node, "expected the name of a param");
    }
    const auto found = symbols_.FindParam(node.text);
    if (!found) return Fail(node, symbols_.UnknownParam(node.text));
    param = *found;
    return true;
  }

  // Operands that are constants are computed here.
  bool Negate(const SyntaxNode& node) {
    ExprOp& last = out_.back();
    if (last.code != ExprCode::kConst) return Push({ExprCode::kNeg, -1, -1, 0});
    const std::optional<int64_t> negated = Checked(0, '-', last.value);
    if (!negated) return Fail(node, "overflow");
    last.value = *negated;
    return true;
  }
  bool Apply(ExprCode code, const SyntaxNode& node) {
    const size_t n = out_.size();
    if (out_[n - 1].code != ExprCode::kConst || out_[n - 2].code != ExprCode::kConst) {
      return Push({code, -1, -1, 0});
    }
    const std::optional<int64_t> combined = opdb::Combined(code, out_[n - 2].value, out_[n - 1].value);
    if (!combined) {
      return Fail(node, code == ExprCode::kDiv && out_[n - 1].value == 0 ? "division by zero" : "overflow");
    }
    out_.pop_back();
    out_.back().value = *combined;
    return true;
  }

  const Syntax& syntax_;
  const Symbols& symbols_;
  absl::Status error_;
  Expr out_;
};

bool Real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

absl::StatusOr<Expr> ParseExpr(std::string_view text, const Symbols& symbols) {
  absl::StatusOr<Syntax> syntax = expression::Parse(text);
  if (!syntax.ok()) return syntax.status();
  return Compiler(*syntax, symbols).Run();
}

std::optional<int64_t> ConstantOf(const Expr& expr) {
  if (expr.size() != 1 || expr[0].code != ExprCode::kConst) return std::nullopt;
  return expr[0].value;
}

std::optional<double> ParseFraction(std::string_view text) {
  const size_t slash = text.find('/');
  double value = 0;
  if (!Real(text.substr(0, slash), value)) return std::nullopt;
  if (slash == text.npos) return value;
  double divisor = 0;
  if (!Real(text.substr(slash + 1), divisor) || divisor == 0) return std::nullopt;
  value /= divisor;
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace quantgate::opdefs
