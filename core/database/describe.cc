#include "core/database/describe.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/database/kinds.h"

namespace quantgate::opdb {
namespace {

std::string Or(const std::vector<std::string>& names) { return absl::StrJoin(names, " or "); }

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

std::string Describer::Expr(Slice<ExprOp> expr) const {
  // A text and whether it must be put in brackets within a product.
  std::vector<std::pair<std::string, bool>> stack;
  const auto param = [&](const ExprOp& step) {
    const auto name = Absl(db_.str(db_.get(op_.params)[static_cast<size_t>(step.param)].name));
    return step.value == 0 ? std::string(name) : absl::StrCat(name, "[", step.value - 1, "]");
  };
  for (const ExprOp& step : db_.get(expr)) {
    switch (step.code) {
      case ExprCode::kConst:
        stack.emplace_back(absl::StrCat(step.value), step.value < 0);
        continue;
      case ExprCode::kRank:
        stack.emplace_back(absl::StrCat("rank(", Port(step.port), ")"), false);
        continue;
      case ExprCode::kDimConst:
        stack.emplace_back(absl::StrCat("dim(", Port(step.port), ", ", step.value, ")"), false);
        continue;
      case ExprCode::kDimParam:
        stack.emplace_back(absl::StrCat("dim(", Port(step.port), ", ", param(step), ")"), false);
        continue;
      case ExprCode::kParam:
        stack.emplace_back(param(step), false);
        continue;
      case ExprCode::kElements:
        stack.emplace_back(absl::StrCat("elements(", Port(step.port), ")"), false);
        continue;
      case ExprCode::kCount:
        stack.emplace_back(absl::StrCat("count(", param(step), ")"), false);
        continue;
      case ExprCode::kTotal:
        stack.emplace_back(absl::StrCat("total(", Port(step.port), ", ", param(step), ")"), false);
        continue;
      case ExprCode::kNeg:
        if (stack.empty()) return "";
        stack.back() = {absl::StrCat("-(", stack.back().first, ")"), true};
        continue;
      default:
        break;
    }
    if (stack.size() < 2) return "";
    const auto right = std::move(stack.back());
    stack.pop_back();
    auto& left = stack.back();
    const auto bracket = [](const std::pair<std::string, bool>& part) {
      return part.second ? absl::StrCat("(", part.first, ")") : part.first;
    };
    switch (step.code) {
      case ExprCode::kAdd:
        left = {absl::StrCat(left.first, " + ", bracket(right)), true};
        break;
      case ExprCode::kSub:
        left = {absl::StrCat(left.first, " - ", bracket(right)), true};
        break;
      case ExprCode::kMul:
        left = {absl::StrCat(bracket(left), " * ", bracket(right)), false};
        break;
      case ExprCode::kDiv:
        left = {absl::StrCat(bracket(left), " / (", right.first, ")"), false};
        break;
      case ExprCode::kMax:
        left = {absl::StrCat("max(", left.first, ", ", right.first, ")"), false};
        break;
      default:
        left = {absl::StrCat("min(", left.first, ", ", right.first, ")"), false};
        break;
    }
  }
  return stack.size() == 1 ? stack[0].first : "";
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

const ArgRow* Describer::Find(const ConstraintRow& row, ArgKey key) const {
  for (const ArgRow& arg : db_.get(row.args)) {
    if (arg.key == key) return &arg;
  }
  return nullptr;
}

std::string Describer::Bounds(const ConstraintRow& row, std::string_view unit) const {
  std::vector<std::string> parts;
  const auto add = [&](ArgKey key, absl::string_view words) {
    if (const ArgRow* arg = Find(row, key)) {
      parts.push_back(absl::StrCat(words, Value(*arg, row.param)));
    }
  };
  add(ArgKey::kEq, "= ");
  add(ArgKey::kMin, ">= ");
  add(ArgKey::kMinExclusive, "> ");
  add(ArgKey::kMax, "<= ");
  add(ArgKey::kMaxExclusive, "< ");
  add(ArgKey::kMultipleOf, "a multiple of ");
  if (parts.empty()) return "";
  return absl::StrCat(Absl(unit), unit.empty() ? "" : " ", absl::StrJoin(parts, " and "));
}

std::string Describer::Listed(const ConstraintRow& row) const {
  std::string text;
  if (const ArgRow* arg = Find(row, ArgKey::kAllowed)) text = Value(*arg, row.param);
  if (const ArgRow* arg = Find(row, ArgKey::kDenied)) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", "not ", Value(*arg, row.param));
  }
  return text;
}

std::vector<std::string> Describer::Ports(const ConstraintRow& row) const {
  std::vector<std::string> ports;
  const ArgRow* arg = Find(row, ArgKey::kAs);
  if (arg == nullptr) return ports;
  for (const int64_t p : db_.get(Slice<int64_t>{arg->a, arg->b})) {
    const bool known = p >= 0 && p < static_cast<int64_t>(op_.ports.count);
    ports.push_back(known ? Port(static_cast<int>(p)) : "?");
  }
  return ports;
}

std::string Describer::Holds(const ConstraintRow& row) const {
  const auto value = [&](ArgKey key) -> std::string {
    const ArgRow* arg = Find(row, key);
    return arg ? Value(*arg, -1) : "";
  };
  const auto flag = [&](ArgKey key, bool otherwise) {
    const ArgRow* arg = Find(row, key);
    return arg ? arg->v.i != 0 : otherwise;
  };
  const std::string dims = value(ArgKey::kDim);
  switch (row.kind) {
    case Kind::kRank: {
      std::string text = Bounds(row, "rank");
      if (const auto to = value(ArgKey::kSqueezableTo); !to.empty()) {
        absl::StrAppend(&text, text.empty() ? "" : ", ", "rank ", to,
                        " after dropping dimensions of 1");
      }
      if (const ArgRow* sparse = Find(row, ArgKey::kSparse)) {
        absl::StrAppend(&text, text.empty() ? "" : ", ", sparse->v.i != 0 ? "sparse" : "dense");
      }
      return text;
    }
    case Kind::kDim:
      return Bounds(row, dims.empty() ? "every dimension" : absl::StrCat("dimension ", dims));
    case Kind::kDimProduct:
      return Bounds(row, absl::StrCat("product of dimensions ", dims));
    case Kind::kSameRank:
      return absl::StrCat("same rank as ", value(ArgKey::kAs));
    case Kind::kSameShape:
      return absl::StrCat("same shape as ", value(ArgKey::kAs));
    case Kind::kSameDims:
      return absl::StrCat("same dimensions ", value(ArgKey::kDims), " as ", value(ArgKey::kAs),
                          flag(ArgKey::kBroadcast, false) ? ", or 1" : "");
    case Kind::kBroadcast:
      if (flag(ArgKey::kExact, false)) return "the output has the shape the inputs broadcast to";
      return flag(ArgKey::kAllowed, true) ? "at most one input is stretched"
                                          : "inputs are not stretched";
    case Kind::kDynamicDims:
      if (flag(ArgKey::kAllowed, false)) return "dynamic dimensions are supported";
      return absl::StrCat("no dynamic dimensions",
                          value(ArgKey::kMin).empty() ? "" : " from dimension ",
                          value(ArgKey::kMin));
    case Kind::kDtypes:
    case Kind::kEncodings:
      return Listed(row);
    case Kind::kSameDtype:
      return absl::StrCat("same dtype as ", value(ArgKey::kAs));
    case Kind::kPeerDtype: {
      const std::string bits = value(ArgKey::kBits);
      return absl::StrCat(
          value(ArgKey::kPeer), " is ",
          bits.empty() ? value(ArgKey::kDtypes) : absl::StrCat("of ", bits, " bits"));
    }
    case Kind::kBitWidth:
      return absl::StrCat("bits: ", Listed(row));
    case Kind::kStorageDtype:
      return absl::StrCat("stored as ", value(ArgKey::kDtype));
    case Kind::kEncodingDefined:
      return "has an encoding";
    case Kind::kQuantAxis:
      return value(ArgKey::kAxis).empty() ? "a scale for each element of the channel axis"
                                          : absl::StrCat("channel axis ", value(ArgKey::kAxis));
    case Kind::kSigned:
      return "signed";
    case Kind::kSymmetric:
      return "symmetric: zero point 0 (signed) or the mid-point (unsigned)";
    case Kind::kAsymmetric:
      return "asymmetric";
    case Kind::kSameEncoding: {
      const std::string aspect = value(ArgKey::kAspect);
      if (aspect == "equal_or_smaller_scale" || aspect == "equal_or_larger_scale") {
        return absl::StrCat("same encoding as ", value(ArgKey::kAs), ", or a ",
                            aspect == "equal_or_smaller_scale" ? "smaller" : "larger", " scale");
      }
      if (aspect == "as_read" || aspect == "as_read_raw") {
        return absl::StrCat("same offset and whole part of the scale as ", value(ArgKey::kAs),
                            aspect == "as_read" ? ", read in the form of this encoding"
                                                : ", both read as per-tensor");
      }
      return absl::StrCat("same ", aspect.empty() || aspect == "both" ? "encoding" : aspect, " as ",
                          value(ArgKey::kAs));
    }
    case Kind::kFixedEncoding: {
      const std::string scale = value(ArgKey::kScale), offset = value(ArgKey::kOffset);
      return absl::StrCat(scale.empty() ? "" : absl::StrCat("scale ", scale),
                          scale.empty() || offset.empty() ? "" : ", ",
                          offset.empty() ? "" : absl::StrCat("offset ", offset));
    }
    case Kind::kStatic:
      return value(ArgKey::kLevel) == "tensor_or_const_chain"
                 ? "constant, or computed from constants only"
                 : "constant";
    case Kind::kValueRange:
      return Bounds(row, value(ArgKey::kIndex).empty()
                             ? "values"
                             : absl::StrCat("value ", value(ArgKey::kIndex)));
    case Kind::kUniqueValues:
      return "no duplicate values";
    case Kind::kMinArch:
      return absl::StrCat("arch ", value(ArgKey::kArch), " or newer");
    case Kind::kParamValue: {
      std::string text = Bounds(row, "");
      if (const std::string listed = Listed(row); !listed.empty()) {
        absl::StrAppend(&text, text.empty() ? "" : ", ", listed);
      }
      if (const std::string index = value(ArgKey::kIndex); !index.empty()) {
        absl::StrAppend(&text, " (elements ", index, ")");
      }
      return text;
    }
    case Kind::kDefaultOnly:
      return row.port >= 0 ? "must not be given" : "only its default value";
    case Kind::kPortUnsupported:
      return "must not be given";
    case Kind::kPortOptional:
    case Kind::kParamRequired:
      return "must be given";
    case Kind::kInputCount: {
      const ArgRow* arg = Find(row, ArgKey::kMinM);
      return absl::StrCat("at least ", (arg ? arg->v.i : 0) + 1, " inputs");
    }
    case Kind::kAnyOf: {
      std::string text;
      for (const AltRow& alt : db_.get(row.alternatives)) {
        std::vector<std::string> all;
        for (const ConstraintRow& inner : db_.all_of(alt)) {
          all.push_back(absl::StrCat(Subject(inner), " ", Constraint(inner)));
        }
        absl::StrAppend(&text, text.empty() ? "" : "; or ", absl::StrJoin(all, " and "));
      }
      return text;
    }
    case Kind::kNote:
      return value(ArgKey::kText);
    case Kind::kValidScale: {
      const std::string aspect = value(ArgKey::kAspect);
      return absl::StrCat("scales are ", aspect.empty() ? "positive" : aspect);
    }
    case Kind::kOffsetRange:
      return Bounds(row, "offsets");
    case Kind::kScaleRange: {
      const std::vector<std::string> unit = Ports(row);
      return absl::StrCat(Bounds(row, "scales"), unit.empty() ? "" : " times ",
                          absl::StrJoin(unit, " * "));
    }
    case Kind::kBlockSize: {
      std::string text = Listed(row);
      const std::string bounds = Bounds(row, "");
      if (!bounds.empty()) absl::StrAppend(&text, text.empty() ? "" : ", ", bounds);
      return text.empty() ? "blocks divide the input channels" : absl::StrCat("blocks of ", text);
    }
    case Kind::kBiasScale: {
      const std::string most = value(ArgKey::kMax);
      return absl::StrCat(most.empty() ? "scale = " : absl::StrCat("scale <= ", most, " * "),
                          absl::StrJoin(Ports(row), " * "));
    }
    default:
      return std::string(KindName(row.kind));
  }
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
  return when.empty() ? Holds(row) : absl::StrCat(Holds(row), ", when ", when);
}

}  // namespace quantgate::opdb
