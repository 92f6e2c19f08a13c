#include "core/database/view.h"

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "core/database/image.h"
#include "core/database/image_check.h"

namespace quantgate::opdb {
namespace {

absl::Status Damaged(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("damaged database image: ", what));
}

// The sections of an image whose table was read.
class Sections {
 public:
  Sections(std::string_view image, std::span<const SectionEntry> entries)
      : image_(image), entries_(entries) {}

  template <typename T>
  bool Read(SectionId id, std::span<const T>& rows) const {
    const SectionEntry& entry = entries_[static_cast<size_t>(id)];
    if (entry.row_size != sizeof(T) || entry.offset % kImageAlign != 0 ||
        entry.offset > image_.size() || entry.count > (image_.size() - entry.offset) / sizeof(T)) {
      return false;
    }
    rows = {reinterpret_cast<const T*>(image_.data() + entry.offset), entry.count};
    return true;
  }

 private:
  std::string_view image_;
  std::span<const SectionEntry> entries_;
};

}  // namespace

absl::StatusOr<View> View::Open(std::string_view image) {
  absl::StatusOr<View> view = OpenChecked(image);
  if (!view.ok()) return view;
  if (const std::string wrong = ImageCheck(*view).Run(); !wrong.empty()) return Damaged(wrong);
  return view;
}

absl::StatusOr<View> View::OpenChecked(std::string_view image) {
  if (reinterpret_cast<uintptr_t>(image.data()) % kImageAlign != 0) {
    return absl::InvalidArgumentError("database image is not aligned to 8 bytes");
  }
  ImageHeader header;
  constexpr size_t kTable = sizeof(ImageHeader) + kSectionCount * sizeof(SectionEntry);
  if (image.size() < kTable) return Damaged("too short");
  std::memcpy(&header, image.data(), sizeof header);
  if (header.magic != kImageMagic) return absl::InvalidArgumentError("not a database compiled by opdefc");
  if (header.version != kImageVersion) {
    return absl::InvalidArgumentError(absl::StrCat("a database of format ", header.version,
                                                   "; this version of quantgate reads format ",
                                                   kImageVersion));
  }
  if (header.sections != kSectionCount || header.size != image.size()) return Damaged("its size");

  const Sections sections(
      image,
      {reinterpret_cast<const SectionEntry*>(image.data() + sizeof(ImageHeader)), kSectionCount});
  View view;
  std::span<const char> strings;
  const bool read =
      sections.Read(SectionId::kStrings, strings) && sections.Read(SectionId::kStrs, view.strs_) &&
      sections.Read(SectionId::kInts, view.ints_) &&
      sections.Read(SectionId::kReals, view.reals_) &&
      sections.Read(SectionId::kU16s, view.u16s_) &&
      sections.Read(SectionId::kMasks, view.masks_) &&
      sections.Read(SectionId::kExprOps, view.expr_ops_) &&
      sections.Read(SectionId::kExprs, view.exprs_) &&
      sections.Read(SectionId::kSources, view.sources_) &&
      sections.Read(SectionId::kSocs, view.socs_) &&
      sections.Read(SectionId::kEnums, view.enums_) &&
      sections.Read(SectionId::kPorts, view.ports_) &&
      sections.Read(SectionId::kParams, view.params_) &&
      sections.Read(SectionId::kVariants, view.variants_) &&
      sections.Read(SectionId::kConds, view.conds_) &&
      sections.Read(SectionId::kArgs, view.args_) && sections.Read(SectionId::kAlts, view.alts_) &&
      sections.Read(SectionId::kConstraints, view.constraints_) &&
      sections.Read(SectionId::kAlternatives, view.alternatives_) &&
      sections.Read(SectionId::kOps, view.ops_) &&
      sections.Read(SectionId::kBackends, view.backends_) &&
      sections.Read(SectionId::kTree, view.tree_) &&
      sections.Read(SectionId::kDocuments, view.documents_) &&
      sections.Read(SectionId::kRenames, view.renames_);
  if (!read) return Damaged("a section is out of place");
  view.strings_ = {strings.data(), strings.size()};
  return view;
}

std::optional<ConstraintId> ParseConstraintId(std::string_view id) {
  const size_t first = id.find('/'), last = id.rfind('/');
  const size_t second = first == id.npos ? first : id.find('/', first + 1);
  if (second == id.npos) return std::nullopt;
  return ConstraintId{id.substr(0, first), id.substr(first + 1, second - first - 1),
                      id.substr(first + 1, last - first - 1), id.substr(last + 1)};
}

int View::FindBackend(std::string_view name) const {
  for (size_t i = 0; i < backends_.size(); ++i) {
    if (str(backends_[i].name) == name) return static_cast<int>(i);
  }
  return -1;
}

int View::FindOp(const BackendRow& backend, std::string_view name) const {
  const auto ops = get(backend.ops);
  const auto it = std::lower_bound(
      ops.begin(), ops.end(), name,
      [&](const OpRow& op, std::string_view wanted) { return str(op.name) < wanted; });
  if (it == ops.end() || str(it->name) != name) return -1;
  return static_cast<int>(it - ops.begin());
}

const BackendRow* View::BackendOfSocs() const {
  for (const BackendRow& backend : backends_) {
    if (backend.has_socs != 0) return &backend;
  }
  return nullptr;
}

Tree View::Document(std::string_view name) const {
  for (const DocumentRow& document : documents_) {
    if (str(document.name) == name) return TreeAt(document.root);
  }
  return {};
}

const ConstraintRow* View::FindConstraint(std::string_view id) const {
  const std::optional<ConstraintId> parts = ParseConstraintId(id);
  const int at = parts ? FindBackend(parts->backend) : -1;
  if (at < 0) return nullptr;
  const BackendRow& backend = backends_[static_cast<size_t>(at)];
  const int index = FindOp(backend, parts->op);
  if (index < 0) return nullptr;
  const std::string_view wanted = id.substr(parts->backend.size() + 1 + parts->op.size() + 1);
  for (const ConstraintRow& row : get(get(backend.ops)[static_cast<size_t>(index)].constraints)) {
    if (str(row.id) == wanted) return &row;
  }
  return nullptr;
}

const RenameRow* View::FindRename(std::string_view id) const {
  const std::optional<ConstraintId> parts = ParseConstraintId(id);
  if (!parts) return nullptr;
  for (const RenameRow& row : renames_) {
    if (str(row.was) != parts->name || str(row.backend) != parts->backend) continue;
    const auto places = get(row.places);
    const bool here = std::any_of(places.begin(), places.end(),
                                  [&](Str place) { return str(place) == parts->place; });
    if (here) return &row;
    // Not what has kept the name.
    if (places.empty()) return FindConstraint(id) == nullptr ? &row : nullptr;
  }
  return nullptr;
}

Tree View::TreeAt(uint32_t row) const {
  return row < tree_.size() ? Tree(this, &tree_[row]) : Tree();
}

std::string_view Tree::key() const { return row_ ? view_->str(row_->key) : std::string_view(); }

Tree Tree::operator[](std::string_view key) const {
  if (type() != TreeType::kMap) return {};
  const auto children = view_->get(row_->children);
  const auto it = std::lower_bound(
      children.begin(), children.end(), key,
      [&](const TreeRow& row, std::string_view wanted) { return view_->str(row.key) < wanted; });
  if (it == children.end() || view_->str(it->key) != key) return {};
  return Tree(view_, &*it);
}

size_t Tree::size() const { return row_ ? row_->children.count : 0; }

Tree Tree::at(size_t i) const {
  return i < size() ? Tree(view_, &view_->get(row_->children)[i]) : Tree();
}

std::string_view Tree::str() const { return row_ ? view_->str(row_->text) : std::string_view(); }

std::optional<int64_t> Tree::integer() const {
  if (type() != TreeType::kInt && type() != TreeType::kBool) return std::nullopt;
  return row_->v.i;
}

std::optional<double> Tree::real() const {
  if (type() == TreeType::kInt) return static_cast<double>(row_->v.i);
  if (type() == TreeType::kReal) return row_->v.d;
  return std::nullopt;
}

std::optional<bool> Tree::flag() const {
  if (type() != TreeType::kBool) return std::nullopt;
  return row_->v.i != 0;
}

}  // namespace quantgate::opdb
