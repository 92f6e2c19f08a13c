#include "core/database/compile/precisions_reader.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/database/compile/op_reader.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {
namespace {

// A cell of the matrix keeps one bit per precision.
constexpr size_t kMaxPrecisions = 16;

void CheckTexts(MapReader& map, std::string_view key) {
  map.need(key);
  for (const Node* item : map.list(key)) {
    TextOf(*item, absl::StrCat("an entry of `", std::string(key), "`"), map.reporter());
  }
}

void CheckPrecision(const Node& node, const Reporter& reporter, std::set<std::string>& ids,
                    std::set<std::string>& marks) {
  MapReader map(node, "a precision", reporter);
  if (!map.ok()) return;
  map.need("id");
  map.need("mark");
  map.need("title");
  if (const auto id = map.text("id"); id && !ids.insert(*id).second) {
    reporter.At(node, absl::StrCat("duplicate precision ", Quoted(*id)));
  }
  if (const auto mark = map.text("mark")) {
    if (mark->size() != 1 || (*mark)[0] < 'A' || (*mark)[0] > 'Z') {
      reporter.At(*node.find("mark"), "`mark` must be one letter from A to Z");
    } else if (!marks.insert(*mark).second) {
      reporter.At(*node.find("mark"), absl::StrCat("duplicate mark ", Quoted(*mark)));
    }
  }
  map.text("title");
  map.text("unweighted");
  map.flag("needs_weight");
  for (const std::string_view key : {"data", "weight"}) {
    if (const Node* dtypes = map.need(key)) DtypeSet(*dtypes, reporter);
  }
  if (const Node* encodings = map.find("encodings")) EncodingSet(*encodings, reporter);
  map.integer("bits", 1, 32);
  map.Finish();
}

}  // namespace

void ReadPrecisions(const Node& node, const Reporter& reporter, Ir& ir) {
  MapReader map(node, "precisions.yaml", reporter);
  if (!map.ok()) return;
  if (const Node* roles = map.need("roles")) {
    MapReader by_use(*roles, "`roles`", reporter);
    CheckTexts(by_use, "data");
    CheckTexts(by_use, "weight");
    by_use.Finish();
  }
  if (const Node* plain = map.need("plain")) DtypeSet(*plain, reporter);
  map.need("precisions");
  const auto precisions = map.list("precisions");
  if (precisions.size() > kMaxPrecisions) {
    reporter.At(node, absl::StrCat("more than ", kMaxPrecisions, " precisions"));
  }
  std::set<std::string> ids, marks;
  for (const Node* precision : precisions) CheckPrecision(*precision, reporter, ids, marks);
  map.Finish();
  ir.documents["precisions"] = TreeOf(node);
}

}  // namespace quantgate::opdefs
