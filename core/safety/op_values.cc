#include "core/safety/op_values.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/lower/resolve/file_scope.h"

namespace quantgate::fix {
namespace {

using Kind = ValueEffect::Kind;
using mapping::Role;

Kind KindOf(std::string_view values) {
  if (values == "moved") return Kind::kMoved;
  if (values == "averaged") return Kind::kAveraged;
  if (values == "cut") return Kind::kCut;
  return values == "bounded" ? Kind::kBounded : Kind::kUnknown;
}

// Numbers of a param's named values, in the first backend that has the op.
std::vector<int64_t> NumbersOf(const opdb::View& db, std::string_view op, std::string_view param,
                               const std::vector<std::string_view>& names) {
  std::vector<int64_t> numbers;
  for (const opdb::BackendRow& backend : db.backends()) {
    const int at = db.FindOp(backend, op);
    if (at < 0) continue;
    for (const opdb::ParamRow& row : db.get(db.get(backend.ops)[static_cast<size_t>(at)].params)) {
      if (db.str(row.name) != param) continue;
      for (const opdb::EnumRow& value : db.get(row.values)) {
        if (std::find(names.begin(), names.end(), db.str(value.name)) != names.end()) {
          numbers.push_back(value.value);
        }
      }
    }
    if (!numbers.empty()) break;
  }
  return numbers;
}

// One effect after another.
ValueEffect Then(const ValueEffect& first, const ValueEffect& next) {
  if (next.kind == Kind::kBounded || first.kind == Kind::kMoved) return next;
  if (next.kind == Kind::kMoved) {
    // Moving may bring in a 0.
    ValueEffect both = first;
    both.low = std::min(both.low, 0.0);
    both.high = std::max(both.high, 0.0);
    return first.kind == Kind::kBounded    ? both
           : first.kind == Kind::kAveraged ? first
                                           : ValueEffect{};
  }
  if (first.kind == Kind::kAveraged && next.kind == Kind::kAveraged) return next;
  return {};
}

// A bound of an activation: a number, none, or not known.
bool Bound(const mapping::Expr& expr, const mapping::Scope& scope, double& bound) {
  if (expr.empty()) return true;
  const mapping::Value value = expr.Eval(scope);
  if (value.null()) return value.why == mapping::Value::Why::kAbsent;
  const std::optional<double> number = value.AsReal();
  if (number) bound = *number;
  return number.has_value();
}

}  // namespace

OpValues::OpValues(const opdb::View& database, Dialect dialect) {
  if (dialect != Dialect::kQnn) {
    mapping_ = std::make_unique<mapping::Mapping>(
        database, absl::StrCat("resolve/", std::string(DialectName(dialect))), nullptr);
  }
  const opdb::Tree sets = database.Document("op_sets")["sets"];
  for (size_t i = 0; i < sets.size(); ++i) {
    const opdb::Tree set = sets.at(i);
    const Kind kind = KindOf(set["values"].str());
    if (kind == Kind::kUnknown) continue;
    const opdb::Tree ops = set["ops"];
    for (size_t m = 0; m < ops.size(); ++m) {
      const opdb::Tree op = ops.at(m);
      Member member{kind, ReadEnd(set["low"]), ReadEnd(set["high"])};
      if (op.type() == opdb::TreeType::kString) {
        members_[op.str()].push_back(std::move(member));
        continue;
      }
      member.param = op["param"].str();
      const opdb::Tree values = op["values"];
      for (size_t v = 0; v < values.size(); ++v) member.names.push_back(values.at(v).str());
      member.numbers = NumbersOf(database, op["op"].str(), member.param, member.names);
      members_[op["op"].str()].push_back(std::move(member));
    }
  }
}

std::optional<OpValues::End> OpValues::ReadEnd(opdb::Tree value) {
  if (!value) return std::nullopt;
  if (const std::optional<double> number = value.real()) return End{*number, {}};
  return End{0, value.str()};
}

Role OpValues::RoleOf(const Node& node) const {
  return mapping_ ? mapping_->RoleOf(node.domain, node.op) : Role::kOp;
}

ValueEffect OpValues::OfOp(std::string_view op, const Settings& settings) const {
  const auto known = members_.find(op);
  if (known == members_.end()) return {};
  for (const Member& member : known->second) {
    if (!member.param.empty()) {
      const Setting setting = settings(member.param);
      const auto& names = member.names;
      const auto& numbers = member.numbers;
      const bool named = std::find(names.begin(), names.end(), setting.name) != names.end();
      const bool numbered =
          setting.number && std::any_of(numbers.begin(), numbers.end(), [&](int64_t number) {
            return static_cast<double>(number) == *setting.number;
          });
      if (!named && !numbered) continue;
    }
    ValueEffect effect;
    effect.kind = member.kind;
    // False where the param doesn't say it.
    const auto set = [&](const std::optional<End>& end, double& out) {
      if (!end) return true;
      const std::optional<double> number =
          end->param.empty() ? end->number : settings(end->param).number;
      out = number.value_or(out);
      return number.has_value();
    };
    if (set(member.low, effect.low) && set(member.high, effect.high)) return effect;
  }
  return {};
}

ValueEffect OpValues::OfMapped(const Model& model, const Node& node,
                               const mapping::OpMapping& op) const {
  const FileScope scope(model, node, op);
  if (op.clamp) {
    ValueEffect cut;
    cut.kind = Kind::kCut;
    const bool known = Bound(op.clamp_min, scope, cut.low) && Bound(op.clamp_max, scope, cut.high);
    return known ? cut : ValueEffect{};
  }
  for (const mapping::Case& chosen : op.cases) {
    if (!chosen.when.empty() && !chosen.when.Eval(scope).True()) continue;
    ValueEffect all{Kind::kMoved};
    for (const mapping::Step& step : chosen.steps) {
      all = Then(all, OfOp(step.op, [&](std::string_view param) {
                   Setting setting;
                   for (const mapping::ParamSpec& spec : step.params) {
                     if (spec.name != param) continue;
                     const mapping::Value value = spec.value.Eval(scope);
                     setting.number = value.AsReal();
                     if (value.type == mapping::Value::Type::kText) setting.name = value.text;
                   }
                   return setting;
                 }));
    }
    return chosen.steps.empty() ? ValueEffect{} : all;
  }
  return {};
}

ValueEffect OpValues::Of(const Model& model, const Node& node) const {
  if (mapping_ == nullptr || model.DialectOf(node) == Dialect::kQnn) {
    return OfOp(node.op, [&](std::string_view param) {
      Setting setting;
      if (const Param* found = node.FindParam(param)) {
        setting.number = RealOf(found->value);
        if (const auto whole = IntOf(found->value)) setting.number = static_cast<double>(*whole);
      }
      return setting;
    });
  }
  const mapping::OpMapping* op = mapping_->Find(node.domain, node.op);
  if (op == nullptr || !op->error.empty()) return {};
  if (op->role == Role::kIdentity) return {Kind::kMoved};
  return op->role == Role::kOp ? OfMapped(model, node, *op) : ValueEffect{};
}

}  // namespace quantgate::fix
