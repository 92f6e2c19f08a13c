#include "core/knowledge/precision.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>

namespace quantgate::views {
namespace {

using opdb::ArgKey;
using opdb::ArgRow;
using opdb::CondKey;
using opdb::CondRow;
using opdb::ConstraintRow;
using opdb::Kind;
using opdb::OpRow;
using opdb::Tree;
using opdb::View;

std::vector<std::string> Texts(const Tree& list) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < list.size(); ++i) texts.emplace_back(list.at(i).str());
  return texts;
}

DtypeMask Dtypes(const Tree& list) {
  DtypeMask mask = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (const auto dtype = DtypeFromShortName(list.at(i).str())) mask |= MaskOf(*dtype);
  }
  return mask;
}

std::vector<QnnEncoding> Encodings(const Tree& list) {
  std::vector<QnnEncoding> encodings;
  for (size_t i = 0; i < list.size(); ++i) {
    for (int e = 0; e < kQnnEncodingCount; ++e) {
      if (QnnEncodingShortName(static_cast<QnnEncoding>(e)) == list.at(i).str()) {
        encodings.push_back(static_cast<QnnEncoding>(e));
      }
    }
  }
  return encodings;
}

constexpr DtypeMask kFixed = MaskOf(Dtype::kSfixedPoint4) | MaskOf(Dtype::kSfixedPoint8) |
                             MaskOf(Dtype::kSfixedPoint16) | MaskOf(Dtype::kSfixedPoint32) |
                             MaskOf(Dtype::kUfixedPoint4) | MaskOf(Dtype::kUfixedPoint8) |
                             MaskOf(Dtype::kUfixedPoint16) | MaskOf(Dtype::kUfixedPoint32);
constexpr DtypeMask kSigned = MaskOf(Dtype::kSfixedPoint4) | MaskOf(Dtype::kSfixedPoint8) |
                              MaskOf(Dtype::kSfixedPoint16) | MaskOf(Dtype::kSfixedPoint32);

bool Within(DtypeMask mask, DtypeMask of) { return mask != 0 && (mask & ~of) == 0; }

// The storage bits that all dtypes of a mask have, 0 where they differ.
int CommonBits(DtypeMask mask) {
  int bits = 0;
  for (int i = 0; i < kDtypeCount; ++i) {
    if ((mask >> i & 1) == 0) continue;
    const int own = BitsOf(static_cast<Dtype>(i));
    if (bits != 0 && own != bits) return 0;
    bits = own;
  }
  return bits;
}

// What is known of a node without looking at one: a dtype set per port, an encoding of the
// weights.
class Sketch {
 public:
  Sketch(const PrecisionTable& table, const View& db, const OpRow& op)
      : table_(table), db_(db), op_(op), ports_(db.get(op.ports)), masks_(ports_.size()) {
    for (const opdb::PortRow& port : ports_) weight_.push_back(table.IsWeight(port));
  }

  // Narrows the row to the precision; false where it doesn't take it. `inputs` = false looks at
  // the outputs alone: ops that change the type of what they get.
  bool Narrow(const opdb::VariantRow& row, const PrecisionClass& precision, bool inputs) {
    const auto dtypes = db_.get(row.dtypes);
    bool any = false;
    for (size_t i = 0; i < ports_.size(); ++i) {
      masks_[i] = dtypes[i];
      if ((ports_[i].flags & opdb::kPortOptional) != 0 || dtypes[i] == 0) continue;
      if (!inputs && i < op_.input_count) continue;
      if (weight_[i]) {
        masks_[i] &= precision.weight;
        if (masks_[i] == 0) return false;
      } else if (table_.IsData(ports_[i])) {
        if ((dtypes[i] & precision.data) != 0) {
          masks_[i] &= precision.data;
          any = true;
        } else if ((dtypes[i] & table_.plain()) != 0) {
          masks_[i] &= table_.plain();
        } else {
          return false;
        }
      }
    }
    return any;
  }

  // Where rows are lists per port: one port at most has a choice, or all that have one take the
  // same (core/validate/check_node.cc says the same of given dtypes).
  bool StatedTogether(const opdb::VariantRow& row) const {
    const auto dtypes = db_.get(row.dtypes);
    DtypeMask same = ~DtypeMask{0};
    int choices = 0;
    for (size_t i = 0; i < ports_.size(); ++i) {
      if ((ports_[i].flags & opdb::kPortOptional) != 0) continue;
      if (std::popcount(dtypes[i]) < 2) continue;
      same &= masks_[i];
      ++choices;
    }
    return choices <= 1 || same != 0;
  }

  // Whether breaking the constraint is sure, whatever shapes, params and values there are.
  bool SurelyBreaks(const ConstraintRow& row, QnnEncoding encoding, int bits, int arch) const {
    if (row.port >= 0) return BreaksAt(row, static_cast<size_t>(row.port), encoding, bits, arch);
    if (row.port != opdb::kPortAll) return false;
    for (size_t i = 0; i < ports_.size(); ++i) {
      if ((ports_[i].flags & opdb::kPortOptional) == 0 && BreaksAt(row, i, encoding, bits, arch)) {
        return true;
      }
    }
    return false;
  }

 private:
  // Nothing where more than one is possible.
  std::optional<QnnEncoding> EncodingAt(size_t port, QnnEncoding of_weights) const {
    if (masks_[port] == 0) return std::nullopt;
    if ((masks_[port] & kFixed) == 0) return QnnEncoding::kUndefined;
    if (!Within(masks_[port], kFixed)) return std::nullopt;
    return weight_[port] ? of_weights : QnnEncoding::kScaleOffset;
  }
  int BitsAt(size_t port, int of_weights) const {
    return weight_[port] && of_weights > 0 ? of_weights : CommonBits(masks_[port]);
  }

  bool SurelyHolds(const CondRow& cond, size_t own, QnnEncoding encoding, int bits) const {
    const size_t port = cond.port >= 0 ? static_cast<size_t>(cond.port) : own;
    const DtypeMask mask = masks_[port];
    switch (cond.key) {
      case CondKey::kDtype:
        return Within(mask, cond.mask);
      case CondKey::kDtypeNot:
        return mask != 0 && (mask & cond.mask) == 0;
      case CondKey::kBits: {
        const auto wanted = db_.get(cond.ints);
        return std::find(wanted.begin(), wanted.end(), BitsAt(port, bits)) != wanted.end();
      }
      case CondKey::kEncoding: {
        const auto known = EncodingAt(port, encoding);
        return known && (MaskOf(*known) & cond.mask) != 0;
      }
      default:
        return false;
    }
  }

  const ArgRow* Find(const ConstraintRow& row, ArgKey key) const {
    for (const ArgRow& arg : db_.get(row.args)) {
      if (arg.key == key) return &arg;
    }
    return nullptr;
  }

  bool Lists(const ArgRow& arg, int64_t value) const {
    if (arg.type != opdb::ArgType::kInts) return arg.v.i == value;
    const auto values = db_.get(opdb::Slice<int64_t>{arg.a, arg.b});
    return std::find(values.begin(), values.end(), value) != values.end();
  }

  bool BreaksAt(const ConstraintRow& row, size_t port, QnnEncoding encoding, int bits,
                int arch) const {
    for (const CondRow& cond : db_.get(row.when)) {
      if (!SurelyHolds(cond, port, encoding, bits)) return false;
    }
    const DtypeMask mask = masks_[port];
    const ArgRow* allowed = Find(row, ArgKey::kAllowed);
    const ArgRow* denied = Find(row, ArgKey::kDenied);
    switch (row.kind) {
      case Kind::kDtypes: {
        if (mask == 0) return false;
        if (allowed != nullptr && (mask & static_cast<DtypeMask>(allowed->v.i)) == 0) return true;
        return denied != nullptr && Within(mask, static_cast<DtypeMask>(denied->v.i));
      }
      case Kind::kEncodings: {
        const auto known = EncodingAt(port, encoding);
        if (!known || *known == QnnEncoding::kUndefined) return false;
        const EncodingMask one = MaskOf(*known);
        if (allowed != nullptr && (static_cast<EncodingMask>(allowed->v.i) & one) == 0) return true;
        return denied != nullptr && (static_cast<EncodingMask>(denied->v.i) & one) != 0;
      }
      case Kind::kBitWidth: {
        const int known = BitsAt(port, bits);
        if (known == 0 || !Within(mask, kFixed)) return false;
        if (allowed != nullptr && !Lists(*allowed, known)) return true;
        return denied != nullptr && Lists(*denied, known);
      }
      case Kind::kPeerDtype: {
        const ArgRow* peer = Find(row, ArgKey::kPeer);
        if (peer == nullptr || peer->v.i < 0) return false;
        const DtypeMask other = masks_[static_cast<size_t>(peer->v.i)];
        if (other == 0) return false;
        if (const ArgRow* wanted = Find(row, ArgKey::kBits)) {
          const int known = CommonBits(other);
          return known != 0 && known != wanted->v.i;
        }
        const ArgRow* dtypes = Find(row, ArgKey::kDtypes);
        return dtypes != nullptr && (other & static_cast<DtypeMask>(dtypes->v.i)) == 0;
      }
      case Kind::kSigned:
        return mask != 0 && (mask & kSigned) == 0 && Within(mask, kFixed);
      case Kind::kMinArch: {
        const ArgRow* oldest = Find(row, ArgKey::kArch);
        return oldest != nullptr && arch < oldest->v.i;
      }
      default:
        return false;
    }
  }

  const PrecisionTable& table_;
  const View& db_;
  const OpRow& op_;
  const std::span<const opdb::PortRow> ports_;
  std::vector<DtypeMask> masks_;
  std::vector<bool> weight_;
};

bool Decides(Kind kind) {
  switch (kind) {
    case Kind::kDtypes:
    case Kind::kEncodings:
    case Kind::kBitWidth:
    case Kind::kPeerDtype:
    case Kind::kSigned:
    case Kind::kMinArch:
      return true;
    default:
      return false;
  }
}

// Encodings and bit widths that the data names for the weights: in a condition or among the
// allowed ones. What is named nowhere is not known to be supported.
struct Named {
  EncodingMask encodings = 0;
  uint64_t bits = 0;
  bool widths_listed = false;  // among the allowed ones: others aren't supported
};

class OpPrecisions {
 public:
  OpPrecisions(const PrecisionTable& table, const View& db, const opdb::BackendRow& backend,
               const OpRow& op, SdkKey sdk, int arch, opdb::FeatureMask lacks)
      : table_(table),
        db_(db),
        backend_(backend),
        op_(op),
        sdk_(sdk),
        arch_(arch),
        lacks_(lacks),
        sketch_(table, db, op) {
    for (const ConstraintRow& row : db.get(op.constraints)) {
      if (!opdb::Covers(row.range, sdk, arch)) continue;
      Name(row);
      if (Decides(row.kind)) deciding_.push_back(&row);
    }
  }

  std::vector<TakenPrecision> Run() {
    std::vector<TakenPrecision> taken = Match(true);
    if (taken.empty()) taken = Match(false);
    return taken;
  }

 private:
  void Name(const ConstraintRow& row) {
    const auto ports = db_.get(op_.ports);
    const auto weight = [&](int port) {
      return port >= 0 && table_.IsWeight(ports[static_cast<size_t>(port)]);
    };
    for (const CondRow& cond : db_.get(row.when)) {
      if (!weight(cond.port >= 0 ? cond.port : row.port)) continue;
      if (cond.key == CondKey::kEncoding) named_.encodings |= cond.mask;
      if (cond.key == CondKey::kBits) {
        for (const int64_t bits : db_.get(cond.ints)) NameBits(bits);
      }
    }
    if (!weight(row.port)) return;
    for (const ArgRow& arg : db_.get(row.args)) {
      if (arg.key != ArgKey::kAllowed) continue;
      if (row.kind == Kind::kEncodings) named_.encodings |= static_cast<EncodingMask>(arg.v.i);
      if (row.kind != Kind::kBitWidth) continue;
      named_.widths_listed = true;
      if (arg.type == opdb::ArgType::kInts) {
        for (const int64_t bits : db_.get(opdb::Slice<int64_t>{arg.a, arg.b})) NameBits(bits);
      } else {
        NameBits(arg.v.i);
      }
    }
  }
  void NameBits(int64_t bits) {
    if (bits > 0 && bits < 64) named_.bits |= uint64_t{1} << bits;
  }

  std::vector<TakenPrecision> Match(bool inputs) {
    const bool weighted = HasWeight(table_, db_, op_);
    std::vector<TakenPrecision> result;
    for (size_t p = 0; p < table_.precisions().size(); ++p) {
      if (table_.precisions()[p].needs_weight && !weighted) continue;
      TakenPrecision taken = Take(p, inputs);
      if (!taken.variants.empty()) result.push_back(std::move(taken));
    }
    return result;
  }

  // The rows with the best verdict.
  TakenPrecision Take(size_t precision, bool inputs) {
    const PrecisionClass& wanted = table_.at(precision);
    TakenPrecision taken{precision, Consequence::kUnchecked, false, {}};
    const auto variants = db_.get(op_.variants);
    for (size_t v = 0; v < variants.size(); ++v) {
      const opdb::VariantRow& row = variants[v];
      if (!opdb::Covers(row.range, sdk_, arch_) || (row.needs & lacks_) != 0 ||
          !sketch_.Narrow(row, wanted, inputs)) {
        continue;
      }
      Consequence verdict =
          sdk_ < row.undocumented_until ? Consequence::kUndocumented : row.consequence;
      if (sdk_ < backend_.tuples_since && !sketch_.StatedTogether(row)) {
        verdict = Worse(verdict, Consequence::kUndocumented);
      }
      verdict = Worse(verdict, OfConstraints(row, wanted));
      if (verdict >= Consequence::kWrongValues) continue;
      // Slower or less accurate is supported all the same.
      if (verdict == Consequence::kAdvice) verdict = Consequence::kAccepted;
      if (verdict < taken.verdict) {
        taken.variants.clear();
        taken.measured = false;
      }
      if (verdict > taken.verdict) continue;
      taken.verdict = verdict;
      taken.variants.push_back(v);
      taken.measured = taken.measured || Measured(row);
    }
    return taken;
  }

  // Of the kindest encoding.
  Consequence OfConstraints(const opdb::VariantRow& row, const PrecisionClass& wanted) const {
    static constexpr QnnEncoding kUsual[] = {QnnEncoding::kScaleOffset,
                                             QnnEncoding::kAxisScaleOffset};
    const bool special = !wanted.encodings.empty();
    const std::span<const QnnEncoding> encodings =
        special ? std::span<const QnnEncoding>(wanted.encodings) : kUsual;
    // An encoding with a bit width that is listed as supported, while no widths are listed.
    Consequence least = Consequence::kAccepted;
    if (wanted.bits > 0 && (named_.bits >> wanted.bits & 1) == 0) {
      if (named_.widths_listed) return Consequence::kRejected;
      least = Consequence::kUndocumented;
    }
    Consequence best = Consequence::kRejected;
    for (const QnnEncoding encoding : encodings) {
      if (special && (named_.encodings & MaskOf(encoding)) == 0) continue;
      Consequence worst = least;
      for (const ConstraintRow* constraint : deciding_) {
        if ((constraint->groups >> row.group & 1) == 0) continue;
        const Consequence consequence = sdk_ >= constraint->measured_since
                                            ? constraint->measured_consequence
                                            : constraint->consequence;
        if (consequence > worst &&
            sketch_.SurelyBreaks(*constraint, encoding, wanted.bits, arch_)) {
          worst = consequence;
        }
      }
      best = std::min(best, worst);
    }
    return best;
  }

  bool Measured(const opdb::VariantRow& row) const {
    for (const uint16_t i : db_.get(row.sources)) {
      if (db_.sources()[i].measured() && db_.sources()[i].sdk <= sdk_) return true;
    }
    return false;
  }

  const PrecisionTable& table_;
  const View& db_;
  const opdb::BackendRow& backend_;
  const OpRow& op_;
  const SdkKey sdk_;
  const int arch_;
  const opdb::FeatureMask lacks_;
  Sketch sketch_;
  std::vector<const ConstraintRow*> deciding_;
  Named named_;
};

}  // namespace

PrecisionTable::PrecisionTable(const View& db) : db_(db) {
  const Tree document = db.Document("precisions");
  data_roles_ = Texts(document["roles"]["data"]);
  weight_roles_ = Texts(document["roles"]["weight"]);
  plain_ = Dtypes(document["plain"]);
  const Tree list = document["precisions"];
  for (size_t i = 0; i < list.size(); ++i) {
    const Tree entry = list.at(i);
    const std::string_view mark = entry["mark"].str();
    precisions_.push_back({std::string(entry["id"].str()), std::string(entry["unweighted"].str()),
                           std::string(entry["title"].str()), mark.empty() ? '?' : mark[0],
                           entry["needs_weight"].flag().value_or(false)});
    classes_.push_back({Dtypes(entry["data"]), Dtypes(entry["weight"]),
                        Encodings(entry["encodings"]),
                        static_cast<int>(entry["bits"].integer().value_or(0))});
  }
}

bool PrecisionTable::IsData(const opdb::PortRow& port) const {
  const std::string_view role = db_.str(port.role);
  return std::find(data_roles_.begin(), data_roles_.end(), role) != data_roles_.end();
}

bool PrecisionTable::IsWeight(const opdb::PortRow& port) const {
  const std::string_view role = db_.str(port.role);
  return std::find(weight_roles_.begin(), weight_roles_.end(), role) != weight_roles_.end();
}

bool HasWeight(const PrecisionTable& table, const View& db, const OpRow& op) {
  const auto ports = db.get(op.ports);
  return std::any_of(ports.begin(), ports.end(),
                     [&](const opdb::PortRow& port) { return table.IsWeight(port); });
}

std::vector<TakenPrecision> TakenBy(const PrecisionTable& table, const View& db,
                                    const opdb::BackendRow& backend, const OpRow& op, SdkKey sdk,
                                    int arch, opdb::FeatureMask lacks) {
  return OpPrecisions(table, db, backend, op, sdk, arch, lacks).Run();
}

}  // namespace quantgate::views
