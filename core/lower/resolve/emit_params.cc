// The params of the ops that SourceResolver emits.
#include <algorithm>
#include <cctype>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/lower/resolve/node_scope.h"
#include "core/lower/resolve/source_resolver.h"

namespace quantgate {

using mapping::Ints;
using mapping::Value;

namespace {

bool SameText(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::toupper(static_cast<unsigned char>(x)) ==
           std::toupper(static_cast<unsigned char>(y));
  });
}

TensorParam TensorOf(const mapping::ParamSpec& spec, const Value& value) {
  TensorParam tensor;
  if (value.type == Value::Type::kReals || value.type == Value::Type::kReal) {
    tensor.dtype = Dtype::kFloat32;
    tensor.reals =
        value.type == Value::Type::kReals ? value.reals : std::vector<double>{value.real};
    tensor.dims = {static_cast<int64_t>(tensor.reals.size())};
  } else {
    Ints converted;
    if (value.type != Value::Type::kInts) converted = value.AsInts().value_or(Ints{});
    const Ints& ints = value.type == Value::Type::kInts ? value.ints : converted;
    tensor.dtype = Dtype::kInt32;
    const auto count = static_cast<int64_t>(ints.size());
    if (value.columns > 0) {
      tensor.dims = {count / value.columns, value.columns};
    } else {
      tensor.dims = {count};
    }
    if (spec.dtype == Dtype::kFloat32) {
      tensor.reals.assign(ints.begin(), ints.end());
    } else {
      tensor.ints.assign(ints.begin(), ints.end());
    }
  }
  if (spec.dtype != Dtype::kUndefined) tensor.dtype = spec.dtype;
  return tensor;
}

// nullopt: the value does not fit the param's type.
std::optional<ParamValue> ScalarOf(const mapping::ParamSpec& spec, const Value& value) {
  const std::optional<int64_t> integer = value.AsInt();
  const std::optional<double> real = value.AsReal();
  switch (ClassOf(spec.dtype)) {
    case DtypeClass::kBool:
      return value.True();
    case DtypeClass::kFloat:
      if (real) return *real;
      break;
    case DtypeClass::kUint:
      if (integer && *integer >= 0) return UintParam{static_cast<uint64_t>(*integer)};
      break;
    default:
      if (value.type == Value::Type::kReal) return value.real;
      if (integer) return IntParam{*integer};
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> SourceResolver::ParamOf(int32_t index, const mapping::ParamSpec& spec) {
  Value value = spec.value.Eval(NodeScope(*this, index));
  if (value.null()) {
    if (spec.optional && value.why == Value::Why::kAbsent) return value;
    if (value.why == Value::Why::kNotKept) {
      Uncheck(index, absl::StrCat("the constant behind `", std::string(spec.name),
                                  "` is too large to keep"));
    } else if (value.why == Value::Why::kDynamic) {
      Refuse(index, absl::StrCat("`", std::string(spec.name),
                                 "` must be a constant and is computed at run time"),
             true);
    } else {
      Uncheck(index, absl::StrCat("the value of `", std::string(spec.name), "` is not known"));
    }
    return std::nullopt;
  }
  if (value.type == Value::Type::kText) {
    // The backend has no such op, or none with this param, which is found where the op is checked.
    if (spec.values.empty()) return Value::Int(0);
    std::optional<int64_t> number;
    for (const opdb::EnumRow& row : spec.values) {
      if (SameText(mapping_.database().str(row.name), value.text)) number = row.value;
    }
    if (!number) {
      Uncheck(index, absl::StrCat("`", std::string(spec.name), "` has no value ",
                                  std::string(value.text)));
      return std::nullopt;
    }
    value = Value::Int(*number);
  }
  return value;
}

bool SourceResolver::AddParam(int32_t index, const mapping::ParamSpec& spec,
                              std::vector<Param>& out) {
  const std::optional<Value> value = ParamOf(index, spec);
  if (!value) return false;
  if (value->null()) return true;  // an optional one that is not given
  const bool list = value->type == Value::Type::kInts || value->type == Value::Type::kReals;
  if (spec.tensor || (list && spec.dtype == Dtype::kUndefined)) {
    out.push_back({std::string(spec.name), TensorOf(spec, *value)});
    return true;
  }
  std::optional<ParamValue> scalar = ScalarOf(spec, *value);
  if (!scalar) {
    Uncheck(index, absl::StrCat("the value of `", std::string(spec.name), "` does not fit ",
                                std::string(DtypeName(spec.dtype))));
    return false;
  }
  out.push_back({std::string(spec.name), std::move(*scalar)});
  return true;
}

SharedString SourceResolver::OpOf(const mapping::Step& step) {
  SharedString& op = emitted_[&step].op;
  if (op.empty()) op = step.op;
  return op;
}

Params SourceResolver::SharedParams(const mapping::Step& step, std::vector<Param> params) {
  constexpr size_t kMaxCompared = 16;
  if (params.empty()) return {};
  const auto same = [](const Param& a, const Param& b) {
    return a.name == b.name && a.value == b.value;
  };
  std::vector<Params>& known = emitted_[&step].params;
  for (const Params& other : known) {
    if (std::equal(params.begin(), params.end(), other.begin(), other.end(), same)) return other;
  }
  Params fresh(std::move(params));
  if (known.size() < kMaxCompared) known.push_back(fresh);
  return fresh;
}

}  // namespace quantgate
