#include "quantgate/diff.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/describe.h"
#include "core/database/kinds.h"
#include "core/database/view.h"
#include "core/knowledge/precision.h"
#include "quantgate/matrix.h"

namespace quantgate {
namespace {

using opdb::BackendRow;
using opdb::ConstraintRow;
using opdb::OpRow;
using opdb::Range;
using opdb::VariantRow;
using opdb::View;

// What a side is named by.
absl::StatusOr<DiffBy> KindOf(const Database& database, const DiffSpec& spec,
                              const std::string& side) {
  if (side.empty()) return absl::InvalidArgumentError("--from and --to are both needed");
  const std::string lower = absl::AsciiStrToLower(side);
  if (absl::ascii_isdigit(static_cast<unsigned char>(side[0])) && side.find('.') != side.npos) {
    return DiffBy::kSdk;
  }
  std::vector<std::string> known = database.Archs(spec.shared.backend);
  if (std::find(known.begin(), known.end(), lower) != known.end()) return DiffBy::kArch;
  for (const std::string& backend : database.Backends()) {
    if (backend == lower) return DiffBy::kBackend;
    known.push_back(backend);
  }
  TargetSpec soc = spec.shared;
  soc.arch.clear();
  soc.soc = side;
  if (Target::Parse(soc, database).ok()) return DiffBy::kSoc;
  for (const SocInfo& info : database.Socs()) known.push_back(info.name);
  return absl::InvalidArgumentError(
      absl::StrCat("\"", side.substr(0, 60), "\" is no SDK version, arch, backend or soc",
                   DidYouMeanOf(side, known), "; quantgate targets lists them"));
}

std::string* PartOf(TargetSpec& spec, DiffBy by) {
  switch (by) {
    case DiffBy::kSdk:
      return &spec.sdk;
    case DiffBy::kArch:
      return &spec.arch;
    case DiffBy::kBackend:
      return &spec.backend;
    case DiffBy::kSoc:
      return &spec.soc;
  }
  return &spec.sdk;
}

struct Side {
  Target target;
  const BackendRow* backend = nullptr;
  SdkKey sdk = 0;
  uint32_t archs = ~0u;  // those looked at

  bool Has(const Range& range) const {
    return range.since <= sdk && sdk < range.until && (range.archs & archs) != 0;
  }
};

// Breaking it keeps a node from running as written.
bool Counts(Consequence consequence) {
  return consequence == Consequence::kWrongValues || consequence == Consequence::kPrepareFails ||
         consequence == Consequence::kRejected || consequence == Consequence::kAltered;
}

class Comparer {
 public:
  Comparer(const Database& database, const DiffSpec& spec)
      : database_(database), db_(database.view()), spec_(spec), table_(db_) {}

  absl::StatusOr<Diff> Run() {
    if (absl::Status status = Sides(); !status.ok()) return status;
    if (absl::Status status = Names(); !status.ok()) return status;
    diff_.has_changes = from_.backend == to_.backend;
    for (const std::string_view name : names_) {
      Diff::Op op = Compare(name);
      if (op.what != Diff::What::kChanged || !op.gains.empty() || !op.changes.empty()) {
        diff_.ops.push_back(std::move(op));
      }
    }
    return std::move(diff_);
  }

 private:
  absl::Status Sides() {
    const auto from = KindOf(database_, spec_, spec_.from);
    if (!from.ok()) return from.status();
    const auto to = KindOf(database_, spec_, spec_.to);
    if (!to.ok()) return to.status();
    if (*from != *to) {
      return absl::InvalidArgumentError(absl::StrCat("--from names one ", Absl(DiffByName(*from)),
                                                     ", --to one ", Absl(DiffByName(*to)),
                                                     ": both must be of one kind"));
    }
    diff_.by = *from;
    TargetSpec shared = spec_.shared;
    if (const std::string* part = PartOf(shared, diff_.by);
        diff_.by != DiffBy::kBackend && !part->empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", Absl(DiffByName(diff_.by)), " is what --from and --to differ in"));
    }
    if (absl::Status status = SideOf(spec_.from, from_); !status.ok()) return status;
    if (absl::Status status = SideOf(spec_.to, to_); !status.ok()) return status;
    diff_.every_arch = diff_.by == DiffBy::kSdk && shared.arch.empty() && shared.soc.empty() &&
                       from_.backend->archs.count > 0;
    for (Side* side : {&from_, &to_}) {
      side->archs = diff_.every_arch || side->backend->archs.count == 0
                        ? ~0u
                        : 1u << side->target.arch_index();
    }
    diff_.from = from_.target;
    diff_.to = to_.target;
    for (const Side* side : {&from_, &to_}) {
      for (const std::string& note : side->target.notes()) {
        if (diff_.every_arch && note.starts_with("neither soc")) continue;
        if (std::find(diff_.notes.begin(), diff_.notes.end(), note) == diff_.notes.end()) {
          diff_.notes.push_back(note);
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status SideOf(const std::string& value, Side& side) {
    TargetSpec spec = spec_.shared;
    *PartOf(spec, diff_.by) = value;
    if (diff_.by == DiffBy::kBackend && database_.Archs(absl::AsciiStrToLower(value)).empty()) {
      spec.arch.clear();
    }
    auto target = Target::Parse(spec, database_);
    if (!target.ok()) return target.status();
    if (!target->unsupported().empty()) return absl::InvalidArgumentError(target->unsupported());
    side.target = *std::move(target);
    side.backend = &db_.backends()[static_cast<size_t>(side.target.backend_index())];
    side.sdk = side.target.knowledge_key();
    return absl::OkStatus();
  }

  absl::Status Names() {
    std::set<std::string_view> known;
    for (const Side* side : {&from_, &to_}) {
      for (const OpRow& op : db_.get(side->backend->ops)) {
        if (side->Has(op.range)) known.insert(db_.str(op.name));
      }
    }
    for (const std::string& op : spec_.ops) {
      if (!known.contains(op)) {
        return absl::NotFoundError(absl::StrCat("unknown op \"", op.substr(0, 60), "\" of ",
                                                from_.target.backend(), DidYouMeanOf(op, known)));
      }
      names_.insert(*known.find(op));
    }
    if (spec_.ops.empty()) names_ = std::move(known);
    return absl::OkStatus();
  }

  const OpRow* Find(const Side& side, std::string_view name) const {
    const int index = db_.FindOp(*side.backend, name);
    if (index < 0) return nullptr;
    const OpRow& op = db_.get(side.backend->ops)[static_cast<size_t>(index)];
    return side.Has(op.range) ? &op : nullptr;
  }

  Diff::Op Compare(std::string_view name) {
    Diff::Op result;
    result.name = std::string(name);
    const OpRow* before = Find(from_, name);
    const OpRow* after = Find(to_, name);
    Gains(before, after, result);
    if (before == nullptr || after == nullptr) {
      result.what = before == nullptr ? Diff::What::kAdded : Diff::What::kRemoved;
      const OpRow& op = before == nullptr ? *after : *before;
      result.measured = FoundByMeasuring(op.range, op.sources, before != nullptr);
      return result;
    }
    if (diff_.has_changes) {
      Rows(*before, result);
      Constraints(*before, result);
    }
    return result;
  }

  // ---- precisions ----

  using Taken = std::map<size_t, views::TakenPrecision>;

  Taken TakenAt(const Side& side, const OpRow* op, int arch) const {
    Taken taken;
    if (op == nullptr || !opdb::Covers(op->range, side.sdk, arch)) return taken;
    for (auto& one : views::TakenBy(table_, db_, *side.backend, *op, side.sdk, arch,
                                  side.target.lacks())) {
      taken.emplace(one.precision, std::move(one));
    }
    return taken;
  }

  void Gains(const OpRow* before, const OpRow* after, Diff::Op& result) {
    struct Found {
      uint32_t gained = 0, lost = 0, looked = 0;
      Consequence verdict = Consequence::kUndocumented;
      bool measured = false;
    };
    std::map<size_t, Found> found;
    const size_t archs = diff_.every_arch ? from_.backend->archs.count : 1;
    for (size_t i = 0; i < archs; ++i) {
      const int a = diff_.every_arch ? static_cast<int>(i) : from_.target.arch_index();
      const int b = diff_.every_arch ? static_cast<int>(i) : to_.target.arch_index();
      const Taken old = TakenAt(from_, before, a), fresh = TakenAt(to_, after, b);
      for (size_t p = 0; p < table_.precisions().size(); ++p) {
        Found& one = found[p];
        one.looked |= 1u << i;
        const auto had = old.find(p), has = fresh.find(p);
        if ((had == old.end()) == (has == fresh.end())) continue;
        const views::TakenPrecision& taken = had == old.end() ? has->second : had->second;
        (had == old.end() ? one.gained : one.lost) |= 1u << i;
        one.verdict = std::min(one.verdict, taken.verdict);
        one.measured = one.measured || taken.measured;
      }
    }
    const OpRow& op = after != nullptr ? *after : *before;
    const bool weighted = views::HasWeight(table_, db_, op);
    const opdb::Describer describe(db_, after != nullptr ? *to_.backend : *from_.backend, op);
    for (const auto& [p, one] : found) {
      const Precision& precision = table_.precisions()[p];
      const std::string& label =
          weighted || precision.unweighted.empty() ? precision.id : precision.unweighted;
      for (const bool lost : {false, true}) {
        const uint32_t mask = lost ? one.lost : one.gained;
        if (mask == 0) continue;
        Range range;
        range.archs = mask;
        result.gains.push_back({label, lost, one.measured, one.verdict,
                                diff_.every_arch ? describe.Archs(range) : ""});
      }
    }
  }

  // ---- rows and constraints ----

  bool MeasuredOnly(opdb::Slice<uint16_t> sources) const {
    const auto all = db_.get(sources);
    return !all.empty() && std::all_of(all.begin(), all.end(),
                                       [&](uint16_t i) { return db_.sources()[i].measured(); });
  }

  // Whether only measuring says that the entry is on the one side and not on the other. `was` =
  // it is on the side compared from.
  bool FoundByMeasuring(const Range& range, opdb::Slice<uint16_t> sources, bool was) const {
    const Side& without = was ? to_ : from_;
    if (without.sdk < range.until) return MeasuredOnly(sources);
    // It ends: whoever measured it later found it gone.
    const auto all = db_.get(sources);
    return std::any_of(all.begin(), all.end(), [&](uint16_t i) {
      const opdb::SourceRow& source = db_.sources()[i];
      return source.measured() && source.sdk >= range.until;
    });
  }

  std::vector<std::string> Sources(opdb::Slice<uint16_t> sources) const {
    std::vector<std::string> ids;
    for (const uint16_t i : db_.get(sources)) ids.emplace_back(db_.str(db_.sources()[i].id));
    return ids;
  }

  // The archs of a range, among those that both sides look at.
  std::string Archs(const opdb::Describer& describe, const Range& range) const {
    return diff_.every_arch ? describe.Archs(range) : "";
  }

  // What went and what came with the same meaning is one entry that changed, or none at all.
  template <typename Row, typename Meaning>
  std::vector<std::pair<const Row*, const Row*>> Match(std::span<const Row> rows,
                                                       const Meaning& meaning) const {
    std::vector<std::pair<const Row*, const Row*>> pairs;
    std::map<std::string, std::vector<size_t>> gone;
    for (const Row& row : rows) {
      const bool was = from_.Has(row.range), is = to_.Has(row.range);
      if (was && is) {
        pairs.emplace_back(&row, &row);
      } else if (was) {
        gone[meaning(row)].push_back(pairs.size());
        pairs.emplace_back(&row, nullptr);
      }
    }
    for (const Row& row : rows) {
      if (from_.Has(row.range) || !to_.Has(row.range)) continue;
      const auto it = gone.find(meaning(row));
      if (it != gone.end() && !it->second.empty()) {
        pairs[it->second.back()].second = &row;
        it->second.pop_back();
      } else {
        pairs.emplace_back(nullptr, &row);
      }
    }
    return pairs;
  }

  static Consequence VerdictOf(const VariantRow& row, SdkKey sdk) {
    return sdk < row.undocumented_until ? Consequence::kUndocumented : row.consequence;
  }
  static Consequence VerdictOf(const ConstraintRow& row, SdkKey sdk) {
    return sdk >= row.measured_since ? row.measured_consequence : row.consequence;
  }

  // False where nothing changed.
  template <typename Row>
  bool Fill(const Row* before, const Row* after, const opdb::Describer& describe, Diff::Change& change) {
    if (before != nullptr) change.before = VerdictOf(*before, from_.sdk);
    if (after != nullptr) change.after = VerdictOf(*after, to_.sdk);
    const Row& row = after != nullptr ? *after : *before;
    change.archs = Archs(describe, row.range);
    change.sources = Sources(row.sources);
    change.measured = FoundByMeasuring(row.range, row.sources, after == nullptr);
    if (before == nullptr) {
      change.what = Diff::What::kAdded;
    } else if (after == nullptr) {
      change.what = Diff::What::kRemoved;
    } else {
      change.what = Diff::What::kChanged;
      change.archs_before = Archs(describe, before->range);
      if (change.archs_before == change.archs) change.archs_before.clear();
      const bool moved = diff_.every_arch && before->range.archs != after->range.archs;
      if (change.before == change.after && !moved) return false;
      // A verdict of an entry that stays changes by measurement only.
      if (before == after) change.measured = true;
    }
    return true;
  }

  std::string RowText(const OpRow& op, const VariantRow& row) const {
    std::vector<std::string> parts;
    const auto ports = db_.get(op.ports);
    const auto dtypes = db_.get(row.dtypes);
    for (size_t i = 0; i < ports.size(); ++i) {
      std::vector<std::string> names;
      for (int d = 0; d < kDtypeCount; ++d) {
        if (dtypes[i] >> d & 1) names.emplace_back(DtypeShortName(static_cast<Dtype>(d)));
      }
      parts.push_back(absl::StrCat(Absl(db_.str(ports[i].name)), " ",
                                   names.empty() ? "-" : absl::StrJoin(names, "|")));
    }
    return absl::StrJoin(parts, ", ");
  }

  void Rows(const OpRow& op, Diff::Op& result) {
    const opdb::Describer describe(db_, *to_.backend, op);
    const auto meaning = [&](const VariantRow& row) { return RowText(op, row); };
    for (const auto& [before, after] : Match(db_.get(op.variants), meaning)) {
      const VariantRow& row = after != nullptr ? *after : *before;
      Diff::Change change;
      if (!Fill(before, after, describe, change)) continue;
      change.is_row = true;
      change.id = absl::StrCat(to_.target.backend(), "/", result.name, "#", Absl(db_.str(row.id)));
      change.text = RowText(op, row);
      change.effect = change.what == Diff::What::kAdded     ? Diff::Effect::kLoosened
                      : change.what == Diff::What::kRemoved ? Diff::Effect::kTightened
                      : change.after < change.before        ? Diff::Effect::kLoosened
                      : change.after > change.before        ? Diff::Effect::kTightened
                                                            : Diff::Effect::kNone;
      result.changes.push_back(std::move(change));
    }
  }

  void Constraints(const OpRow& op, Diff::Op& result) {
    const opdb::Describer describe(db_, *to_.backend, op);
    const auto meaning = [&](const ConstraintRow& row) {
      return absl::StrCat(describe.Subject(row), "\n", describe.Constraint(row), "\n", row.groups);
    };
    for (const auto& [before, after] : Match(db_.get(op.constraints), meaning)) {
      const ConstraintRow& row = after != nullptr ? *after : *before;
      Diff::Change change;
      if (row.kind == opdb::Kind::kNote || !Fill(before, after, describe, change)) continue;
      change.id = absl::StrCat(to_.target.backend(), "/", result.name, "/", Absl(db_.str(row.id)));
      change.text = describe.Constraint(row);
      if (const std::string groups = Groups(op, row); !groups.empty()) {
        absl::StrAppend(&change.text, " (rows ", groups, ")");
      }
      change.port = describe.Subject(row);
      change.rule = std::string(opdb::RowOf(row.kind).rule_code());
      change.note = std::string(db_.str(row.note));
      // Breaking what is undocumented or advice alone keeps nothing from running.
      const bool was = before != nullptr && Counts(change.before);
      const bool is = after != nullptr && Counts(change.after);
      if (was != is) {
        change.effect = is ? Diff::Effect::kTightened : Diff::Effect::kLoosened;
      } else if (was && change.before != change.after) {
        change.effect =
            change.after > change.before ? Diff::Effect::kTightened : Diff::Effect::kLoosened;
      }
      result.changes.push_back(std::move(change));
    }
  }

  std::string Groups(const OpRow& op, const ConstraintRow& row) const {
    if (row.groups == ~0ull) return "";
    std::vector<std::string> names;
    const auto groups = db_.get(op.groups);
    for (size_t i = 0; i < groups.size(); ++i) {
      if (row.groups >> i & 1) names.emplace_back(db_.str(groups[i]));
    }
    return absl::StrJoin(names, ", ");
  }

  const Database& database_;
  const View& db_;
  const DiffSpec& spec_;
  const views::PrecisionTable table_;
  Side from_, to_;
  std::set<std::string_view> names_;
  Diff diff_;
};

}  // namespace

std::string_view DiffByName(DiffBy by) {
  switch (by) {
    case DiffBy::kSdk:
      return "sdk";
    case DiffBy::kArch:
      return "arch";
    case DiffBy::kBackend:
      return "backend";
    case DiffBy::kSoc:
      return "soc";
  }
  return "";
}

absl::StatusOr<Diff> MakeDiff(const Database& database, const DiffSpec& spec) {
  return Comparer(database, spec).Run();
}

}  // namespace quantgate
