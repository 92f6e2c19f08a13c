#include "core/rules/support/op_sets.h"

#include <algorithm>
#include <optional>

namespace quantgate::rules {
namespace {

DtypeMask FixedPointMask() {
  DtypeMask mask = 0;
  for (int d = 0; d < kDtypeCount; ++d) {
    if (IsFixedPoint(static_cast<Dtype>(d))) mask |= MaskOf(static_cast<Dtype>(d));
  }
  return mask;
}

// Number of a param's value that is given by name or number.
std::optional<int64_t> ValueOf(const opdb::View& db, const opdb::OpRow& op, opdb::Tree param,
                               opdb::Tree value) {
  if (value.integer()) return value.integer();
  for (const opdb::ParamRow& row : db.get(op.params)) {
    if (db.str(row.name) != param.str()) continue;
    for (const opdb::EnumRow& named : db.get(row.values)) {
      if (db.str(named.name) == value.str()) return named.value;
    }
  }
  return std::nullopt;
}

}  // namespace

OpSets::OpSets(const opdb::View& db, const Target& target) {
  const opdb::BackendRow& backend = db.backends()[static_cast<size_t>(target.backend_index())];
  const DtypeMask fixed_point = FixedPointMask();
  for (const opdb::OpRow& row : db.get(backend.ops)) {
    OpInfo& info = ops_[db.str(row.name)];
    info.row = &row;
    const auto ports = db.get(row.ports);
    for (size_t i = 0; i < row.input_count; ++i) {
      if (db.str(ports[i].role) == "weight") info.weight = static_cast<int8_t>(i);
      if (db.str(ports[i].role) == "bias") info.bias = static_cast<int8_t>(i);
    }
    for (const opdb::VariantRow& variant : db.get(row.variants)) {
      if (!opdb::Covers(variant.range, target.knowledge_key(), target.arch_index())) continue;
      const auto masks = db.get(variant.dtypes);
      info.quantized |= !masks.empty() && (masks[0] & fixed_point) != 0;
    }
  }
  const opdb::Tree sets = db.Document("op_sets")["sets"];
  for (size_t i = 0; i < std::min(sets.size(), kMostSets); ++i) {
    const opdb::Tree set = sets.at(i);
    const SetMask bit = SetMask{1} << i;
    names_.push_back(set.key());
    const opdb::Tree members = set["ops"];
    for (size_t m = 0; m < members.size(); ++m) {
      const opdb::Tree member = members.at(m);
      if (member.type() == opdb::TreeType::kString) {
        ops_[member.str()].sets |= bit;
        continue;
      }
      OpInfo& info = ops_[member["op"].str()];
      if (info.row == nullptr) continue;
      const opdb::Tree values = member["values"];
      for (size_t v = 0; v < values.size(); ++v) {
        const auto value = ValueOf(db, *info.row, member["param"], values.at(v));
        if (value) info.by_param.push_back({bit, member["param"].str(), *value});
      }
    }
  }
}

SetMask OpSets::Bit(std::string_view set) const {
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == set) return SetMask{1} << i;
  }
  return 0;
}

SetMask OpSets::Bits(opdb::Tree names) const {
  SetMask bits = 0;
  for (size_t i = 0; i < names.size(); ++i) bits |= Bit(names.at(i).str());
  return bits;
}

const OpInfo& OpSets::Of(std::string_view op) const {
  static const OpInfo kUnknown;
  const auto at = ops_.find(op);
  return at == ops_.end() ? kUnknown : at->second;
}

SetMask OpSets::SetsOf(const OpInfo& info, const Node& node) const {
  SetMask sets = info.sets;
  for (const OpInfo::Member& member : info.by_param) {
    const Param* param = node.FindParam(member.param);
    if (param != nullptr && IntOf(param->value) == member.value) sets |= member.set;
  }
  return sets;
}

}  // namespace quantgate::rules
