#include "core/database/compile/constraint_form.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/kinds.h"

namespace quantgate::opdefs {
namespace {

constexpr std::array<std::string_view, 8> kCommonKeys = {
    "when", "groups", "arch", "breach", "measured", "note", "sources", "untested"};
constexpr std::array<std::string_view, 2> kInnerKeys = {"port", "when"};

template <size_t n>
bool Holds(const std::array<std::string_view, n>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

const KindRow* KindOfName(std::string_view name) {
  std::string kind(name);
  std::replace(kind.begin(), kind.end(), '-', '_');
  return opdb::FindKind(kind);
}

std::string UnknownKind(std::string_view name) {
  std::vector<std::string_view> names;
  for (const KindRow& known : opdb::Kinds()) names.push_back(known.name);
  return absl::StrCat("unknown kind ", Quoted(name), DidYouMeanOf(name, names));
}

// The fields that the value of a kind says: a map of them, its main field, `min..max`, or none.
bool AddFields(const Node& value, const KindRow& kind, const Reporter& reporter, Node& fields) {
  if (value.is_null()) return true;
  if (value.is_map()) {
    fields.children.insert(fields.children.end(), value.children.begin(), value.children.end());
    return true;
  }
  const size_t dots = value.is_scalar() && kind.range ? value.text.find("..") : std::string::npos;
  if (dots != std::string::npos) {
    const std::string min = value.text.substr(0, dots), max = value.text.substr(dots + 2);
    if (!min.empty()) fields.children.push_back(ScalarNode(value, min, "min"));
    if (!max.empty()) fields.children.push_back(ScalarNode(value, max, "max"));
    return true;
  }
  if (kind.principal.empty()) {
    reporter.At(value, absl::StrCat("kind ", Absl(kind.name), " takes ",
                                    kind.range            ? "a range like 0..5 or a map of fields"
                                    : kind.fields.empty() ? "no value"
                                                          : "a map of fields"));
    return false;
  }
  Node field = value;
  field.key = kind.principal;
  fields.children.push_back(std::move(field));
  return true;
}

ConstraintForm FormOf(const KindRow& kind, const Node& place) {
  ConstraintForm form;
  form.kind = &kind;
  form.fields.kind = Node::Kind::kMap;
  form.fields.line = place.line;
  form.fields.column = place.column;
  return form;
}

// Whether the map of a constraint that is named by its kind has an entry for the kind as well; a
// kind may have a field of its own name: `dim: {dim: 0, eq: 1}`.
bool HoldsKind(const Node& node, const KindRow& kind) {
  const std::string_view name = kind.name;
  const Node* entry = node.find(name);
  if (entry == nullptr) return false;
  const bool field = std::any_of(kind.fields.begin(), kind.fields.end(),
                                 [&](const Field& one) { return one.name == name; });
  return !field || entry->is_map();
}

// Keys of a constraint that are neither its kind nor what any constraint may have.
bool KeysAreKnown(const Node& node, std::string_view kind, bool inner, const Reporter& reporter) {
  const bool note = kind == "note";
  bool good = true;
  for (const Node& child : node.children) {
    if (child.key == kind || (note && child.key == "topic") ||
        (inner ? IsInnerKey(child.key) : IsCommonKey(child.key))) {
      continue;
    }
    std::vector<std::string_view> known = {kind};
    if (note) known.emplace_back("topic");
    const std::span<const std::string_view> keys = inner ? kInnerKeys : CommonKeys();
    known.insert(known.end(), keys.begin(), keys.end());
    reporter.AtKey(child, absl::StrCat("unknown key ", Quoted(child.key), " of a constraint",
                                       DidYouMeanOf(child.key, known)));
    good = false;
  }
  return good;
}

// A note: its text and its topic stand next to each other.
ConstraintForm NoteForm(const Node& node) {
  ConstraintForm form = FormOf(*opdb::FindKind("note"), node);
  for (const Node& child : node.children) {
    if (child.key != "note" && child.key != "topic") continue;
    Node field = child;
    if (child.key == "note") field.key = "text";
    form.fields.children.push_back(std::move(field));
  }
  return form;
}

// The entry of a map that names a kind; an error where there are two or none.
const Node* KindEntry(const Node& node, bool inner, const Reporter& reporter) {
  const Node* entry = nullptr;
  std::string unknown;
  for (const Node& child : node.children) {
    if (inner ? IsInnerKey(child.key) : IsCommonKey(child.key)) continue;
    if (opdb::FindKind(child.key) == nullptr) {
      if (unknown.empty()) unknown = UnknownKind(child.key);
      continue;
    }
    if (entry != nullptr) {
      reporter.AtKey(child, absl::StrCat("a second kind beside ", Quoted(entry->key)));
      return nullptr;
    }
    entry = &child;
  }
  if (entry == nullptr) {
    reporter.At(node, unknown.empty() ? "a constraint names no kind" : unknown);
  }
  return entry;
}

}  // namespace

std::span<const std::string_view> CommonKeys() { return kCommonKeys; }
bool IsCommonKey(std::string_view key) { return Holds(kCommonKeys, key); }
bool IsInnerKey(std::string_view key) { return Holds(kInnerKeys, key); }

std::optional<ConstraintForm> FindForm(const Node& node, std::string_view name,
                                       const Reporter& reporter) {
  const bool inner = name.empty();
  const KindRow* named = inner ? nullptr : KindOfName(name);
  if (!node.is_map()) {
    const KindRow* kind = named;
    if (kind == nullptr) {
      kind = node.is_scalar() ? opdb::FindKind(node.text) : nullptr;
      if (kind == nullptr) {
        reporter.At(node, node.is_scalar()
                              ? UnknownKind(node.text)
                              : "a constraint must be a map or the name of a kind without fields");
        return std::nullopt;
      }
      return FormOf(*kind, node);
    }
    ConstraintForm form = FormOf(*kind, node);
    if (!AddFields(node, *kind, reporter, form.fields)) return std::nullopt;
    return form;
  }
  const bool has_kind =
      std::any_of(node.children.begin(), node.children.end(), [&](const Node& child) {
        return (inner ? !IsInnerKey(child.key) : !IsCommonKey(child.key)) &&
               opdb::FindKind(child.key) != nullptr;
      });
  if (!inner && node.find("note") != nullptr && !has_kind &&
      (named == nullptr || named->kind == opdb::Kind::kNote)) {
    if (!KeysAreKnown(node, "note", false, reporter)) return std::nullopt;
    return NoteForm(node);
  }
  // `rank: {min: 1, when: ...}`: the fields stand in the constraint itself.
  if (named != nullptr && !HoldsKind(node, *named)) {
    ConstraintForm form = FormOf(*named, node);
    for (const Node& child : node.children) {
      if (!IsCommonKey(child.key)) form.fields.children.push_back(child);
    }
    return form;
  }
  const Node* entry = KindEntry(node, inner, reporter);
  if (entry == nullptr || !KeysAreKnown(node, entry->key, inner, reporter)) return std::nullopt;
  const KindRow* kind = opdb::FindKind(entry->key);
  ConstraintForm form = FormOf(*kind, *entry);
  if (!AddFields(*entry, *kind, reporter, form.fields)) return std::nullopt;
  return form;
}

}  // namespace quantgate::opdefs
