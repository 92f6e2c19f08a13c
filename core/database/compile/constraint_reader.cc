#include "core/database/compile/constraint_reader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/compile/condition_reader.h"
#include "core/database/compile/expr.h"
#include "core/database/kinds.h"

namespace quantgate::opdefs {
namespace {

using opdb::ArgKey;
using opdb::ArgType;
using opdb::Kind;

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('|', at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

const Param* ConstraintReader::ParamOf(const Constraint& constraint) const {
  return constraint.param < 0 ? nullptr
                              : &symbols_.op().params[static_cast<size_t>(constraint.param)];
}

Constraint ConstraintReader::Read(const Node& node, std::string_view name, std::string_view subject,
                                  const Place& place) {
  Constraint out;
  out.range = place.evidence.RangeOf(place.section);
  const auto form = FindForm(node, name, reporter_);
  if (!form) return out;
  ReadCore(node, *form, subject, out, false);
  // Keys of the kind were read with it; the others belong to any constraint.
  Node common = node.is_map() ? node : Node{};
  common.kind = Node::Kind::kMap;
  common.line = node.line;
  common.column = node.column;
  std::erase_if(common.children, [](const Node& child) { return !IsCommonKey(child.key); });
  MapReader map(common, "a constraint", reporter_);
  map.Has("when");
  ReadGroups(map, out);
  out.range.archs = symbols_.ArchsOf(map);
  out.consequence = out.kind == Kind::kNote ? Consequence::kAdvice : Consequence::kRejected;
  if (const Node* breach = map.find("breach")) {
    out.consequence = OneConsequence(*breach, reporter_).value_or(Consequence::kRejected);
  }
  ReadMeasured(map, place, out);
  ReadSources(map, place, out);
  if (const auto note = map.text("note"); note && out.kind != Kind::kNote) out.note = *note;
  return out;
}

Constraint ConstraintReader::ReadInner(const Node& node, std::string_view subject) {
  Constraint out;
  if (!node.is_map()) {
    reporter_.At(node, "a constraint of any_of must be a map");
    return out;
  }
  const auto form = FindForm(node, "", reporter_);
  if (!form) return out;
  if (form->kind->kind == Kind::kAnyOf || form->kind->kind == Kind::kNote) {
    reporter_.At(node, absl::StrCat(Absl(form->kind->name),
                                    " is not possible within any_of"));
    return out;
  }
  std::string_view port = subject;
  if (const Node* given = node.find("port")) port = given->text;
  ReadCore(node, *form, port, out, true);
  return out;
}

void ConstraintReader::ReadCore(const Node& node, const ConstraintForm& form,
                                std::string_view subject, Constraint& out, bool inner) {
  out.kind = form.kind->kind;
  ReadSubject(node, subject, *form.kind, inner, out);
  MapReader fields(form.fields, absl::StrCat("kind ", Absl(form.kind->name)),
                   reporter_);
  ReadFields(fields, out, *form.kind);
  if (out.kind == Kind::kAnyOf) ReadAlternatives(fields, subject, out);
  if (!inner) {
    for (const std::string_view key : CommonKeys()) fields.Has(key);  // for the nearest name
  }
  fields.Finish();
  if (const Node* when = node.is_map() ? node.find("when") : nullptr) {
    out.when = ConditionReader(symbols_, reporter_).Read(*when, out.port);
  }
}

void ConstraintReader::ReadSubject(const Node& node, std::string_view subject,
                                   const KindRow& kind, bool inner, Constraint& out) {
  if (subject == "all") {
    out.port = opdb::kPortAll;
    if (inner) reporter_.At(node, "`all` is not possible within any_of");
  } else if (const auto port = symbols_.FindPort(subject)) {
    out.port = port->port;
    out.element = port->element;
  } else if (const auto param = symbols_.FindParam(subject)) {
    out.param = *param;
  } else {
    std::vector<std::string> names;
    for (const auto& known : symbols_.op().ports) names.push_back(ShortPortName(known.name));
    for (const auto& known : symbols_.op().params) names.push_back(known.name);
    reporter_.At(node, absl::StrCat("unknown port or param ", Quoted(subject),
                                    DidYouMeanOf(subject, names)));
    return;
  }
  const opdb::SubjectBits bits = opdb::SubjectOf(out.port);
  const uint8_t subjects = kind.subjects;
  if ((subjects & bits) == 0) {
    reporter_.At(node, absl::StrCat("kind ", Absl(kind.name),
                                    subjects == opdb::kOnParam ? " is about a param, not "
                                                               : " is about a port, not ",
                                    bits == opdb::kOnAll     ? "all ports"
                                    : bits == opdb::kOnParam ? "a param"
                                                             : "a port"));
  }
}

void ConstraintReader::ReadFields(MapReader& map, Constraint& out, const KindRow& kind) {
  int given = 0;
  for (const Field& field : kind.fields) {
    const Node* node = field.required ? map.need(field.name) : map.find(field.name);
    if (node == nullptr) continue;
    ++given;
    ReadField(*node, field, out);
  }
  // A misspelt one is reported as unknown.
  const auto all = map.node().children.size();
  if (given < kind.min_fields && all == static_cast<size_t>(given)) {
    std::string names;
    for (const Field& field : kind.fields) {
      absl::StrAppend(&names, names.empty() ? "" : ", ", Absl(field.name));
    }
    reporter_.At(map.node(), absl::StrCat("kind ", Absl(kind.name),
                                          " needs more of its fields: ", names));
  }
}

void ConstraintReader::ReadField(const Node& node, const Field& field, Constraint& out) {
  if (field.type == FieldType::kTrue) {
    if (node.flag() != true) {
      reporter_.At(node, absl::StrCat("`", Absl(field.name), "` can only be true"));
    } else if (field.key == ArgKey::kDefault) {
      ReadDefault(node, out);
    }
    return;
  }
  Arg arg;
  arg.key = field.key;
  // `dim: all` is the absence of the argument.
  if (field.type == FieldType::kDims && node.is_scalar() && node.text == "all") return;
  if (ReadValue(node, field, out, arg)) out.args.push_back(std::move(arg));
}

bool ConstraintReader::Wrong(const Node& node, const Field& field, std::string_view expected) {
  reporter_.At(node, absl::StrCat("`", Absl(field.name), "` must be ", Absl(expected)));
  return false;
}

bool ConstraintReader::ReadPort(const Node& node, const Field& field, Arg& arg) {
  const auto port = symbols_.Port(node, reporter_);
  if (!port) return false;
  const auto& declared = symbols_.op().ports[static_cast<size_t>(port->port)];
  if (port->element > 0 || (port->element < 0 && (declared.flags & opdb::kPortVariadic) != 0)) {
    return Wrong(node, field, "one tensor: of a variadic port only the first can be meant");
  }
  arg.type = ArgType::kPort;
  arg.i = port->port;
  return true;
}

bool ConstraintReader::ReadPorts(const Node& node, const Field& field, Arg& arg) {
  arg.type = ArgType::kInts;
  const bool pair = field.type == FieldType::kPortPair;
  if (!node.is_list() || node.children.size() > 2 || node.children.size() < (pair ? 2U : 1U)) {
    return Wrong(node, field, pair ? "a list of two ports" : "a list of one or two ports");
  }
  for (const Node& child : node.children) {
    const auto port = symbols_.Port(child, reporter_);
    if (!port) return false;
    arg.ints.push_back(port->port);
  }
  return true;
}

bool ConstraintReader::ReadChoice(const Node& node, const Field& field, Arg& arg) {
  const auto choices = Split(field.choices);
  if (!node.is_scalar() || std::find(choices.begin(), choices.end(), node.text) == choices.end()) {
    std::string expected;
    for (const std::string_view choice : choices) {
      absl::StrAppend(&expected, expected.empty() ? "" : " or ", Absl(choice));
    }
    return Wrong(node, field, expected);
  }
  arg.type = ArgType::kString;
  arg.text = node.text;
  return true;
}

bool ConstraintReader::ReadValue(const Node& node, const Field& field, const Constraint& of,
                                 Arg& arg) {
  const auto take = [&arg](ArgType type, const auto& value) {
    arg.type = type;
    if (value) arg.i = static_cast<int64_t>(*value);
    return value.has_value();
  };
  switch (field.type) {
    case FieldType::kExpr:
    case FieldType::kExprs:
    case FieldType::kDims:
    case FieldType::kInt:
    case FieldType::kInts:
      return ReadNumbers(node, field, nullptr, arg);
    case FieldType::kValue:
    case FieldType::kValues:
      return ReadNumbers(node, field, ParamOf(of), arg);
    case FieldType::kReal: {
      const auto real = node.is_scalar() ? ParseFraction(node.text) : std::nullopt;
      if (!real) return Wrong(node, field, "a number or a fraction like \"1/65536\"");
      arg.type = ArgType::kReal;
      arg.d = *real;
      return true;
    }
    case FieldType::kFlag:
    case FieldType::kTrue:
      return node.flag() ? take(ArgType::kFlag, node.flag()) : Wrong(node, field, "true or false");
    case FieldType::kPort:
      return ReadPort(node, field, arg);
    case FieldType::kPorts:
    case FieldType::kPortPair:
      return ReadPorts(node, field, arg);
    case FieldType::kDtype:
      return take(ArgType::kInt, OneDtype(node, reporter_));
    case FieldType::kDtypes:
      return take(ArgType::kDtypeMask, DtypeSet(node, reporter_));
    case FieldType::kEncodings:
      return take(ArgType::kEncMask, EncodingSet(node, reporter_));
    case FieldType::kArch:
      return node.is_scalar() && take(ArgType::kInt, symbols_.Arch(node, node.text, reporter_));
    case FieldType::kChoice:
      return ReadChoice(node, field, arg);
    case FieldType::kText: {
      const auto text = TextOf(node, absl::StrCat("`", Absl(field.name), "`"), reporter_);
      arg.type = ArgType::kString;
      arg.text = text.value_or("");
      return text.has_value();
    }
  }
  return false;
}

std::optional<Expr> ConstraintReader::ReadExpr(const Node& node, const Param* param) {
  if (param != nullptr) {
    if (const auto number = ParamNumber(node, *param)) {
      return Expr{{opdb::ExprCode::kConst, -1, -1, *number}};
    }
    // A bare word is meant to be one of the param's names.
    const bool word = node.is_scalar() && !node.text.empty() &&
                      node.text.find_first_of("([:+-*/ 0123456789") == std::string::npos &&
                      !node.text.starts_with("INT32_");
    if (word || !node.is_scalar()) {
      reporter_.At(node, ParamNumberError(node, *param));
      return std::nullopt;
    }
  }
  if (!node.is_scalar()) {
    reporter_.At(node, "must be a number or an expression");
    return std::nullopt;
  }
  auto expr = ParseExpr(node.text, symbols_);
  if (!expr.ok()) {
    reporter_.At(node, std::string(expr.status().message()));
    return std::nullopt;
  }
  return *std::move(expr);
}

bool ConstraintReader::ReadNumbers(const Node& node, const Field& field, const Param* param,
                                   Arg& arg) {
  const bool many = field.type == FieldType::kInts || field.type == FieldType::kExprs ||
                    field.type == FieldType::kDims || field.type == FieldType::kValues;
  const bool constant = field.type == FieldType::kInt || field.type == FieldType::kInts;
  if (node.is_list() && (!many || node.children.empty())) {
    reporter_.At(node, absl::StrCat("`", Absl(field.name), "` must be ",
                                    many ? "a number or a list of numbers" : "one number"));
    return false;
  }
  // Real params have real limits.
  if (param != nullptr && IsFloat(param->dtype) && !node.is_list() && !node.integer()) {
    if (const auto real = node.is_scalar() ? ParseFraction(node.text) : std::nullopt) {
      arg.type = ArgType::kReal;
      arg.d = *real;
      return true;
    }
  }
  bool all_constant = true;
  for (const Node* item : OneOrMany(node)) {
    auto expr = ReadExpr(*item, param);
    if (!expr) return false;
    const auto value = ConstantOf(*expr);
    if (constant && !value) {
      reporter_.At(*item, absl::StrCat("`", Absl(field.name), "` must be a whole number"));
      return false;
    }
    all_constant = all_constant && value.has_value();
    arg.ints.push_back(value.value_or(0));
    arg.exprs.push_back(*std::move(expr));
  }
  // One allowed value is a list of one.
  const bool set =
      field.key == ArgKey::kAllowed || field.key == ArgKey::kDenied || field.key == ArgKey::kIndex;
  if (node.is_list() || (many && set)) {
    arg.type = all_constant ? ArgType::kInts : ArgType::kExprs;
  } else {
    arg.type = all_constant ? ArgType::kInt : ArgType::kExpr;
    arg.i = arg.ints[0];
    arg.ints.clear();
  }
  if (all_constant) {
    arg.exprs.clear();
  } else {
    arg.ints.clear();
  }
  return true;
}

void ConstraintReader::ReadDefault(const Node& node, Constraint& out) {
  const Param* param = ParamOf(out);
  const bool said = std::any_of(out.args.begin(), out.args.end(),
                                [](const Arg& arg) { return arg.key == ArgKey::kEq; });
  if (param == nullptr || said) return;
  Arg arg;
  arg.key = ArgKey::kEq;
  if (param->default_ints.size() == 1 && param->rank < 0) {
    arg.i = param->default_ints[0];
  } else if (!param->default_ints.empty()) {
    arg.type = ArgType::kInts;
    arg.ints = param->default_ints;
  } else if (param->default_reals.size() == 1) {
    arg.type = ArgType::kReal;
    arg.d = param->default_reals[0];
  } else {
    reporter_.At(node, absl::StrCat("the default of ", param->name, " is not known"));
    return;
  }
  out.args.push_back(std::move(arg));
}

void ConstraintReader::ReadAlternatives(MapReader& fields, std::string_view subject,
                                        Constraint& out) {
  const Node* of = fields.need("of");
  if (of == nullptr) return;
  const bool lists = of->is_list() && of->children.size() >= 2 &&
                     std::all_of(of->children.begin(), of->children.end(), [](const Node& child) {
                       return child.is_list() && !child.children.empty();
                     });
  if (!lists) {
    reporter_.At(*of, "`any_of` must be a list of two or more lists of constraints");
    return;
  }
  for (const Node& list : of->children) {
    std::vector<Constraint> all;
    for (const Node& child : list.children) all.push_back(ReadInner(child, subject));
    out.alternatives.push_back(std::move(all));
  }
}

// `measured: undocumented`: from the first measured version on; `measured: {2.51: undocumented}`.
void ConstraintReader::ReadMeasured(MapReader& map, const Place& place, Constraint& out) {
  const Node* node = map.find("measured");
  if (node == nullptr) return;
  if (node->is_scalar()) {
    const auto first = place.evidence.FirstMeasured();
    if (!first) {
      reporter_.At(*node, "nothing was measured for this backend");
      return;
    }
    out.measured_since = *first;
    out.measured_consequence =
        OneConsequence(*node, reporter_).value_or(Consequence::kUndocumented);
    return;
  }
  if (!node->is_map() || node->children.size() != 1) {
    reporter_.At(*node, "`measured` must be a consequence, or a map of one SDK and a consequence");
    return;
  }
  Node sdk;
  sdk.kind = Node::Kind::kScalar;
  sdk.quoted = true;
  sdk.text = node->children[0].key;
  sdk.line = node->children[0].key_line;
  sdk.column = node->children[0].key_column;
  const auto since = symbols_.Sdk(sdk, reporter_);
  const auto then = OneConsequence(node->children[0], reporter_);
  if (!since || !then) return;
  out.measured_since = *since;
  out.measured_consequence = *then;
}

void ConstraintReader::ReadSources(MapReader& map, const Place& place, Constraint& out) {
  const bool untested = map.flag("untested").value_or(false);
  if (map.find("sources") != nullptr) {
    out.sources = symbols_.Sources(map, true);
    return;
  }
  out.sources =
      place.sources.empty() ? place.evidence.SourcesOf(place.section, untested) : place.sources;
  if (out.sources.empty()) {
    reporter_.At(map.node(), "no source follows from this section: name them in `sources`");
  }
}

void ConstraintReader::ReadGroups(MapReader& map, Constraint& out) {
  const Node* node = map.find("groups");
  if (node == nullptr) return;
  if (node->is_map() || node->is_null() || (node->is_list() && node->children.empty())) {
    reporter_.At(*node, "`groups` must be a group or a list of them");
    return;
  }
  const auto& known = symbols_.op().groups;
  out.groups = 0;
  for (const Node* item : OneOrMany(*node)) {
    const Node& child = *item;
    const auto it = std::find(known.begin(), known.end(), child.text);
    if (!child.is_scalar() || it == known.end()) {
      reporter_.At(child, absl::StrCat("unknown group ", Quoted(child.text), ": no row has it",
                                       DidYouMeanOf(child.text, known)));
      continue;
    }
    out.groups |= uint64_t{1} << (it - known.begin());
  }
}

}  // namespace quantgate::opdefs
