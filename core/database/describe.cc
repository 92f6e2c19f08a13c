#include "core/database/describe.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/database/kinds.h"

namespace quantgate::opdb {
namespace {

std::string Or(const std::vector<std::string>& names) { return absl::StrJoin(names, " or "); }

struct ExprText {
  std::string text;
  bool brackets = false;  // are needed within a product
};

ExprText Combined(ExprCode code, const ExprText& left, const ExprText& right) {
  const auto bracket = [](const ExprText& part) {
    return part.brackets ? absl::StrCat("(", part.text, ")") : part.text;
  };
  switch (code) {
    case ExprCode::kAdd:
      return {absl::StrCat(left.text, " + ", bracket(right)), true};
    case ExprCode::kSub:
      return {absl::StrCat(left.text, " - ", bracket(right)), true};
    case ExprCode::kMul:
      return {absl::StrCat(bracket(left), " * ", bracket(right)), false};
    case ExprCode::kDiv:
      return {absl::StrCat(bracket(left), " / (", right.text, ")"), false};
    case ExprCode::kMax:
      return {absl::StrCat("max(", left.text, ", ", right.text, ")"), false};
    default:
      return {absl::StrCat("min(", left.text, ", ", right.text, ")"), false};
  }
}

}  // namespace

std::vector<std::string> DtypeNames(DtypeMask mask) {
  std::vector<std::string> names;
  for (int i = 0; i < kDtypeCount; ++i) {
    if (mask >> i & 1) names.emplace_back(DtypeName(static_cast<Dtype>(i)));
  }
  return names;
}

std::vector<std::string> EncodingNames(EncodingMask mask) {
  std::vector<std::string> names;
  for (int i = 0; i < kQnnEncodingCount; ++i) {
    if (mask >> i & 1) names.emplace_back(QnnEncodingName(static_cast<QnnEncoding>(i)));
  }
  return names;
}

std::string Describer::Port(int port, int element) const {
  if (port < 0) return "all";
  const std::string name(db_.str(db_.get(op_.ports)[static_cast<size_t>(port)].name));
  const size_t bracket = name.find('[');
  if (element < 0 || name.find("..") == name.npos || bracket == name.npos) return name;
  // The declared port is in[1..m]; its element 0 is in[1].
  return absl::StrCat(name.substr(0, bracket + 1), std::atoi(name.c_str() + bracket + 1) + element,
                      "]");
}

std::string Describer::Subject(const ConstraintRow& row) const {
  if (row.port >= 0) return Port(row.port, row.element);
  if (row.param < 0) return "all";
  return std::string(db_.str(db_.get(op_.params)[static_cast<size_t>(row.param)].name));
}

std::string Describer::Archs(const Range& range) const {
  const auto archs = db_.get(backend_.archs);
  const size_t count = archs.size();
  const uint32_t all = count >= 32 ? ~0u : (1u << count) - 1;
  const uint32_t mask = range.archs & all;
  if (mask == all) return "";
  size_t first = count, last = 0, set = 0;
  for (size_t i = 0; i < count; ++i) {
    if ((mask >> i & 1) == 0) continue;
    if (first == count) first = i;
    last = i;
    ++set;
  }
  if (set == 0) return "none";
  const auto name = [&](size_t i) { return Absl(db_.str(archs[i])); };
  if (set == last - first + 1) {
    if (last + 1 == count && set > 1) return absl::StrCat(name(first), "+");
    if (set == 1) return std::string(name(first));
    return absl::StrCat(name(first), "..", name(last));
  }
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    if (mask >> i & 1) absl::StrAppend(&text, text.empty() ? "" : ", ", name(i));
  }
  return text;
}

std::string Describer::Operand(const ExprOp& step) const {
  const auto param = [&] {
    const auto name = Absl(db_.str(db_.get(op_.params)[static_cast<size_t>(step.param)].name));
    return step.value == 0 ? std::string(name) : absl::StrCat(name, "[", step.value - 1, "]");
  };
  switch (step.code) {
    case ExprCode::kRank:
      return absl::StrCat("rank(", Port(step.port), ")");
    case ExprCode::kDimConst:
      return absl::StrCat("dim(", Port(step.port), ", ", step.value, ")");
    case ExprCode::kDimParam:
      return absl::StrCat("dim(", Port(step.port), ", ", param(), ")");
    case ExprCode::kParam:
      return param();
    case ExprCode::kElements:
      return absl::StrCat("elements(", Port(step.port), ")");
    case ExprCode::kCount:
      return absl::StrCat("count(", param(), ")");
    case ExprCode::kTotal:
      return absl::StrCat("total(", Port(step.port), ", ", param(), ")");
    default:
      return absl::StrCat(step.value);
  }
}

std::string Describer::Expr(Slice<ExprOp> expr) const {
  std::vector<ExprText> stack;
  for (const ExprOp& step : db_.get(expr)) {
    if (step.code == ExprCode::kNeg) {
      if (stack.empty()) return "";
      stack.back() = {absl::StrCat("-(", stack.back().text, ")"), true};
    } else if (step.code >= ExprCode::kAdd && step.code <= ExprCode::kMin) {
      if (stack.size() < 2) return "";
      const ExprText right = std::move(stack.back());
      stack.pop_back();
      stack.back() = Combined(step.code, stack.back(), right);
    } else {
      stack.push_back({Operand(step), step.code == ExprCode::kConst && step.value < 0});
    }
  }
  return stack.size() == 1 ? stack[0].text : "";
}

std::string Describer::ParamValue(int param, int64_t value) const {
  if (param >= 0) {
    const ParamRow& row = db_.get(op_.params)[static_cast<size_t>(param)];
    for (const EnumRow& named : db_.get(row.values)) {
      if (named.value == value) return std::string(db_.str(named.name));
    }
    if (row.dtype == Dtype::kBool8) return value != 0 ? "true" : "false";
  }
  return absl::StrCat(value);
}

std::string Describer::Value(const ArgRow& arg, int param) const {
  switch (arg.type) {
    case ArgType::kFlag:
      return arg.v.i != 0 ? "true" : "false";
    case ArgType::kInt:
      if (arg.key == ArgKey::kArch) {
        return std::string(db_.str(db_.get(backend_.archs)[static_cast<size_t>(arg.v.i)]));
      }
      if (arg.key == ArgKey::kDtype) return std::string(DtypeName(static_cast<Dtype>(arg.v.i)));
      return ParamValue(param, arg.v.i);
    case ArgType::kReal:
      return absl::StrCat(arg.v.d);
    case ArgType::kString:
      return std::string(db_.str(db_.get(Slice<Str>{arg.a, 1})[0]));
    case ArgType::kPort:
      return Port(static_cast<int>(arg.v.i), 0);
    case ArgType::kDtypeMask:
      return Or(DtypeNames(static_cast<DtypeMask>(arg.v.i)));
    case ArgType::kEncMask:
      return Or(EncodingNames(static_cast<EncodingMask>(arg.v.i)));
    case ArgType::kExpr:
      return Expr({arg.a, arg.b});
    default:
      break;
  }
  std::vector<std::string> items;
  if (arg.type == ArgType::kInts) {
    for (const int64_t v : db_.get(Slice<int64_t>{arg.a, arg.b})) {
      items.push_back(ParamValue(param, v));
    }
  } else if (arg.type == ArgType::kReals) {
    for (const double v : db_.get(Slice<double>{arg.a, arg.b})) items.push_back(absl::StrCat(v));
  } else if (arg.type == ArgType::kExprs) {
    for (const auto& e : db_.get(Slice<Slice<ExprOp>>{arg.a, arg.b})) items.push_back(Expr(e));
  } else {
    for (const Str s : db_.get(Slice<Str>{arg.a, arg.b})) items.emplace_back(db_.str(s));
  }
  return absl::StrJoin(items, ", ");
}

Arguments::Arguments(const Describer& describer, const ConstraintRow& row)
    : describer_(describer), row_(row) {}

const ArgRow* Arguments::Find(ArgKey key) const {
  for (const ArgRow& arg : describer_.db_.get(row_.args)) {
    if (arg.key == key) return &arg;
  }
  return nullptr;
}

std::string Arguments::Text(ArgKey key) const {
  const ArgRow* arg = Find(key);
  return arg ? describer_.Value(*arg, -1) : "";
}

bool Arguments::Flag(ArgKey key, bool otherwise) const {
  const ArgRow* arg = Find(key);
  return arg ? arg->v.i != 0 : otherwise;
}

std::string Arguments::Bounds(std::string_view of) const {
  std::vector<std::string> parts;
  const auto add = [&](ArgKey key, absl::string_view words) {
    if (const ArgRow* arg = Find(key)) {
      parts.push_back(absl::StrCat(words, describer_.Value(*arg, row_.param)));
    }
  };
  add(ArgKey::kEq, "= ");
  add(ArgKey::kMin, ">= ");
  add(ArgKey::kMinExclusive, "> ");
  add(ArgKey::kMax, "<= ");
  add(ArgKey::kMaxExclusive, "< ");
  add(ArgKey::kMultipleOf, "a multiple of ");
  if (parts.empty()) return "";
  return absl::StrCat(Absl(of), of.empty() ? "" : " ", absl::StrJoin(parts, " and "));
}

std::string Arguments::Listed() const {
  std::string text;
  if (const ArgRow* arg = Find(ArgKey::kAllowed)) text = describer_.Value(*arg, row_.param);
  if (const ArgRow* arg = Find(ArgKey::kDenied)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", "not ",
                    describer_.Value(*arg, row_.param));
  }
  return text;
}

std::string Arguments::Product() const {
  std::vector<std::string> ports;
  const ArgRow* arg = Find(ArgKey::kAs);
  if (arg == nullptr) return "";
  for (const int64_t p : describer_.db_.get(Slice<int64_t>{arg->a, arg->b})) {
    const bool known = p >= 0 && p < static_cast<int64_t>(describer_.op_.ports.count);
    ports.push_back(known ? describer_.Port(static_cast<int>(p)) : "?");
  }
  return absl::StrJoin(ports, " * ");
}

std::string Arguments::Alternatives() const {
  std::string text;
  for (const AltRow& alt : describer_.db_.get(row_.alternatives)) {
    std::vector<std::string> all;
    for (const ConstraintRow& inner : describer_.db_.all_of(alt)) {
      all.push_back(absl::StrCat(describer_.Subject(inner), " ", describer_.Constraint(inner)));
    }
    absl::StrAppend(&text, text.empty() ? "" : "; or ", absl::StrJoin(all, " and "));
  }
  return text;
}

std::string Describer::Condition(const CondRow& row, const ConstraintRow& of) const {
  const auto ints = db_.get(row.ints);
  std::vector<std::string> values;
  for (const int64_t v : ints) values.push_back(ParamValue(row.param, v));
  const std::string port = row.port >= 0  ? Port(row.port, row.element)
                           : of.port >= 0 ? "it"
                                          : "the param";
  const std::string param =
      row.param >= 0
          ? std::string(db_.str(db_.get(op_.params)[static_cast<size_t>(row.param)].name))
          : "";
  const auto pairs = [&](absl::string_view relation) {
    std::vector<std::string> parts;
    for (size_t i = 0; i + 1 < ints.size(); i += 2) {
      parts.push_back(absl::StrCat("dimension ", ints[i], " of ", port, relation, ints[i + 1]));
    }
    return parts;
  };
  const bool yes = !ints.empty() && ints[0] != 0;
  switch (row.key) {
    case CondKey::kDtype:
      return absl::StrCat(port, " is ", Or(DtypeNames(row.mask)));
    case CondKey::kDtypeNot:
      return absl::StrCat(port, " is not ", Or(DtypeNames(row.mask)));
    case CondKey::kBits:
      return absl::StrCat(port, " has ", Or(values), " bits");
    case CondKey::kEncoding:
      return absl::StrCat(port, " is ", Or(EncodingNames(row.mask)));
    case CondKey::kParam:
      return absl::StrCat(param, " is ", Or(values));
    case CondKey::kParamNot:
      return absl::StrCat(param, " is not ", Or(values));
    case CondKey::kRank:
      return absl::StrCat(port, " has rank ", Or(values));
    case CondKey::kRankMin:
      return absl::StrCat(port, " has rank ", values[0], " or more");
    case CondKey::kAnyDimAbove:
      return absl::StrCat("a dimension of ", port, " is above ", values[0]);
    case CondKey::kAnyDimNotMultiple:
      return Or(pairs(" is no multiple of "));
    case CondKey::kM:
      return absl::StrCat("the last input is in[", Or(values), "]");
    case CondKey::kMMin:
      return absl::StrCat("there are at least ", ints[0] + 1, " inputs");
    case CondKey::kStatic:
      return absl::StrCat(port, yes ? " is constant" : " is not constant");
    case CondKey::kPresent:
      return absl::StrCat(port, yes ? " is given" : " is not given");
    case CondKey::kAxesInclude:
      return absl::StrCat(param, " includes ", Or(values));
    case CondKey::kSymmetricPeer:
      return absl::StrCat(port, yes ? " is symmetric" : " is not symmetric");
    case CondKey::kDimEq:
      return absl::StrJoin(pairs(" is "), " and ");
    case CondKey::kNoop:
      return yes ? "the shape does not change" : "the shape changes";
    case CondKey::kGraphInput:
      return absl::StrCat(port, yes ? " is an input of the graph" : " comes from an op");
  }
  return "";
}

std::string Describer::When(const ConstraintRow& row) const {
  std::vector<std::string> parts;
  for (const CondRow& cond : db_.get(row.when)) parts.push_back(Condition(cond, row));
  return absl::StrJoin(parts, " and ");
}

std::string Describer::Constraint(const ConstraintRow& row) const {
  const std::string when = When(row);
  std::string holds = RowOf(row.kind).text(Arguments(*this, row));
  return when.empty() ? holds : absl::StrCat(holds, ", when ", when);
}

}  // namespace quantgate::opdb
