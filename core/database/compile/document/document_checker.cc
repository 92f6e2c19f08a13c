#include "core/database/compile/document/document_checker.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/symbols.h"
#include "core/lower/expression/expr.h"
#include "quantgate/dtype.h"
#include "quantgate/rule.h"

namespace quantgate::opdefs {
namespace {

using opdb::DocumentKey;
using opdb::DocumentShape;
using opdb::ValueType;

std::string Key(std::string_view name) { return absl::StrCat("`", std::string(name), "`"); }

std::string Joined(const std::vector<std::string_view>& names, const char* between,
                   const char* around) {
  std::string text;
  for (const std::string_view name : names) {
    absl::StrAppend(&text, text.empty() ? "" : between, around, std::string(name), around);
  }
  return text;
}

// The op that a map is about.
std::string_view OpOf(const Node& map) {
  for (const std::string_view key : {"to", "op"}) {
    const Node* op = map.find(key);
    if (op != nullptr && op->is_scalar()) return op->text;
  }
  return {};
}

// "'HARD_SWISH'" in an expression.
std::optional<std::string_view> Literal(std::string_view text) {
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  return text.find('\'') == text.npos ? std::optional(text) : std::nullopt;
}

std::vector<std::string_view> RuleSlugs() {
  std::vector<std::string_view> slugs;
  for (const Rule* rule : AllRules()) slugs.push_back(rule->slug);
  return slugs;
}

std::vector<std::string_view> DtypeNames() {
  std::vector<std::string_view> names;
  for (int i = 0; i < kDtypeCount; ++i) names.push_back(DtypeName(static_cast<Dtype>(i)));
  return names;
}

}  // namespace

DocumentNames::DocumentNames(const Ir& database) : ir(database) {
  for (const auto& [name, backend] : ir.backends) {
    backends.insert(name);
    archs.insert(backend.archs.begin(), backend.archs.end());
    for (const auto& [op, row] : backend.ops) ops.insert(op);
  }
  const auto document = ir.documents.find("op_sets");
  if (document == ir.documents.end()) return;
  for (const Tree& sets : document->second.children) {
    for (const Tree& set : sets.children) op_sets.insert(set.key);
  }
}

std::vector<const Param*> DocumentNames::ParamsOf(std::string_view op) const {
  std::vector<const Param*> params;
  for (const auto& [name, backend] : ir.backends) {
    const auto at = backend.ops.find(std::string(op));
    if (at == backend.ops.end()) continue;
    for (const Param& param : at->second.params) params.push_back(&param);
  }
  return params;
}

void DocumentChecker::Check(const Node& node, const DocumentShape& shape, std::string_view what) {
  if (node.is_map() && shape.as_map != nullptr) return Check(node, *shape.as_map, what);
  if (node.is_list() && shape.as_list != nullptr) return Check(node, *shape.as_list, what);
  switch (shape.type) {
    case ValueType::kMap:
      return CheckMap(node, shape);
    case ValueType::kList:
    case ValueType::kNamed:
      return CheckEach(node, shape, what);
    case ValueType::kParams:
      return CheckParams(node, shape, what);
    case ValueType::kExpression:
      return CheckExpression(node, what);
    case ValueType::kParam:
      return CheckParam(node);
    case ValueType::kParamValue:
      return CheckParamValue(node);
    case ValueType::kDtype:
    case ValueType::kOp:
    case ValueType::kOpSet:
    case ValueType::kRule:
    case ValueType::kBackend:
    case ValueType::kArch:
    case ValueType::kSdk:
    case ValueType::kPort:
      return CheckName(node, shape.type, what);
    default:
      return CheckScalar(node, shape, what);
  }
}

void DocumentChecker::CheckMap(const Node& node, const DocumentShape& shape) {
  MapReader map(node, shape.what, reporter_);
  if (!map.ok()) return;
  maps_.push_back(&node);
  for (const DocumentKey& key : shape.keys) {
    const Node* value = key.required ? map.need(key.name) : map.find(key.name);
    if (value == nullptr) continue;
    if (!key.with.empty() && node.find(key.with) == nullptr) {
      reporter_.AtKey(*value, absl::StrCat(Key(key.name), " of ", std::string(shape.what),
                                           " stands beside ", Key(key.with), " only"));
    }
    Check(*value, *key.shape, Key(key.name));
  }
  const size_t before = reporter_.errors->count();
  map.Finish();
  // A misspelt key may have been one of them.
  if (!shape.one_of.empty() && reporter_.errors->count() == before) CheckOneOf(node, shape);
  maps_.pop_back();
}

void DocumentChecker::CheckOneOf(const Node& node, const DocumentShape& shape) {
  const Node* first = nullptr;
  for (const std::string_view choice : Choices(shape.one_of)) {
    const Node* value = node.find(choice);
    if (value == nullptr) continue;
    if (first != nullptr) {
      reporter_.AtKey(*value, absl::StrCat(std::string(shape.what), " has ", Key(first->key),
                                           " or ", Key(choice), ", not both"));
    }
    first = value;
  }
  if (first != nullptr || (!shape.unless.empty() && node.find(shape.unless) != nullptr)) return;
  reporter_.At(node, absl::StrCat(std::string(shape.what), " has none of ",
                                  Joined(Choices(shape.one_of), ", ", "`")));
}

void DocumentChecker::CheckEach(const Node& node, const DocumentShape& shape,
                                std::string_view what) {
  const bool list = shape.type == ValueType::kList;
  if (list ? !node.is_list() : !node.is_map()) {
    return reporter_.At(
        node, absl::StrCat(std::string(what), list ? " must be a list" : " must be a map"));
  }
  if (static_cast<int64_t>(node.children.size()) > shape.max) {
    reporter_.At(node, absl::StrCat(std::string(what), " has more than ", shape.max, " entries"));
  }
  for (const Node& child : node.children) {
    Check(child, *shape.item,
          list ? absl::StrCat("an entry of ", std::string(what))
               : absl::StrCat(Quoted(child.key), " of ", std::string(what)));
  }
}

void DocumentChecker::CheckParams(const Node& node, const DocumentShape& shape,
                                  std::string_view what) {
  CheckEach(node, {.type = ValueType::kNamed, .item = shape.item}, what);
  const std::string_view op = maps_.empty() ? std::string_view() : OpOf(*maps_.back());
  if (!node.is_map() || !names_.ops.contains(op)) return;
  const std::vector<const Param*> params = names_.ParamsOf(op);
  for (const Node& child : node.children) {
    std::string_view name = child.key;
    // Left out where its value is null.
    if (shape.item->type == ValueType::kExpression && name.ends_with('?')) name.remove_suffix(1);
    const bool known = std::any_of(params.begin(), params.end(),
                                   [&](const Param* param) { return param->name == name; });
    if (known) {
      CheckNamedValue(child, op, name);
      continue;
    }
    std::vector<std::string_view> candidates;
    for (const Param* param : params) candidates.push_back(param->name);
    reporter_.AtKey(child, absl::StrCat("unknown param ", Quoted(name), " of ", std::string(op),
                                        DidYouMeanOf(name, candidates)));
  }
}

// A text that a param gets must be one of its values, where it has any.
void DocumentChecker::CheckNamedValue(const Node& value, std::string_view op,
                                      std::string_view param) {
  const auto literal = value.is_scalar() ? Literal(value.text) : std::nullopt;
  if (!literal) return;
  std::vector<std::string_view> candidates;
  for (const Param* row : names_.ParamsOf(op)) {
    if (row->name != param) continue;
    for (const auto& [name, number] : row->values) candidates.push_back(name);
  }
  if (candidates.empty() ||
      std::find(candidates.begin(), candidates.end(), *literal) != candidates.end()) {
    return;
  }
  reporter_.At(value, absl::StrCat("unknown value ", Quoted(*literal), " of ", std::string(op), " ",
                                   std::string(param), DidYouMeanOf(*literal, candidates)));
}

void DocumentChecker::CheckExpression(const Node& node, std::string_view what) {
  if (node.is_list()) {
    for (const Node& child : node.children) CheckExpression(child, what);
    return;
  }
  if (!node.is_scalar() || node.text.empty()) {
    return reporter_.At(node, absl::StrCat(std::string(what), " must be an expression"));
  }
  if (node.flag() || node.integer() || node.real()) return;
  const auto parsed = mapping::Expr::Parse(node.text);
  if (!parsed.ok()) reporter_.At(node, std::string(parsed.status().message()));
}

void DocumentChecker::CheckName(const Node& node, ValueType type, std::string_view what) {
  if (!node.is_scalar() || node.text.empty()) {
    return reporter_.At(node, absl::StrCat(std::string(what), " must be a name"));
  }
  const std::string& text = node.text;
  const auto known = [&](std::string_view noun, const auto& candidates) {
    if (std::find(candidates.begin(), candidates.end(), text) != candidates.end()) return;
    reporter_.At(node, absl::StrCat("unknown ", std::string(noun), " ", Quoted(text),
                                    DidYouMeanOf(text, candidates)));
  };
  switch (type) {
    case ValueType::kDtype:
      return known("dtype", DtypeNames());
    case ValueType::kOp:
      return known("op", names_.ops);
    case ValueType::kOpSet:
      return known("op set", names_.op_sets);
    case ValueType::kRule:
      return known("rule", RuleSlugs());
    case ValueType::kBackend:
      return known("backend", names_.backends);
    case ValueType::kArch:
      return known("arch", names_.archs);
    case ValueType::kPort: {
      const auto port = ParsePortName(text);
      if (!port || port->variadic) {
        reporter_.At(node, absl::StrCat("no port like \"in[0]\" or \"out[0]\": ", Quoted(text)));
      }
      return;
    }
    default: {  // kSdk
      const auto sdk = ParseSdk(text);
      if (!node.quoted || !sdk.ok()) {
        reporter_.At(node, "an SDK version must be quoted text like \"2.25\"");
      }
    }
  }
}

void DocumentChecker::CheckParam(const Node& node) {
  const std::string_view op = maps_.empty() ? std::string_view() : OpOf(*maps_.back());
  if (!node.is_scalar()) return reporter_.At(node, "a param must be a name");
  if (!names_.ops.contains(op)) return;
  std::vector<std::string_view> candidates;
  for (const Param* param : names_.ParamsOf(op)) candidates.push_back(param->name);
  if (std::find(candidates.begin(), candidates.end(), node.text) != candidates.end()) return;
  reporter_.At(node, absl::StrCat("unknown param ", Quoted(node.text), " of ", std::string(op),
                                  DidYouMeanOf(node.text, candidates)));
}

void DocumentChecker::CheckParamValue(const Node& node) {
  if (!node.is_scalar()) return reporter_.At(node, "a value must be a name or a number");
  const Node* param = maps_.empty() ? nullptr : maps_.back()->find("param");
  if (param == nullptr || node.integer()) return;
  const std::string_view op = OpOf(*maps_.back());
  std::vector<std::string_view> candidates;
  bool known_param = false;
  for (const Param* row : names_.ParamsOf(op)) {
    if (row->name != param->text) continue;
    known_param = true;
    for (const auto& [name, number] : row->values) candidates.push_back(name);
  }
  if (!known_param ||
      std::find(candidates.begin(), candidates.end(), node.text) != candidates.end()) {
    return;
  }
  reporter_.At(node, absl::StrCat("unknown value ", Quoted(node.text), " of ", std::string(op), " ",
                                  param->text, DidYouMeanOf(node.text, candidates)));
}

void DocumentChecker::CheckScalar(const Node& node, const DocumentShape& shape,
                                  std::string_view what) {
  const auto wrong = [&](std::string_view expected) {
    reporter_.At(node, absl::StrCat(std::string(what), " must be ", std::string(expected)));
  };
  switch (shape.type) {
    case ValueType::kText:
      // A number or true is some other key's value.
      if (!node.is_scalar() || node.text.empty() ||
          (!node.quoted && (node.flag() || node.real()))) {
        wrong("text");
      }
      return;
    case ValueType::kFlag:
      if (!node.flag()) wrong("true or false");
      return;
    case ValueType::kNumber:
      if (!node.real()) wrong("a number");
      return;
    case ValueType::kScalar:
      if (!node.is_scalar() || node.text.empty()) wrong("a value");
      return;
    case ValueType::kInteger: {
      const auto number = node.integer();
      if (!number || *number < shape.min || *number > shape.max) {
        const bool any = shape.min == DocumentShape{.type = ValueType::kInteger}.min;
        wrong(any ? "a whole number"
                  : absl::StrCat("a whole number from ", shape.min, " to ", shape.max));
      }
      return;
    }
    default: {  // kChoice
      const std::vector<std::string_view> choices = Choices(shape.choices);
      if (node.is_scalar() &&
          std::find(choices.begin(), choices.end(), node.text) != choices.end()) {
        return;
      }
      const std::string hint = node.is_scalar() ? DidYouMeanOf(node.text, choices) : "";
      wrong(absl::StrCat(Joined(choices, " | ", ""),
                         node.is_scalar() ? absl::StrCat(", not ", Quoted(node.text)) : "", hint));
    }
  }
}

}  // namespace quantgate::opdefs
