// Read access to a compiled database image.
#ifndef QUANTGATE_CORE_DATABASE_VIEW_H_
#define QUANTGATE_CORE_DATABASE_VIEW_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "absl/status/statusor.h"
#include "core/database/tables.h"

namespace quantgate::opdb {

// Node of a document tree; a null Tree stands for "not there" and answers every question
// with an empty value, so lookups can be chained.
class View;
class Tree {
 public:
  Tree() = default;
  Tree(const View* view, const TreeRow* row) : view_(view), row_(row) {}
  explicit operator bool() const { return row_ != nullptr; }
  TreeType type() const { return row_ ? row_->type : TreeType::kNull; }
  std::string_view key() const;
  Tree operator[](std::string_view key) const;  // map entry, binary search
  size_t size() const;                          // of a list or map
  Tree at(size_t i) const;                      // i-th child
  std::string_view str() const;                 // text of a scalar, as written
  std::optional<int64_t> integer() const;       // kInt, kBool
  std::optional<double> real() const;           // kInt, kReal
  std::optional<bool> flag() const;             // kBool
  uint32_t line() const { return row_ ? row_->line : 0; }
  uint32_t column() const { return row_ ? row_->column : 0; }

 private:
  const View* view_ = nullptr;
  const TreeRow* row_ = nullptr;
};

// "htp/Conv2d/in[1]/symmetric" in parts.
struct ConstraintId {
  std::string_view backend, op;
  std::string_view place;  // "Conv2d/in[1]"
  std::string_view name;   // "symmetric"
};
std::optional<ConstraintId> ParseConstraintId(std::string_view id);

// Sections by row type; see image.h for the layout.
class View {
 public:
  // Checks magic, version, sizes and every index. `image` must be 8-aligned and outlive the view.
  static absl::StatusOr<View> Open(std::string_view image);
  // The same without a look at the indices, for an image that was checked where it was made.
  static absl::StatusOr<View> OpenChecked(std::string_view image);

  template <typename T>
  std::span<const T> get(Slice<T> slice) const {
    return section<T>().subspan(slice.begin, slice.count);
  }
  std::string_view str(Str s) const { return strings_.substr(s.offset, s.size); }

  std::span<const BackendRow> backends() const { return backends_; }
  std::span<const SocRow> socs() const { return socs_; }
  std::span<const SourceRow> sources() const { return sources_; }

  int FindBackend(std::string_view name) const;  // -1 = unknown
  // Index of the op in the backend's ops; -1 = unknown. Perfect-hash or binary search.
  int FindOp(const BackendRow& backend, std::string_view name) const;
  // The one whose archs and features the chips have; null where there is none.
  const BackendRow* BackendOfSocs() const;
  Tree Document(std::string_view name) const;                            // null when unknown
  Tree TreeAt(uint32_t row) const;                                       // null for ~0u
  std::span<const DocumentRow> documents() const { return documents_; }  // sorted by name

  // By its whole id; null when unknown.
  const ConstraintRow* FindConstraint(std::string_view id) const;
  // What became of a constraint's id of an earlier version; null where nothing did.
  const RenameRow* FindRename(std::string_view id) const;
  std::span<const RenameRow> renames() const { return renames_; }

  // any_of: constraints of an alternative.
  std::span<const ConstraintRow> all_of(const AltRow& alt) const {
    return alternatives_.subspan(alt.all_of.begin, alt.all_of.count);
  }

 private:
  friend class Tree;
  friend class ImageCheck;
  View() = default;
  // The one section of a row type; constraints of alternatives are reached by all_of only.
  template <typename T>
  std::span<const T> section() const;

  std::string_view strings_;
  std::span<const Str> strs_;
  std::span<const int64_t> ints_;
  std::span<const double> reals_;
  std::span<const uint16_t> u16s_;
  std::span<const DtypeMask> masks_;
  std::span<const ExprOp> expr_ops_;
  std::span<const Slice<ExprOp>> exprs_;
  std::span<const SourceRow> sources_;
  std::span<const SocRow> socs_;
  std::span<const EnumRow> enums_;
  std::span<const PortRow> ports_;
  std::span<const ParamRow> params_;
  std::span<const VariantRow> variants_;
  std::span<const CondRow> conds_;
  std::span<const ArgRow> args_;
  std::span<const AltRow> alts_;
  std::span<const ConstraintRow> constraints_;
  std::span<const ConstraintRow> alternatives_;
  std::span<const OpRow> ops_;
  std::span<const BackendRow> backends_;
  std::span<const TreeRow> tree_;
  std::span<const DocumentRow> documents_;
  std::span<const RenameRow> renames_;
};

template <typename T>
std::span<const T> View::section() const {
  if constexpr (std::is_same_v<T, Str>) {
    return strs_;
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return ints_;
  } else if constexpr (std::is_same_v<T, double>) {
    return reals_;
  } else if constexpr (std::is_same_v<T, uint16_t>) {
    return u16s_;
  } else if constexpr (std::is_same_v<T, DtypeMask>) {
    return masks_;
  } else if constexpr (std::is_same_v<T, ExprOp>) {
    return expr_ops_;
  } else if constexpr (std::is_same_v<T, Slice<ExprOp>>) {
    return exprs_;
  } else if constexpr (std::is_same_v<T, SourceRow>) {
    return sources_;
  } else if constexpr (std::is_same_v<T, SocRow>) {
    return socs_;
  } else if constexpr (std::is_same_v<T, EnumRow>) {
    return enums_;
  } else if constexpr (std::is_same_v<T, PortRow>) {
    return ports_;
  } else if constexpr (std::is_same_v<T, ParamRow>) {
    return params_;
  } else if constexpr (std::is_same_v<T, VariantRow>) {
    return variants_;
  } else if constexpr (std::is_same_v<T, CondRow>) {
    return conds_;
  } else if constexpr (std::is_same_v<T, ArgRow>) {
    return args_;
  } else if constexpr (std::is_same_v<T, AltRow>) {
    return alts_;
  } else if constexpr (std::is_same_v<T, ConstraintRow>) {
    return constraints_;
  } else if constexpr (std::is_same_v<T, OpRow>) {
    return ops_;
  } else if constexpr (std::is_same_v<T, BackendRow>) {
    return backends_;
  } else if constexpr (std::is_same_v<T, TreeRow>) {
    return tree_;
  } else if constexpr (std::is_same_v<T, DocumentRow>) {
    return documents_;
  } else {
    static_assert(std::is_same_v<T, RenameRow>);
    return renames_;
  }
}

// Whether a row of this range is known for the SDK and arch.
inline bool Covers(const Range& range, SdkKey sdk, int arch_index) {
  return range.since <= sdk && sdk < range.until && ((range.archs >> arch_index) & 1u) != 0;
}

}  // namespace quantgate::opdb

#endif  // QUANTGATE_CORE_DATABASE_VIEW_H_
