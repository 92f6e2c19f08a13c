#include "core/database/encoding_rules.h"

#include <algorithm>
#include <bit>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/database/describe.h"
#include "core/database/kinds.h"

namespace quantgate::opdb {
namespace {

// Every form that a fixed-point tensor may be encoded in.
constexpr EncodingMask kAllForms =
    MaskOf(QnnEncoding::kScaleOffset) | MaskOf(QnnEncoding::kAxisScaleOffset) |
    MaskOf(QnnEncoding::kBwScaleOffset) | MaskOf(QnnEncoding::kBwAxisScaleOffset) |
    MaskOf(QnnEncoding::kBlock) | MaskOf(QnnEncoding::kBlockwiseExpansion);
// Those that use all bits of the dtype.
constexpr EncodingMask kFullWidth = MaskOf(QnnEncoding::kScaleOffset) |
                                    MaskOf(QnnEncoding::kAxisScaleOffset) |
                                    MaskOf(QnnEncoding::kBlock);

bool SpeaksOfEncodings(Kind kind) {
  switch (kind) {
    case Kind::kEncodings:
    case Kind::kQuantAxis:
    case Kind::kSigned:
    case Kind::kSymmetric:
    case Kind::kAsymmetric:
    case Kind::kSameEncoding:
    case Kind::kFixedEncoding:
    case Kind::kDtypes:
      return true;
    default:
      return false;
  }
}

// The members of a set of dtypes, all of them or none, satisfy a condition.
enum class Truth { kNo, kMaybe, kYes };

Truth Within(uint32_t set, uint32_t wanted) {
  if ((set & ~wanted) == 0) return Truth::kYes;
  return (set & wanted) == 0 ? Truth::kNo : Truth::kMaybe;
}

class Reader {
 public:
  Reader(const View& db, const OpRow& op, std::span<const DtypeMask> dtypes)
      : db_(db), op_(op), dtypes_(dtypes) {}

  // The encodings of `port` with which `row` certainly applies to it.
  EncodingMask Certain(const ConstraintRow& row, int port) const {
    EncodingMask certain = 0;
    for (EncodingMask left = kAllForms; left != 0; left &= left - 1) {
      const EncodingMask form = left & (~left + 1);
      const auto conds = db_.get(row.when);
      if (std::all_of(conds.begin(), conds.end(),
                      [&](const CondRow& cond) { return Holds(cond, port, form); })) {
        certain |= form;
      }
    }
    return certain;
  }

  const ArgRow* Find(const ConstraintRow& row, ArgKey key) const {
    for (const ArgRow& arg : db_.get(row.args)) {
      if (arg.key == key) return &arg;
    }
    return nullptr;
  }

  std::optional<int64_t> Int(const ConstraintRow& row, ArgKey key) const {
    const ArgRow* arg = Find(row, key);
    if (arg == nullptr) return std::nullopt;
    switch (arg->type) {
      case ArgType::kFlag:
      case ArgType::kInt:
      case ArgType::kPort:
      case ArgType::kDtypeMask:
      case ArgType::kEncMask:
        return arg->v.i;
      case ArgType::kExpr: {
        const auto expr = db_.get(Slice<ExprOp>{arg->a, arg->b});
        if (expr.size() == 1 && expr[0].code == ExprCode::kConst) return expr[0].value;
        return std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<double> Real(const ConstraintRow& row, ArgKey key) const {
    const ArgRow* arg = Find(row, key);
    if (arg != nullptr && arg->type == ArgType::kReal) return arg->v.d;
    if (const auto value = Int(row, key)) return static_cast<double>(*value);
    return std::nullopt;
  }

  std::string_view Word(const ConstraintRow& row, ArgKey key) const {
    const ArgRow* arg = Find(row, key);
    if (arg == nullptr || arg->type != ArgType::kString) return {};
    return db_.str(db_.get(Slice<Str>{arg->a, 1})[0]);
  }

 private:
  DtypeMask DtypesOf(int port) const {
    return port >= 0 && static_cast<size_t>(port) < dtypes_.size()
               ? dtypes_[static_cast<size_t>(port)]
               : 0;
  }

  // True where it holds for every node with these dtypes and this encoding of `own`.
  bool Holds(const CondRow& cond, int own, EncodingMask form) const {
    const int port = cond.port >= 0 ? cond.port : own;
    const DtypeMask dtypes = DtypesOf(port);
    switch (cond.key) {
      case CondKey::kDtype:
        return dtypes != 0 && Within(dtypes, cond.mask) == Truth::kYes;
      case CondKey::kDtypeNot:
        return dtypes != 0 && Within(dtypes, cond.mask) == Truth::kNo;
      case CondKey::kEncoding:
        return port == own && Within(form, cond.mask) == Truth::kYes;
      case CondKey::kBits: {
        // A tensor may use fewer bits than it has: known only where its encoding is.
        if (dtypes == 0 || (port == own && (form & kFullWidth) == 0)) return false;
        const auto bits = db_.get(cond.ints);
        for (DtypeMask left = dtypes; left != 0; left &= left - 1) {
          const int width = BitsOf(static_cast<Dtype>(std::countr_zero(left)));
          if (std::find(bits.begin(), bits.end(), width) == bits.end()) return false;
        }
        return true;
      }
      case CondKey::kPresent: {
        const bool required =
            (db_.get(op_.ports)[static_cast<size_t>(port)].flags & kPortOptional) == 0;
        const bool wanted = db_.get(cond.ints)[0] != 0;
        return wanted ? required && dtypes != 0 : dtypes == 0;
      }
      default:
        return false;  // shapes, params, values: not known here
    }
  }

  const View& db_;
  const OpRow& op_;
  std::span<const DtypeMask> dtypes_;
};

constexpr DtypeMask kUnsigned = MaskOf(Dtype::kUfixedPoint4) | MaskOf(Dtype::kUfixedPoint8) |
                                MaskOf(Dtype::kUfixedPoint16) | MaskOf(Dtype::kUfixedPoint32);

// The encodings that a constraint may be a rule for, by what its kind says of dtypes; the rest of
// `rule` by kind. `own`: the dtypes of the port.
EncodingMask FormsOf(const ConstraintRow& row, DtypeMask own, std::span<const DtypeMask> dtypes,
                     const Reader& reader, const Describer& describe, EncodingRule& rule) {
  const auto allowed = reader.Int(row, ArgKey::kAllowed);
  const auto denied = reader.Int(row, ArgKey::kDenied);
  // A set of dtypes or encodings, by kind.
  const uint32_t refused = static_cast<uint32_t>(denied.value_or(0)) |
                           (allowed ? ~static_cast<uint32_t>(*allowed) : 0);
  const auto if_all = [&](DtypeMask wanted) {
    return Within(own, wanted) == Truth::kYes ? kAllForms : EncodingMask{0};
  };
  switch (row.kind) {
    case Kind::kEncodings:
      rule.forbids = true;
      return refused;
    case Kind::kDtypes:
      rule.forbids = true;
      return if_all(refused);
    case Kind::kSigned:
      rule.forbids = true;
      return if_all(kUnsigned);
    case Kind::kQuantAxis:
      rule.axis = reader.Int(row, ArgKey::kAxis);
      return rule.axis ? kAllForms : 0;
    case Kind::kSameEncoding: {
      const auto as = reader.Int(row, ArgKey::kAs);
      rule.same_as = as ? describe.Port(static_cast<int>(*as)) : "";
      const std::string_view aspect = reader.Word(row, ArgKey::kAspect);
      rule.aspect = aspect.empty() ? "both" : std::string(aspect);
      return as && dtypes[static_cast<size_t>(*as)] != 0 ? kAllForms : 0;
    }
    case Kind::kFixedEncoding:
      rule.scale = reader.Real(row, ArgKey::kScale);
      rule.offset = reader.Int(row, ArgKey::kOffset);
      return kAllForms;
    default:
      return kAllForms;
  }
}

}  // namespace

std::vector<EncodingRule> EncodingRulesOf(const View& db, const BackendRow& backend,
                                          const OpRow& op, const Target& target, uint64_t groups,
                                          std::span<const DtypeMask> dtypes) {
  const Reader reader(db, op, dtypes);
  const Describer describe(db, backend, op);
  std::vector<EncodingRule> rules;
  for (const ConstraintRow& row : db.get(op.constraints)) {
    if (!SpeaksOfEncodings(row.kind) || row.port == kPortParam || (row.groups & groups) == 0 ||
        !Covers(row.range, target.knowledge_key(), target.arch_index())) {
      continue;
    }
    const int first = row.port == kPortAll ? 0 : row.port;
    const int last = row.port == kPortAll ? static_cast<int>(dtypes.size()) - 1 : row.port;
    for (int port = first; port <= last; ++port) {
      const DtypeMask own = dtypes[static_cast<size_t>(port)];
      EncodingMask forms = own != 0 ? reader.Certain(row, port) : 0;
      EncodingRule rule;
      rule.kind = std::string(RowOf(row.kind).name);
      forms &= FormsOf(row, own, dtypes, reader, describe, rule);
      if (forms == 0) continue;
      rule.port = describe.Port(port, row.element);
      rule.constraint = absl::StrCat(Absl(db.str(backend.name)), "/", Absl(db.str(op.name)), "/",
                                     Absl(db.str(row.id)));
      rule.encodings = EncodingNames(forms);
      rule.consequence =
          target.knowledge_key() >= row.measured_since ? row.measured_consequence : row.consequence;
      rules.push_back(std::move(rule));
    }
  }
  return rules;
}

}  // namespace quantgate::opdb
