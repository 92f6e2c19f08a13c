#include "quantgate/database.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/describe.h"
#include "core/database/encoding_rules.h"
#include "core/database/kinds.h"
#include "core/database/view.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using opdb::BackendRow;
using opdb::Covers;
using opdb::OpRow;
using opdb::View;

constexpr size_t kMaxFileBytes = size_t{64} << 20;  // the embedded one has 2 MB

std::vector<std::string> Strings(const View& db, opdb::Slice<opdb::Str> slice) {
  std::vector<std::string> out;
  for (const opdb::Str s : db.get(slice)) out.emplace_back(db.str(s));
  return out;
}

std::vector<std::string> Sources(const View& db, opdb::Slice<uint16_t> slice) {
  std::vector<std::string> out;
  for (const uint16_t i : db.get(slice)) out.emplace_back(db.str(db.sources()[i].id));
  return out;
}

const BackendRow* BackendOf(const View& db, const Target& target) {
  const auto i = static_cast<size_t>(target.backend_index());
  return i < db.backends().size() && db.str(db.backends()[i].name) == target.backend()
             ? &db.backends()[i]
             : nullptr;
}

bool IsFor(const opdb::Range& range, const Target& target) {
  return Covers(range, target.knowledge_key(), target.arch_index());
}

std::string Since(const opdb::Range& range) { return range.since == 0 ? "" : SdkName(range.since); }
std::string Until(const opdb::Range& range) {
  return range.until == kSdkOpen ? "" : SdkName(range.until);
}

OpInfo::Port PortInfo(const View& db, const opdb::PortRow& row) {
  return {std::string(db.str(row.name)), std::string(db.str(row.role)),
          (row.flags & opdb::kPortOptional) != 0, (row.flags & opdb::kPortVariadic) != 0,
          row.channel_axis};
}

// Numbers as the YAML writes them.
std::string DefaultText(const View& db, const opdb::ParamRow& row) {
  std::vector<std::string> items;
  for (const int64_t v : db.get(row.default_ints)) items.push_back(absl::StrCat(v));
  for (const double v : db.get(row.default_reals)) items.push_back(absl::StrCat(v));
  if (items.size() == 1 && row.rank < 0) return items.front();
  return items.empty() ? "" : absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

OpInfo::Param ParamInfo(const View& db, const opdb::ParamRow& row) {
  OpInfo::Param param{std::string(db.str(row.name)),
                      std::string(DtypeName(row.dtype)),
                      row.required != 0,
                      {},
                      row.rank,
                      DefaultText(db, row)};
  for (const opdb::EnumRow& value : db.get(row.values)) {
    param.values.emplace_back(db.str(value.name), value.value);
  }
  return param;
}

// Whether documents, measurements or both are among the sources.
template <typename Info>
void ReadBasis(const View& db, opdb::Slice<uint16_t> sources, Info& info) {
  for (const uint16_t i : db.get(sources)) {
    (db.sources()[i].measured() ? info.measured : info.documented) = true;
  }
}

OpInfo::Variant VariantInfo(const View& db, const OpRow& op, const opdb::VariantRow& row,
                            const opdb::Describer& describe, SdkKey sdk,
                            const std::string& prefix) {
  OpInfo::Variant variant;
  variant.id = absl::StrCat(prefix, "#", Absl(db.str(row.id)));
  variant.group = std::string(db.str(db.get(op.groups)[row.group]));
  for (const DtypeMask mask : db.get(row.dtypes)) variant.dtypes.push_back(opdb::DtypeNames(mask));
  variant.consequence = sdk < row.undocumented_until ? Consequence::kUndocumented : row.consequence;
  if (row.undocumented_until > 0) variant.undocumented_until = SdkName(row.undocumented_until);
  variant.since = Since(row.range);
  variant.until = Until(row.range);
  variant.archs = describe.Archs(row.range);
  variant.sources = Sources(db, row.sources);
  ReadBasis(db, row.sources, variant);
  return variant;
}

OpInfo::Constraint ConstraintInfo(const View& db, const OpRow& op, const opdb::ConstraintRow& row,
                                  const opdb::Describer& describe, SdkKey sdk,
                                  const std::string& prefix) {
  OpInfo::Constraint constraint;
  constraint.id = absl::StrCat(prefix, "/", Absl(db.str(row.id)));
  constraint.port = describe.Subject(row);
  constraint.kind = std::string(opdb::RowOf(row.kind).name);
  constraint.rule = std::string(opdb::RowOf(row.kind).rule_code());
  constraint.text = describe.Constraint(row);
  constraint.consequence = sdk >= row.measured_since ? row.measured_consequence : row.consequence;
  if (row.measured_since != kSdkOpen) {
    constraint.measured_since = SdkName(row.measured_since);
    constraint.measured_consequence = row.measured_consequence;
  }
  constraint.since = Since(row.range);
  constraint.until = Until(row.range);
  constraint.archs = describe.Archs(row.range);
  const auto groups = db.get(op.groups);
  if (row.groups != ~0ull) {
    for (size_t i = 0; i < groups.size(); ++i) {
      if (row.groups >> i & 1) constraint.groups.emplace_back(db.str(groups[i]));
    }
  }
  constraint.sources = Sources(db, row.sources);
  constraint.note = std::string(db.str(row.note));
  constraint.profile = std::string(db.str(row.profile));
  ReadBasis(db, row.sources, constraint);
  return constraint;
}

absl::Status UnknownOp(std::string_view name, std::string_view backend,
                       const std::vector<std::string>& known) {
  return absl::NotFoundError(absl::StrCat("unknown op \"", Absl(name.substr(0, 60)), "\" of ",
                                          Absl(backend), DidYouMeanOf(name, known)));
}

// The entries of the target, or of every SDK and arch where `target` is null; the consequences
// are those of `sdk`.
OpInfo InfoOf(const View& db, const BackendRow& backend, const OpRow& op, SdkKey sdk,
              const Target* target) {
  const auto wanted = [&](const opdb::Range& range) {
    return target == nullptr || IsFor(range, *target);
  };
  const opdb::Describer describe(db, backend, op);
  OpInfo info;
  info.name = std::string(db.str(op.name));
  info.backend = std::string(db.str(backend.name));
  info.lists_per_port = sdk < backend.tuples_since;
  info.since = Since(op.range);
  info.until = Until(op.range);
  info.archs = describe.Archs(op.range);
  const std::string prefix = absl::StrCat(info.backend, "/", info.name);
  const auto ports = db.get(op.ports);
  for (size_t i = 0; i < ports.size(); ++i) {
    (i < op.input_count ? info.inputs : info.outputs).push_back(PortInfo(db, ports[i]));
  }
  for (const opdb::ParamRow& row : db.get(op.params)) info.params.push_back(ParamInfo(db, row));
  if (!wanted(op.range)) return info;
  for (const opdb::VariantRow& row : db.get(op.variants)) {
    if (wanted(row.range) && (target == nullptr || (row.needs & target->lacks()) == 0)) {
      info.variants.push_back(VariantInfo(db, op, row, describe, sdk, prefix));
      if (target != nullptr) {
        info.variants.back().encoding_rules =
            opdb::EncodingRulesOf(db, backend, op, *target, 1ull << row.group, db.get(row.dtypes));
      }
    }
  }
  for (const opdb::ConstraintRow& row : db.get(op.constraints)) {
    if (wanted(row.range)) {
      info.constraints.push_back(ConstraintInfo(db, op, row, describe, sdk, prefix));
    }
  }
  return info;
}

}  // namespace

Database::Database(std::unique_ptr<const View> view, std::string image)
    : image_(std::move(image)), view_(std::move(view)) {}
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&&) noexcept = default;
Database::~Database() = default;

absl::StatusOr<Database> Database::FromImage(std::string image) {
  // The view refers to the bytes on the heap; moving the string keeps them in place. (Strings
  // short enough to lie inside of their object are no images.)
  auto view = View::Open(image);
  if (!view.ok()) return view.status();
  auto owned = std::make_unique<const View>(*view);
  return Database(std::move(owned), std::move(image));
}

absl::StatusOr<Database> Database::FromFile(const std::string& path) {
  const auto wrong = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", why));
  };
  std::error_code error;
  const auto kind = std::filesystem::status(path, error).type();
  if (error) return wrong(error.message());
  if (kind != std::filesystem::file_type::regular) return wrong("is no regular file");
  const uintmax_t size = std::filesystem::file_size(path, error);
  if (error) return wrong(error.message());
  if (size > kMaxFileBytes) return wrong("too large for a database");
  std::string image(size, '\0');
  if (!std::ifstream(path, std::ios::binary).read(image.data(), static_cast<std::streamsize>(size))) {
    return wrong("can't be read");
  }
  absl::StatusOr<Database> database = FromImage(std::move(image));
  return database.ok() ? std::move(database) : wrong(database.status().message());
}

std::vector<std::string> Database::Backends() const {
  std::vector<std::string> names;
  for (const BackendRow& row : view_->backends()) names.emplace_back(view_->str(row.name));
  return names;
}

std::vector<std::string> Database::Sdks(std::string_view backend) const {
  const int i = view_->FindBackend(backend);
  std::vector<std::string> names;
  if (i < 0) return names;
  for (const SdkKey key : view_->get(view_->backends()[static_cast<size_t>(i)].sdks)) {
    names.push_back(SdkName(key));
  }
  return names;
}

std::optional<std::string> Database::CombinationsSince(std::string_view backend) const {
  const int i = view_->FindBackend(backend);
  if (i < 0) return std::nullopt;
  const SdkKey since = view_->backends()[static_cast<size_t>(i)].tuples_since;
  if (since == kSdkOpen) return std::nullopt;
  return since == 0 ? std::string() : SdkName(since);
}

std::vector<std::string> Database::TextsOf(std::string_view document, std::string_view key) const {
  const opdb::Tree list = view_->Document(document)[key];
  std::vector<std::string> texts;
  for (size_t i = 0; i < list.size(); ++i) texts.emplace_back(list.at(i).str());
  return texts;
}

std::vector<std::string> Database::Routes() const {
  constexpr std::string_view kFolder = "routes/";
  std::vector<std::string> names;
  for (const opdb::DocumentRow& row : view_->documents()) {
    const std::string_view name = view_->str(row.name);
    if (name.starts_with(kFolder)) names.emplace_back(name.substr(kFolder.size()));
  }
  return names;
}

RouteName ParseRouteName(std::string_view text) {
  const size_t at = text.find('@');
  return at == text.npos ? RouteName{text, {}} : RouteName{text.substr(0, at), text.substr(at + 1)};
}

absl::Status Database::CheckRelease(std::string_view route) const {
  if (route.find('@') == route.npos) return absl::OkStatus();
  const auto [name, release] = ParseRouteName(route);
  const opdb::Tree releases = view_->Document(absl::StrCat("routes/", Absl(name)))["releases"];
  if (releases.size() == 0) return absl::InvalidArgumentError(absl::StrCat("route ", Absl(name), " has no releases"));
  if (release.empty() || release.find_first_not_of("0123456789.") != release.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", Printable(release, 40), "\" is no release: ", Absl(name), "@VERSION, as in ", Absl(name), "@",
                     Absl(releases.at(releases.size() - 1)["name"].str())));
  }
  return absl::OkStatus();
}

std::vector<std::string> Database::Archs(std::string_view backend) const {
  const int i = view_->FindBackend(backend);
  if (i < 0) return {};
  return Strings(*view_, view_->backends()[static_cast<size_t>(i)].archs);
}

namespace {

std::vector<std::string> Lacking(const View& db, const opdb::SocRow& soc) {
  const opdb::BackendRow* const backend = db.BackendOfSocs();
  if (backend == nullptr) return {};
  std::vector<std::string> names = Strings(db, backend->features);
  size_t i = 0;
  std::erase_if(names, [&](const std::string&) { return (soc.lacks >> i++ & 1) == 0; });
  return names;
}

}  // namespace

std::vector<SocInfo> Database::Socs() const {
  std::vector<SocInfo> socs;
  for (const opdb::SocRow& row : view_->socs()) {
    socs.push_back({std::string(view_->str(row.name)), Strings(*view_, row.aliases), row.id,
                    std::string(view_->str(row.arch_name)), row.vtcm_mb, Lacking(*view_, row),
                    row.lacks});
  }
  return socs;
}

std::vector<std::string> Database::Ops(const Target& target) const {
  std::vector<std::string> names;
  const BackendRow* backend = BackendOf(*view_, target);
  if (backend == nullptr) return names;
  for (const OpRow& op : view_->get(backend->ops)) {
    if (IsFor(op.range, target)) names.emplace_back(view_->str(op.name));
  }
  return names;
}

absl::StatusOr<OpInfo> Database::Query(std::string_view name, const Target& target) const {
  const View& db = *view_;
  const BackendRow* backend = BackendOf(db, target);
  if (backend == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the target's backend ", target.backend(), " is not in this database"));
  }
  const int index = db.FindOp(*backend, name);
  if (index < 0) return UnknownOp(name, target.backend(), Ops(target));
  const OpRow& op = db.get(backend->ops)[static_cast<size_t>(index)];
  return InfoOf(db, *backend, op, target.knowledge_key(), &target);
}

absl::StatusOr<OpInfo> Database::QueryEverySdk(std::string_view name,
                                               std::string_view backend) const {
  const View& db = *view_;
  const int at = db.FindBackend(backend);
  if (at < 0) {
    return absl::NotFoundError(absl::StrCat("unknown backend \"", Absl(backend.substr(0, 60)), "\"",
                                            DidYouMeanOf(backend, Backends())));
  }
  const BackendRow& row = db.backends()[static_cast<size_t>(at)];
  const int index = db.FindOp(row, name);
  if (index < 0) return UnknownOp(name, backend, OpsOfEverySdk(backend));
  return InfoOf(db, row, db.get(row.ops)[static_cast<size_t>(index)], db.get(row.sdks).back(),
                nullptr);
}

absl::StatusOr<Entries> Database::FindById(std::string_view id) const {
  const size_t slash = id.find('/');
  if (slash == id.npos) {
    return absl::NotFoundError(absl::StrCat("\"", Absl(id.substr(0, 80)), "\" is no id"));
  }
  const size_t end = std::min(id.find_first_of("/#", slash + 1), id.size());
  const bool is_row = id.substr(end).starts_with('#');
  absl::StatusOr<OpInfo> op =
      QueryEverySdk(id.substr(slash + 1, end - slash - 1), id.substr(0, slash));
  if (!op.ok()) return op.status();
  Entries found;
  for (OpInfo::Variant& row : op->variants) {
    if (row.id == id) found.rows.push_back(std::move(row));
  }
  if (!found.rows.empty()) return found;
  found.renamed = Renamed(id);
  std::vector<std::string_view> wanted = {id};
  if (found.renamed && view_->FindConstraint(id) == nullptr) {
    wanted.assign(found.renamed->now.begin(), found.renamed->now.end());
  }
  for (const OpInfo::Constraint& one : op->constraints) {
    if (std::find(wanted.begin(), wanted.end(), one.id) != wanted.end()) {
      found.constraints.push_back(one);
    }
  }
  if (!found.constraints.empty() || found.renamed) return found;
  std::vector<std::string_view> known;
  for (const auto& one : op->constraints) known.push_back(one.id);
  if (is_row) {
    known.clear();
    for (const auto& one : op->variants) known.push_back(one.id);
  }
  return absl::NotFoundError(absl::StrCat("unknown ", is_row ? "row" : "constraint", " \"",
                                          Absl(id.substr(0, 100)), "\"", DidYouMeanOf(id, known),
                                          "; quantgate query ", op->name, " --backend ",
                                          op->backend, " --verbose lists them"));
}

std::optional<RenamedId> Database::Renamed(std::string_view constraint_id) const {
  const opdb::RenameRow* row = view_->FindRename(constraint_id);
  if (row == nullptr) return std::nullopt;
  const absl::string_view place = Absl(constraint_id.substr(0, constraint_id.rfind('/')));
  RenamedId out{std::string(view_->str(row->since)), Strings(*view_, row->now),
                std::string(view_->str(row->gone))};
  for (std::string& name : out.now) name = absl::StrCat(place, "/", name);
  // The name was never that of a constraint here.
  const bool known = std::any_of(out.now.begin(), out.now.end(), [&](const std::string& now) {
    return view_->FindConstraint(now) != nullptr;
  });
  if (!known && out.gone.empty()) return std::nullopt;
  return out;
}

std::vector<std::string> Database::OpsOfEverySdk(std::string_view backend) const {
  std::vector<std::string> names;
  const int at = view_->FindBackend(backend);
  if (at < 0) return names;
  for (const OpRow& op : view_->get(view_->backends()[static_cast<size_t>(at)].ops)) {
    names.emplace_back(view_->str(op.name));
  }
  return names;
}

}  // namespace quantgate
