#include "core/database/compile/expr.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/database/image.h"

namespace quantgate::opdefs {
namespace {

using opdb::ExprCode;
using opdb::ExprOp;

constexpr size_t kMaxText = 256;
constexpr int kMaxNesting = 32;

class ExprParser {
 public:
  ExprParser(std::string_view text, const Symbols& symbols) : text_(text), symbols_(symbols) {}

  absl::StatusOr<Expr> Run() {
    if (text_.size() > kMaxText) return absl::InvalidArgumentError("expression is too long");
    if (Sum(0)) {
      Skip();
      if (at_ < text_.size()) Fail("unexpected text");
    }
    if (!error_.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("expression ", Quoted(text_), ": ", error_,
                                                     " at character ", error_at_ + 1));
    }
    if (Depth() > opdb::kMaxExprDepth) {
      return absl::InvalidArgumentError(absl::StrCat("expression ", Quoted(text_), " is too deep"));
    }
    return std::move(out_);
  }

 private:
  bool Fail(std::string reason) {
    if (error_.empty()) {
      error_ = std::move(reason);
      error_at_ = at_;
    }
    return false;
  }
  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool Accept(char c) {
    Skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool Expect(char c) {
    return Accept(c) || Fail(absl::StrCat("expected '", absl::string_view(&c, 1), "'"));
  }

  size_t Depth() const {
    size_t depth = 0, deepest = 0;
    for (const ExprOp& op : out_) {
      if (op.code >= ExprCode::kAdd && op.code <= ExprCode::kMin) {
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

  // Operands that are constants are computed here.
  bool Apply(ExprCode code) {
    const size_t n = out_.size();
    if (code == ExprCode::kNeg) {
      if (out_[n - 1].code != ExprCode::kConst) return Push({code, -1, -1, 0});
      if (__builtin_sub_overflow(int64_t{0}, out_[n - 1].value, &out_[n - 1].value)) {
        return Fail("overflow");
      }
      return true;
    }
    if (out_[n - 1].code != ExprCode::kConst || out_[n - 2].code != ExprCode::kConst) {
      return Push({code, -1, -1, 0});
    }
    const int64_t b = out_[n - 1].value;
    int64_t& a = out_[n - 2].value;
    bool overflow = false;
    switch (code) {
      case ExprCode::kAdd:
        overflow = __builtin_add_overflow(a, b, &a);
        break;
      case ExprCode::kSub:
        overflow = __builtin_sub_overflow(a, b, &a);
        break;
      case ExprCode::kMul:
        overflow = __builtin_mul_overflow(a, b, &a);
        break;
      case ExprCode::kDiv:
        if (b == 0) return Fail("division by zero");
        if (a == std::numeric_limits<int64_t>::min() && b == -1) return Fail("overflow");
        a /= b;
        break;
      case ExprCode::kMax:
        a = std::max(a, b);
        break;
      default:
        a = std::min(a, b);
        break;
    }
    out_.pop_back();
    return !overflow || Fail("overflow");
  }

  bool Sum(int nesting) {
    if (!Product(nesting)) return false;
    while (true) {
      const bool add = Accept('+');
      if (!add && !Accept('-')) return true;
      if (!Product(nesting) || !Apply(add ? ExprCode::kAdd : ExprCode::kSub)) return false;
    }
  }
  bool Product(int nesting) {
    if (!Factor(nesting)) return false;
    while (true) {
      const bool times = Accept('*');
      if (!times && !Accept('/')) return true;
      if (!Factor(nesting) || !Apply(times ? ExprCode::kMul : ExprCode::kDiv)) return false;
    }
  }
  bool Factor(int nesting) {
    if (nesting >= kMaxNesting) return Fail("nested too deep");
    if (Accept('-')) return Factor(nesting + 1) && Apply(ExprCode::kNeg);
    if (Accept('(')) return Sum(nesting + 1) && Expect(')');
    Skip();
    if (at_ < text_.size() && absl::ascii_isdigit(text_[at_])) return Number();
    return Named(nesting);
  }
  bool Number() {
    int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc()) return Fail("number is out of range");
    at_ = static_cast<size_t>(end - text_.data());
    return PushConst(value);
  }
  std::string_view Word() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() && (absl::ascii_isalnum(text_[at_]) || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  bool Named(int nesting) {
    const size_t begin = at_;
    const std::string_view word = Word();
    if (word == "INT32_MAX") return PushConst(std::numeric_limits<int32_t>::max());
    if (word == "INT32_MIN") return PushConst(std::numeric_limits<int32_t>::min());
    if (word == "param") {
      int16_t param = -1;
      int64_t element = 0;
      return Expect(':') && ParamName(param) && Element(element) &&
             Push({ExprCode::kParam, -1, param, element});
    }
    if (word == "elements") {
      int16_t port = -1;
      return Expect('(') && PortName(port) && Expect(')') &&
             Push({ExprCode::kElements, port, -1, 0});
    }
    if (word == "count") {
      int16_t param = -1;
      return Expect('(') && ParamName(param) && Expect(')') &&
             Push({ExprCode::kCount, -1, param, 0});
    }
    if (word == "total") {
      int16_t port = -1, param = -1;
      return Expect('(') && PortName(port) && Expect(',') && ParamName(param) && Expect(')') &&
             Push({ExprCode::kTotal, port, param, 0});
    }
    if (word == "rank") {
      int16_t port = -1;
      return Expect('(') && PortName(port) && Expect(')') && Push({ExprCode::kRank, port, -1, 0});
    }
    if (word == "dim") return Dim();
    if (word == "max" || word == "min") {
      const ExprCode code = word == "max" ? ExprCode::kMax : ExprCode::kMin;
      if (!Expect('(') || !Sum(nesting + 1) || !Expect(',')) return false;
      do {
        if (!Sum(nesting + 1) || !Apply(code)) return false;
      } while (Accept(','));
      return Expect(')');
    }
    at_ = begin;
    return Fail(word.empty()
                    ? "expected a number"
                    : "expected a number, rank(), dim(), elements(), count(), total(), max(), "
                      "min(), param: or INT32_MAX");
  }
  bool Dim() {
    int16_t port = -1;
    if (!Expect('(') || !PortName(port) || !Expect(',')) return false;
    Skip();
    const bool negative = Accept('-');
    Skip();
    if (negative || (at_ < text_.size() && absl::ascii_isdigit(text_[at_]))) {
      if (!Number()) return false;
      const int64_t index = out_.back().value;
      out_.pop_back();
      if (index > 64) return Fail("dimension is out of range");
      return Expect(')') && Push({ExprCode::kDimConst, port, -1, negative ? -index : index});
    }
    int16_t param = -1;
    const size_t begin = at_;
    if (Word() != "param" || !Accept(':')) at_ = begin;
    int64_t element = 0;
    return ParamName(param) && Element(element) && Expect(')') &&
           Push({ExprCode::kDimParam, port, param, element});
  }
  // `[i]` behind the name of a param, counted from 1; 0 where there is none.
  bool Element(int64_t& element) {
    if (!Accept('[')) return true;
    Skip();
    if (at_ >= text_.size() || !absl::ascii_isdigit(text_[at_])) {
      return Fail("expected the number of an element");
    }
    if (!Number()) return false;
    element = out_.back().value + 1;
    out_.pop_back();
    if (element > 64) return Fail("element is out of range");
    return Expect(']');
  }
  bool ParamName(int16_t& param) {
    Skip();
    const size_t begin = at_;
    const std::string_view name = Word();
    const auto found = symbols_.FindParam(name);
    if (!found) {
      at_ = begin;
      return Fail(symbols_.UnknownParam(name));
    }
    param = *found;
    return true;
  }
  bool PortName(int16_t& port) {
    Skip();
    const size_t begin = at_;
    Word();
    if (text_.substr(at_).starts_with("..m")) at_ += 3;
    const std::string_view name = text_.substr(begin, at_ - begin);
    const auto found = symbols_.FindPort(name);
    if (!found) {
      at_ = begin;
      return Fail(name.empty() ? "expected a port" : symbols_.UnknownPort(name));
    }
    if (found->element > 0) return Fail("only the first tensor of a variadic port can be meant");
    port = found->port;
    return true;
  }

  std::string_view text_;
  const Symbols& symbols_;
  size_t at_ = 0, error_at_ = 0;
  std::string error_;
  Expr out_;
};

bool Real(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
}

}  // namespace

absl::StatusOr<Expr> ParseExpr(std::string_view text, const Symbols& symbols) {
  return ExprParser(text, symbols).Run();
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
