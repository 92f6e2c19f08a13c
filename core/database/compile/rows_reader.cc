#include "core/database/compile/rows_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"

namespace quantgate::opdefs {
namespace {

constexpr size_t kMostRows = 4096;  // of one entry

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t at = std::min(text.find(by), text.size());
    if (at > 0 || by != ' ') parts.push_back(text.substr(0, at));
    text.remove_prefix(std::min(at + 1, text.size()));
  }
  return parts;
}

// Of an id: no larger than an int.
std::optional<int> Number(std::string_view text) {
  const auto number = WholeNumber(text);
  if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

DtypeMask AnyDtype() {
  DtypeMask mask = 0;
  for (int i = 1; i < kDtypeCount; ++i) {
    const Dtype dtype = static_cast<Dtype>(i);
    // What tensors hold; 64-bit naturals, doubles and texts are params only.
    if (dtype != Dtype::kUint64 && dtype != Dtype::kFloat64 && dtype != Dtype::kString) {
      mask |= MaskOf(dtype);
    }
  }
  return mask;
}

}  // namespace

std::vector<ReadRow> RowsReader::Read(const Node& rows) {
  out_.clear();
  if (!rows.is_map()) {
    reporter_.At(rows, "`rows` must be a map of sections: documented 2.25.., measured");
    return {};
  }
  for (const Node& part : rows.children) {
    const auto section = ReadSection(part, symbols_.ir(), symbols_.backend(), reporter_);
    if (!section) continue;
    if (!part.is_map()) {
      reporter_.At(part, "a section of rows must be a map {ID: row}");
      continue;
    }
    for (const Node& entry : part.children) ReadEntry(entry, *section);
  }
  return std::move(out_);
}

std::optional<RowsReader::Ids> RowsReader::ReadIds(const Node& node) {
  Ids ids;
  const std::string_view key = node.key;
  const size_t dot = key.find('.');
  if (dot == 0 || dot == key.npos || dot + 1 == key.size()) {
    reporter_.AtKey(node, absl::StrCat("a row is named GROUP.NUMBER, not ", Quoted(key)));
    return std::nullopt;
  }
  ids.group = key.substr(0, dot);
  size_t digits = dot + 1;
  if (key[digits] == 'm') ++digits;
  ids.prefix = key.substr(0, digits);
  const std::string_view numbers = key.substr(digits);
  const size_t dash = numbers.find('-');
  const auto first = Number(numbers.substr(0, dash));
  const auto last = dash == numbers.npos ? first : Number(numbers.substr(dash + 1));
  if (!first || !last) {
    // A name with a version, "HTP.1-2.15": one row.
    ids.prefix = key;
    return ids;
  }
  ids.first = *first;
  ids.last = *last;
  ids.range = dash != numbers.npos;
  if (ids.range && ids.last <= ids.first) {
    reporter_.AtKey(node, absl::StrCat("empty range of rows ", Quoted(key)));
    return std::nullopt;
  }
  return ids;
}

std::optional<RowsReader::Cells> RowsReader::ReadCells(const Node& text) {
  const auto& ports = symbols_.op().ports;
  if (!text.is_scalar()) {
    reporter_.At(text, "a row must be text: a dtype a port");
    return std::nullopt;
  }
  const auto columns = Split(text.text, ' ');
  if (columns.size() != ports.size()) {
    reporter_.At(text, absl::StrCat("a row has ", ports.size(),
                                    " columns, one per declared port, inputs then outputs; ",
                                    Quoted(text.text), " has ", columns.size()));
    return std::nullopt;
  }
  Cells cells;
  for (const std::string_view column : columns) {
    std::vector<DtypeMask> alternatives;
    if (column.ends_with('|')) {
      reporter_.At(text, absl::StrCat("nothing behind the last | of ", Quoted(column)));
      return std::nullopt;
    }
    for (const std::string_view name : Split(column, '|')) {
      if (name == "-") {
        alternatives.push_back(0);
      } else if (name == "any") {
        alternatives.push_back(AnyDtype());
      } else if (const auto dtype = OneDtype(ScalarNode(text, name), reporter_)) {
        alternatives.push_back(MaskOf(*dtype));
      } else {
        return std::nullopt;
      }
    }
    cells.push_back(std::move(alternatives));
  }
  return cells;
}

bool RowsReader::ReadOptions(MapReader& map, const Section& section, Variant& variant) {
  variant.range.archs = symbols_.ArchsOf(map);
  if (map.find("needs") != nullptr) {
    variant.needs = symbols_.FeaturesOf(map);
  }
  const bool untested = map.flag("untested").value_or(false);
  if (map.find("sources") != nullptr) {
    variant.sources = symbols_.Sources(map, true);
  } else {
    variant.sources = sources_.empty() ? evidence_.SourcesOf(section, untested) : sources_;
  }
  if (variant.sources.empty()) {
    reporter_.At(map.node(), "no source follows from this section: name them in `sources`");
  }
  if (const Node* verdict = map.find("verdict")) {
    if (!verdict->is_scalar() || verdict->text != "undocumented") {
      reporter_.At(*verdict, "the verdict of a row can only be undocumented");
    }
    variant.consequence = Consequence::kUndocumented;
  } else {
    variant.undocumented_until = evidence_.RowUndocumentedUntil(section);
  }
  if (const Node* until = map.find("undocumented_until")) {
    variant.undocumented_until = symbols_.Sdk(*until, reporter_).value_or(0);
    if (variant.undocumented_until != 0 && variant.undocumented_until <= variant.range.since) {
      reporter_.At(*until, "undocumented_until must be above the first SDK of the row");
      return false;
    }
  }
  return true;
}

void RowsReader::ReadEntry(const Node& node, const Section& section) {
  const auto ids = ReadIds(node);
  if (!ids) return;
  Variant like;
  like.range = evidence_.RowRangeOf(section);
  const auto& needs = symbols_.backend().group_needs;
  if (const auto it = needs.find(ids->group); it != needs.end()) like.needs = it->second;
  const Node* texts = &node;
  Node none;
  none.kind = Node::Kind::kMap;
  MapReader map(node.is_map() ? node : none, "a row", reporter_);
  if (node.is_map()) {
    const Node* one = map.find("row");
    const Node* many = map.find("rows");
    if ((one == nullptr) == (many == nullptr)) {
      reporter_.At(node, "a row has either `row` or `rows`");
      return;
    }
    texts = one != nullptr ? one : many;
  }
  if (!ReadOptions(map, section, like)) return;
  map.Finish();
  std::vector<Cells> rows;
  for (const Node* text : OneOrMany(*texts)) {
    auto cells = ReadCells(*text);
    if (!cells) return;
    rows.push_back(*std::move(cells));
  }
  Add(node, *ids, like, rows);
}

void RowsReader::Add(const Node& node, const Ids& ids, const Variant& like,
                     const std::vector<Cells>& rows) {
  const auto push = [&](std::string id, std::vector<DtypeMask> dtypes) {
    ReadRow row{like, ids.group, &node};
    row.variant.id = std::move(id);
    row.variant.dtypes = std::move(dtypes);
    out_.push_back(std::move(row));
  };
  if (!ids.range) {
    if (rows.size() != 1) {
      reporter_.At(node, absl::StrCat(Quoted(node.key), " names one row, and ", rows.size(),
                                      " stand there"));
      return;
    }
    // A list per port: it states what goes together.
    std::vector<DtypeMask> dtypes;
    for (const auto& column : rows[0]) {
      DtypeMask mask = 0;
      for (const DtypeMask alternative : column) mask |= alternative;
      dtypes.push_back(mask);
    }
    push(node.key, std::move(dtypes));
    return;
  }
  std::vector<std::vector<DtypeMask>> all;
  for (const Cells& cells : rows) {
    std::vector<size_t> at(cells.size(), 0);
    while (all.size() <= kMostRows) {
      std::vector<DtypeMask> dtypes;
      for (size_t i = 0; i < cells.size(); ++i) dtypes.push_back(cells[i][at[i]]);
      all.push_back(std::move(dtypes));
      size_t i = cells.size();
      while (i > 0 && ++at[i - 1] == cells[i - 1].size()) at[--i] = 0;
      if (i == 0) break;
    }
  }
  const size_t named = static_cast<size_t>(ids.last - ids.first) + 1;
  if (all.size() != named) {
    reporter_.At(node,
                 absl::StrCat(Quoted(node.key), " names ", named, " rows, its alternatives make ",
                              all.size() > kMostRows ? "far more" : absl::StrCat(all.size())));
    return;
  }
  for (size_t i = 0; i < named; ++i) {
    push(absl::StrCat(ids.prefix, ids.first + static_cast<int>(i)), std::move(all[i]));
  }
}

}  // namespace quantgate::opdefs
