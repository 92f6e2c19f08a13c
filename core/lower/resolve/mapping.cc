#include "core/lower/resolve/mapping.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"

namespace quantgate::mapping {
namespace {

absl::Status Fault(opdb::Tree at, std::string_view reason, std::string_view what = {}) {
  return absl::InvalidArgumentError(
      absl::StrCat(at.line(), ":", at.column(), ": ", std::string(reason), std::string(what)));
}

absl::Status CompileTo(opdb::Tree tree, Expr& out) {
  absl::StatusOr<Expr> expr = Expr::Compile(tree);
  if (!expr.ok()) return expr.status();
  out = *std::move(expr);
  return absl::OkStatus();
}

std::optional<Role> RoleNamed(std::string_view name) {
  if (name == "quantize") return Role::kQuantize;
  if (name == "dequantize") return Role::kDequantize;
  if (name == "constant") return Role::kConstant;
  if (name == "identity") return Role::kIdentity;
  return std::nullopt;
}

// The name of an operator's entry: both names of the default ONNX domain are one.
std::string EntryOf(std::string_view domain, std::string_view op) {
  const bool standard = domain.empty() || domain == "ai.onnx";
  return standard ? std::string(op) : absl::StrCat(std::string(domain), ".", std::string(op));
}

// What `unit` may be; null for another word.
bool* UnitFlag(std::string_view name, OpMapping& op) {
  if (name == "float") return &op.float_only;
  if (name == "same_input_dtypes") return &op.same_inputs;
  if (name == "float_output") return &op.open;
  if (name == "value_movement") return &op.passes;
  if (name == "stored_bias") return &op.stored_bias;
  if (name == "single_input") return &op.single_input;
  return nullptr;
}

// "in[2]" -> 2, "out[0]" -> -1.
std::optional<int16_t> PortNumber(std::string_view name) {
  const bool input = name.starts_with("in[");
  if ((!input && !name.starts_with("out[")) || !name.ends_with("]")) return std::nullopt;
  name.remove_prefix(input ? 3 : 4);
  name.remove_suffix(1);
  int16_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size() || number < 0) {
    return std::nullopt;
  }
  return input ? number : static_cast<int16_t>(-1 - number);
}

absl::Status ReadDtype(opdb::Tree entry, Dtype& out) {
  const std::optional<Dtype> dtype = DtypeFromName(entry.str());
  if (!dtype) return Fault(entry, "unknown dtype ", entry.str());
  out = *dtype;
  return absl::OkStatus();
}

// A key of a port that doesn't say where it comes from.
absl::Status CompilePortKey(opdb::Tree entry, PortSpec& out) {
  const std::string_view key = entry.key();
  if (key == "requantize") return ReadDtype(entry, out.requantize);
  if (key == "requantize_from") return ReadDtype(entry, out.requantize_from);
  if (key == "dtype") return ReadDtype(entry, out.dtype);
  if (key == "wrap") return CompileTo(entry, out.wrap);
  if (key == "times") return CompileTo(entry, out.times);
  if (key == "dims") return CompileTo(entry, out.dims);
  if (key == "layout") {
    out.layout = entry.str() == "channels_last" ? Layout::kChannelsLast : Layout::kExpr;
    return out.layout == Layout::kExpr ? CompileTo(entry, out.perm) : absl::OkStatus();
  }
  if (key == "unsqueeze") {
    const std::optional<int64_t> at = entry.integer();
    if (!at || *at < 0 || *at > 8) return Fault(entry, "not a dimension");
    out.unsqueeze = static_cast<int8_t>(*at);
    return absl::OkStatus();
  }
  if (key == "like") {
    const std::optional<int16_t> port = PortNumber(entry.str());
    if (!port) return Fault(entry, "not a port: ", entry.str());
    out.like = *port;
    return absl::OkStatus();
  }
  return Fault(entry, "unknown key ", key);
}

absl::Status CompilePort(opdb::Tree tree, std::vector<std::string_view>& temps, PortSpec& out) {
  if (const std::optional<int64_t> number = tree.integer()) {
    out.index = static_cast<int32_t>(*number);
    return absl::OkStatus();
  }
  if (tree.type() != opdb::TreeType::kMap) return Fault(tree, "a port is a number or a map");
  bool has_source = false;
  for (size_t i = 0; i < tree.size(); ++i) {
    const opdb::Tree entry = tree.at(i);
    const std::string_view key = entry.key();
    if (key == "from" || key == "all_from") {
      out.source = key == "from" ? PortSpec::Source::kFile : PortSpec::Source::kRest;
      const std::optional<int64_t> number = entry.integer();
      if (!number || *number < 0 || *number > 255) return Fault(entry, "not a port number");
      out.index = static_cast<int32_t>(*number);
      has_source = true;
    } else if (key == "temp") {
      out.source = PortSpec::Source::kTemp;
      out.name = entry.str();
      const auto at = std::find(temps.begin(), temps.end(), out.name);
      out.index = static_cast<int32_t>(at - temps.begin());
      if (at == temps.end()) temps.push_back(out.name);
      has_source = true;
    } else if (key == "const") {
      out.source = PortSpec::Source::kConst;
      if (entry.type() != opdb::TreeType::kBool) {
        if (absl::Status s = CompileTo(entry, out.number); !s.ok()) return s;
      }
      has_source = true;
    } else if (key == "fused_addend") {
      out.source = PortSpec::Source::kAdded;
      has_source = true;
    } else if (absl::Status s = CompilePortKey(entry, out); !s.ok()) {
      return s;
    }
  }
  if (!has_source)
    return Fault(tree, "a port needs one of from, all_from, temp, const, fused_addend");
  return absl::OkStatus();
}

absl::Status CompileClamp(opdb::Tree entry, OpMapping& out) {
  out.clamp = true;
  for (const auto& [key, bound] : {std::pair("min", &out.clamp_min), {"max", &out.clamp_max}}) {
    if (!entry[key]) continue;
    if (absl::Status s = CompileTo(entry[key], *bound); !s.ok()) return s;
  }
  return absl::OkStatus();
}

// A key of an operator that doesn't say what it becomes.
absl::Status CompileOpKey(opdb::Tree entry, OpMapping& out) {
  const std::string_view key = entry.key();
  if (key == "clamp") return CompileClamp(entry, out);
  if (key == "constant_value") return CompileTo(entry, out.fold);
  if (key == "identity_when") return CompileTo(entry, out.unchanged);
  if (key == "role") {
    const std::optional<Role> role = RoleNamed(entry.str());
    if (!role) return Fault(entry, "unknown role ", entry.str());
    out.role = *role;
  } else if (key == "bias" || key == "weight") {
    const std::optional<int64_t> port = entry.integer();
    if (!port || *port < 0 || *port > 255) return Fault(entry, "not a port number");
    (key == "bias" ? out.bias : out.weight) = static_cast<int16_t>(*port);
  } else if (key == "weight_axes") {
    if (absl::Status s = CompileTo(entry["channel"], out.weight_channel_axis); !s.ok()) return s;
    return CompileTo(entry["block"], out.weight_block_axis);
  } else if (key == "fused_add") {
    out.adds = entry.str();
  } else if (key == "convert_op") {
    out.convert = entry.str();
  } else if (key == "unknown_inside") {
    out.unknown_inside = entry.str();
  } else if (key == "quantized_scalars") {
    out.quantized_scalars = entry.flag().value_or(false);
  } else if (key == "unit") {
    bool* const flag = UnitFlag(entry.str(), out);
    if (flag == nullptr) {
      return Fault(entry,
                   "unit is float, same_input_dtypes, float_output, value_movement, stored_bias or single_input, not ",
                   entry.str());
    }
    *flag = true;
  } else if (key == "attribute_defaults") {
    for (size_t j = 0; j < entry.size(); ++j) {
      auto& [name, value] = out.attributes.emplace_back();
      name = entry.at(j).key();
      if (absl::Status s = CompileTo(entry.at(j), value); !s.ok()) return s;
    }
  } else {
    return Fault(entry, "unknown key ", key);
  }
  return absl::OkStatus();
}

absl::Status CompilePorts(opdb::Tree tree, std::vector<std::string_view>& temps,
                          std::vector<PortSpec>& out) {
  if (tree.type() != opdb::TreeType::kList) return Fault(tree, "a list of ports is expected");
  for (size_t i = 0; i < tree.size(); ++i) {
    if (absl::Status s = CompilePort(tree.at(i), temps, out.emplace_back()); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace

bool OpMapping::IsTranslated() const {
  return std::any_of(cases.begin(), cases.end(), [](const Case& c) { return c.refused.empty(); });
}

const Expr* OpMapping::Default(std::string_view attribute) const {
  for (const auto& [name, value] : attributes) {
    if (name == attribute) return &value;
  }
  return nullptr;
}

Mapping::Mapping(const opdb::View& database, std::string_view document, const opdb::BackendRow* ops)
    : database_(&database),
      backend_(ops),
      ops_(database.Document(document)["ops"]),
      borders_(database.Document(document)["boundary_ops"]),
      identities_(database.Document(document)["identity_conversions"]) {}

const OpMapping* Mapping::Find(std::string_view domain, std::string_view op) {
  const std::string name = EntryOf(domain, op);
  const auto [it, added] = compiled_.try_emplace(name);
  if (added) {
    if (const opdb::Tree tree = ops_[name]) it->second = Compile(tree);
  }
  return it->second.get();
}

Role Mapping::RoleOf(std::string_view domain, std::string_view op) const {
  const std::optional<Role> role = RoleNamed(ops_[EntryOf(domain, op)]["role"].str());
  return role.value_or(Role::kOp);
}

const OpMapping* Mapping::IdentityConversion(std::string_view kind) {
  const std::string_view name = identities_[kind].str();
  return name.empty() ? nullptr : Find("", name);
}

std::vector<std::string_view> Mapping::Names() const {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < ops_.size(); ++i) names.push_back(ops_.at(i).key());
  return names;
}

std::string_view Mapping::OpOfRole(std::string_view role) const {
  for (size_t i = 0; i < ops_.size(); ++i) {
    if (ops_.at(i)["role"].str() == role) return ops_.at(i)["to"].str();
  }
  return borders_[role].str();
}

std::unique_ptr<OpMapping> Mapping::Compile(opdb::Tree tree) const {
  auto result = std::make_unique<OpMapping>();
  if (absl::Status status = CompileOp(tree, *result); !status.ok()) {
    *result = {};
    result->error = std::string(status.message());
  }
  return result;
}

absl::Status Mapping::CompileOp(opdb::Tree tree, OpMapping& out) const {
  if (tree.type() == opdb::TreeType::kString) {  // Add: ElementWiseAdd
    Step& step = out.cases.emplace_back().steps.emplace_back();
    step.op = tree.str();
    return absl::OkStatus();
  }
  if (tree.type() != opdb::TreeType::kMap) return Fault(tree, "an op name or a map is expected");
  for (size_t i = 0; i < tree.size(); ++i) {
    const opdb::Tree entry = tree.at(i);
    const std::string_view key = entry.key();
    if (key == "cases") {
      if (entry.type() != opdb::TreeType::kList) return Fault(entry, "a list is expected");
      for (size_t j = 0; j < entry.size(); ++j) {
        if (absl::Status s = CompileCase(entry.at(j), out.cases.emplace_back()); !s.ok()) return s;
      }
    } else if (key != "to" && key != "inputs" && key != "outputs" && key != "params" &&
               key != "steps" && key != "refused" && key != "unchecked") {
      if (absl::Status s = CompileOpKey(entry, out); !s.ok()) return s;
    }
  }
  if (out.cases.empty() && (tree["to"] || tree["steps"] || tree["refused"] || tree["unchecked"])) {
    return CompileCase(tree, out.cases.emplace_back());
  }
  if (out.cases.empty() && out.role == Role::kOp)
    return Fault(tree, "no case says what it becomes");
  return absl::OkStatus();
}

absl::Status Mapping::CompileCase(opdb::Tree tree, Case& out) const {
  if (tree.type() != opdb::TreeType::kMap) return Fault(tree, "a map is expected");
  if (tree["when"]) {
    if (absl::Status s = CompileTo(tree["when"], out.when); !s.ok()) return s;
  }
  out.refused = tree["refused"].str();
  out.unchecked = tree["unchecked"].str();
  std::vector<std::string_view> temps;
  if (const opdb::Tree steps = tree["steps"]) {
    for (size_t i = 0; i < steps.size(); ++i) {
      if (absl::Status s = CompileStep(steps.at(i), temps, out.steps.emplace_back()); !s.ok()) {
        return s;
      }
    }
  } else if (tree["to"]) {
    if (absl::Status s = CompileStep(tree, temps, out.steps.emplace_back()); !s.ok()) return s;
  }
  out.temps = static_cast<int32_t>(temps.size());
  if (out.steps.empty() && out.refused.empty() && out.unchecked.empty()) {
    return Fault(tree, "a case needs one of to, steps, refused, unchecked");
  }
  return absl::OkStatus();
}

absl::Status Mapping::CompileStep(opdb::Tree tree, std::vector<std::string_view>& temps,
                                  Step& out) const {
  out.op = tree["to"].str();
  if (out.op.empty()) return Fault(tree, "a step needs `to`");
  if (const opdb::Tree inputs = tree["inputs"]) {
    out.all_inputs = false;
    if (absl::Status s = CompilePorts(inputs, temps, out.inputs); !s.ok()) return s;
  }
  if (const opdb::Tree outputs = tree["outputs"]) {
    out.all_outputs = false;
    if (absl::Status s = CompilePorts(outputs, temps, out.outputs); !s.ok()) return s;
  }
  const int op = backend_ != nullptr ? database_->FindOp(*backend_, out.op) : -1;
  const opdb::OpRow* row =
      op >= 0 ? &database_->get(backend_->ops)[static_cast<size_t>(op)] : nullptr;
  const opdb::Tree params = tree["params"];
  for (size_t i = 0; i < params.size(); ++i) {
    const opdb::Tree entry = params.at(i);
    ParamSpec& param = out.params.emplace_back();
    param.name = entry.key();
    if (param.name.ends_with('?')) {
      param.optional = true;
      param.name.remove_suffix(1);
    }
    if (absl::Status s = CompileTo(entry, param.value); !s.ok()) return s;
    if (row == nullptr) continue;
    for (const opdb::ParamRow& known : database_->get(row->params)) {
      if (database_->str(known.name) != param.name) continue;
      param.dtype = known.dtype;
      param.tensor = known.rank > 0;
      param.values = database_->get(known.values);
    }
  }
  return absl::OkStatus();
}

}  // namespace quantgate::mapping
