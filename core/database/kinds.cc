#include "core/database/kinds.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "core/database/describe.h"

namespace quantgate::opdb {
namespace {

// ---- what the rows of kinds.def are written with ------------------------------------------

using Key = ArgKey;
using Type = FieldType;

constexpr uint8_t kTensor = kOnPort | kOnAll;

constexpr FieldList kAsField = {{"as", Key::kAs, Type::kPort, true}};
constexpr FieldList kDimFields = {{"dim", Key::kDim, Type::kDims, true},
                                  {"eq", Key::kEq, Type::kExpr},
                                  {"min", Key::kMin, Type::kExpr},
                                  {"max", Key::kMax, Type::kExpr},
                                  {"max_exclusive", Key::kMaxExclusive, Type::kExpr},
                                  {"multiple_of", Key::kMultipleOf, Type::kExpr}};

template <size_t n>
struct Literal {
  consteval Literal(const char (&text)[n]) { std::copy_n(text, n, chars.data()); }
  std::array<char, n> chars;
};
// Of kinds that always read the same.
template <Literal literal>
std::string Says(const Arguments&) {
  return literal.chars.data();
}

// Of two parts either may be empty.
std::string Both(const std::string& a, const std::string& b) {
  return absl::StrCat(a, a.empty() || b.empty() ? "" : ", ", b);
}

std::string RankText(const Arguments& a) {
  std::string text = a.Bounds("rank");
  if (const std::string to = a.Text(Key::kSqueezableTo); !to.empty()) {
    text = Both(text, absl::StrCat("rank ", to, " after dropping dimensions of 1"));
  }
  if (a.Find(Key::kSparse) == nullptr) return text;
  return Both(text, a.Flag(Key::kSparse, false) ? "sparse" : "dense");
}

std::string SameEncodingText(const Arguments& a) {
  const std::string aspect = a.Text(Key::kAspect), as = a.Text(Key::kAs);
  if (aspect == "equal_or_smaller_scale") {
    return absl::StrCat("same encoding as ", as, ", or a smaller scale");
  }
  if (aspect == "equal_or_larger_scale") {
    return absl::StrCat("same encoding as ", as, ", or a larger scale");
  }
  if (aspect == "as_read" || aspect == "as_read_raw") {
    return absl::StrCat("same offset and whole part of the scale as ", as,
                        aspect == "as_read" ? ", read in the form of this encoding"
                                            : ", both read as per-tensor");
  }
  return absl::StrCat("same ", aspect.empty() || aspect == "both" ? "encoding" : aspect, " as ",
                      as);
}

#define KIND(symbol, ...) {.kind = Kind::symbol, __VA_ARGS__},
constexpr KindRow kKinds[] = {
#include "core/database/kinds.def"
};

#define ARG(symbol, name) name,
constexpr std::string_view kArgKeys[] = {
#include "core/database/kinds.def"
};

// In the order of CondKey; without the `_of` that names another port.
constexpr std::array<std::string_view, static_cast<size_t>(CondKey::kGraphInput) + 1> kCondKeys = {
    "dtype",     "dtype_not", "bits",     "encoding",      "param",
    "param_not", "rank",      "rank_min", "any_dim_above", "any_dim_not_multiple",
    "m",         "m_min",     "static",   "present",       "axes_include",
    "symmetric", "dim_eq",    "noop",     "graph_input"};

constexpr std::string_view kSourceKinds[] = {"documents", "revision", "measured"};

}  // namespace

std::span<const KindRow> Kinds() { return kKinds; }
const KindRow& RowOf(Kind kind) { return kKinds[static_cast<size_t>(kind)]; }
const KindRow* FindKind(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                        [&](const KindRow& row) { return row.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}
std::string_view ArgKeyName(ArgKey key) { return kArgKeys[static_cast<size_t>(key)]; }
std::string_view CondKeyName(CondKey key) { return kCondKeys[static_cast<size_t>(key)]; }
std::span<const std::string_view> SourceKindNames() { return kSourceKinds; }
std::string_view SourceKindName(SourceKind kind) { return kSourceKinds[static_cast<size_t>(kind)]; }

}  // namespace quantgate::opdb
