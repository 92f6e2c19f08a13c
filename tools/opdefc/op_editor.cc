#include "tools/opdefc/op_editor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/compile/constraint_form.h"
#include "core/database/compile/profiles.h"
#include "core/database/compile/section.h"
#include "core/database/compile/symbols.h"
#include "quantgate/dtype.h"

namespace quantgate::opdefs {
namespace {

Node Text(std::string_view text) {
  Node node;
  node.kind = Node::Kind::kScalar;
  node.text = text;
  return node;
}

Node Map() {
  Node node;
  node.kind = Node::Kind::kMap;
  return node;
}

void Erase(Node& of, const Node& child) {
  of.children.erase(of.children.begin() + (&child - of.children.data()));
}

// The ids of "INT16.1-4"; one without a range is itself.
bool NamesRow(std::string_view key, std::string_view id) {
  if (key == id) return true;
  const size_t dash = key.rfind('-');
  if (dash == key.npos) return false;
  size_t digits = dash;
  while (digits > 0 && absl::ascii_isdigit(static_cast<unsigned char>(key[digits - 1]))) --digits;
  if (id.substr(0, digits) != key.substr(0, digits)) return false;
  int first = 0, last = 0, number = 0;
  return absl::SimpleAtoi(Absl(key.substr(digits, dash - digits)), &first) &&
         absl::SimpleAtoi(Absl(key.substr(dash + 1)), &last) &&
         absl::SimpleAtoi(Absl(id.substr(digits)), &number) && first <= number && number <= last;
}

}  // namespace

void Place(Node& node, int line) {
  node.line = line;
  node.key_line = node.key.empty() ? 0 : line;
  for (Node& child : node.children) Place(child, line);
}

Node* FindEntry(Node& map, std::string_view key) {
  const auto it = std::find_if(map.children.begin(), map.children.end(),
                               [&](const Node& child) { return child.key == key; });
  return it == map.children.end() ? nullptr : &*it;
}

OpEditor::OpEditor(Node& root, const Node* profiles, const opdb::View& view, const opdb::OpRow& op,
                   const Reporter& reporter)
    : root_(root), profiles_(profiles), reporter_(reporter) {
  for (const auto& row : view.get(op.variants)) row_ids_.emplace(view.str(row.id));
  for (const auto& constraint : view.get(op.constraints)) {
    ids_.emplace(view.str(constraint.id));
    if (!view.str(constraint.profile).empty()) brought_.emplace(view.str(constraint.id));
  }
}

Node& OpEditor::SectionOf(Node& map, const std::string& name) {
  if (Node* known = FindEntry(map, name)) return *known;
  const std::string_view word = std::string_view(name).substr(0, name.find(' '));
  const Node* after = nullptr;
  for (const Node& one : map.children) {
    if (!IsSection(one.key)) continue;
    const bool alike = std::string_view(one.key).substr(0, one.key.find(' ')) == word;
    if (after == nullptr || alike) after = &one;
  }
  if (after == nullptr) {
    Append(map, name, Map());
    return map.children.back();
  }
  Node section = Map();
  section.key = name;
  Place(section, LastLine(*after));
  return *map.children.insert(map.children.begin() + (after - map.children.data()) + 1,
                              std::move(section));
}

void OpEditor::Append(Node& map, std::string key, Node value) {
  const int line = LastLine(map);
  value.key = std::move(key);
  Place(value, line);
  map.children.push_back(std::move(value));
}

Node& OpEditor::Rows() {
  if (Node* rows = FindEntry(root_, "rows")) return *rows;
  Append(root_, "rows", Map());
  return root_.children.back();
}

// Short names of dtypes, "-" for an absent port.
std::string OpEditor::RowText(const Node& row) const {
  std::vector<std::string> columns;
  for (const absl::string_view column : absl::StrSplit(Absl(row.text), ' ', absl::SkipEmpty())) {
    std::vector<std::string> names;
    for (const absl::string_view name : absl::StrSplit(column, '|')) {
      const auto dtype = DtypeFromName({name.data(), name.size()});
      names.push_back(name == "~" ? "-" : dtype ? std::string(DtypeShortName(*dtype))
                                                : std::string(name));
    }
    columns.push_back(absl::StrJoin(names, "|"));
  }
  return absl::StrJoin(columns, " ");
}

void OpEditor::AddRow(const Node& edit) {
  MapReader map(edit, "add_row", reporter_);
  const Node* section = map.need("section");
  const Node* row = map.need("row");
  std::string id = map.text("id").value_or("");
  const std::string group = map.text("group").value_or("");
  Node options = Map();
  for (const char* key : {"arch", "verdict", "undocumented_until", "untested", "needs", "sources"}) {
    if (const Node* option = map.find(key)) options.children.push_back(*option);
  }
  map.Finish();
  if (section == nullptr || row == nullptr) return;
  if (id.empty() == group.empty()) {
    reporter_.At(edit, "a row has an `id`, or a `group` in which it gets the next number");
    return;
  }
  const bool measured = section->text.starts_with("measured");
  for (int number = 1; id.empty() || (!group.empty() && row_ids_.contains(id)); ++number) {
    id = absl::StrCat(group, ".", measured ? "m" : "", number);
  }
  if (!row_ids_.insert(id).second) {
    reporter_.At(*map.find("id"), absl::StrCat("there is a row ", Quoted(id), " already"));
    return;
  }
  Node value = Text(RowText(*row));
  if (!options.children.empty()) {
    value.key = "row";
    options.children.insert(options.children.begin(), std::move(value));
    value = std::move(options);
  }
  Append(SectionOf(Rows(), section->text), id, std::move(value));
}

void OpEditor::AddConstraint(const Node& edit) {
  MapReader map(edit, "add_constraint", reporter_);
  const Node* section = map.need("section");
  const auto port = map.text("port");
  const auto given = map.text("name");
  const Node* body = map.need("body");
  map.need("port");
  map.Finish();
  if (section == nullptr || !port || body == nullptr) return;
  const std::string full = PortNameOf(*port).empty() ? *port : PortNameOf(*port);
  const std::string written = ShortPortName(full);
  const auto id_of = [&](const std::string& name) { return absl::StrCat(full, "/", name); };
  std::string name = given.value_or("");
  if (!given) {
    std::string kind = body->is_scalar() ? body->text : "";
    for (const Node& child : body->children) {
      if (!IsCommonKey(child.key)) kind = child.key;
    }
    std::replace(kind.begin(), kind.end(), '_', '-');
    name = kind;
    for (int i = 2; ids_.contains(id_of(name)); ++i) name = absl::StrCat(kind, "-", i);
  }
  if (!ids_.insert(id_of(name)).second) {
    reporter_.At(*map.find("name"), absl::StrCat("there is a constraint ", Quoted(id_of(name)),
                                                 " already"));
    return;
  }
  Append(SectionOf(root_, section->text), absl::StrCat(written, " ", name), *body);
}

std::optional<OpEditor::Taken> OpEditor::TakeOwn(Node& part, std::string_view port,
                                                 std::string_view name) {
  for (Node& section : part.children) {
    if (!IsSection(section.key)) continue;
    for (Node& entry : section.children) {
      const size_t space = entry.key.rfind(' ');
      if (space == std::string::npos || entry.key.substr(space + 1) != name) continue;
      std::vector<std::string> ports = SplitPorts(entry.key.substr(0, space));
      const auto own = std::find_if(ports.begin(), ports.end(), [&](const std::string& one) {
        return one == port || PortNameOf(one) == port;
      });
      if (own == ports.end()) continue;
      Taken taken{section.key, absl::StrCat(*own, " ", Absl(name)), entry};
      ports.erase(own);
      if (!ports.empty()) {
        entry.key = absl::StrCat(absl::StrJoin(ports, ", "), " ", Absl(name));
        return taken;
      }
      Erase(section, entry);
      if (section.children.empty()) Erase(part, section);
      return taken;
    }
  }
  return std::nullopt;
}

bool OpEditor::TakeUsed(Node& part, std::string_view port, std::string_view name) {
  Node* use = FindEntry(part, "use");
  if (use == nullptr) return false;
  for (Node& names : use->children) {
    const std::vector<std::string> ports = SplitPorts(names.key);
    const bool own = ports.size() == 1 && (ports[0] == port || PortNameOf(ports[0]) == port);
    if (!own) continue;
    for (Node& one : names.children) {
      if (one.text != name) continue;
      Erase(names, one);
      if (names.children.empty()) Erase(*use, names);
      if (use->children.empty()) Erase(part, *use);
      return true;
    }
  }
  return false;
}

void OpEditor::Except(std::string_view port, std::string_view name) {
  Node* except = FindEntry(root_, "except");
  if (except == nullptr) {
    Append(root_, "except", Map());
    except = &root_.children.back();
  }
  const std::string written = ShortPortName(port);
  Node* names = FindEntry(*except, written);
  if (names == nullptr) {
    Node list;
    list.kind = Node::Kind::kList;
    Append(*except, written, std::move(list));
    names = &except->children.back();
  }
  Node one = Text(name);
  Place(one, LastLine(*names));
  names->children.push_back(std::move(one));
}

std::optional<OpEditor::Taken> OpEditor::Shared(std::string_view port,
                                                std::string_view name) const {
  if (profiles_ == nullptr) return std::nullopt;
  for (const Node& section : profiles_->children) {
    if (!IsSection(section.key)) continue;
    for (const Node& entry : section.children) {
      if (entry.key != name) continue;
      return Taken{section.key, absl::StrCat(ShortPortName(port), " ", Absl(name)), entry};
    }
  }
  return std::nullopt;
}

std::optional<OpEditor::Taken> OpEditor::TakeRow(std::string_view id, const Node& place) {
  for (Node& section : Rows().children) {
    for (Node& entry : section.children) {
      if (!NamesRow(entry.key, id) && entry.key != id) continue;
      if (entry.key != id) {
        reporter_.At(place, absl::StrCat(Quoted(id), " is one of ", Quoted(entry.key),
                                         ": name them all, or divide the entry by hand"));
        return std::nullopt;
      }
      Taken taken{section.key, entry.key, entry};
      Erase(section, entry);
      if (section.children.empty()) Erase(Rows(), section);
      return taken;
    }
  }
  reporter_.At(place, absl::StrCat("unknown row ", Quoted(id), DidYouMeanOf(id, row_ids_)));
  return std::nullopt;
}

std::optional<OpEditor::Taken> OpEditor::Take(const Node& id) {
  const std::string_view text = id.text;
  if (text.starts_with('#')) return TakeRow(text.substr(1), id);
  const size_t slash = text.rfind('/');
  const std::string_view name = text.substr(slash + 1);
  const std::string given(text.substr(0, slash == text.npos ? 0 : slash));
  const std::string port = PortNameOf(given).empty() ? given : PortNameOf(given);
  const std::string full = absl::StrCat(port, "/", Absl(name));
  if (slash == text.npos || !ids_.contains(full)) {
    reporter_.At(id, absl::StrCat("unknown constraint ", Quoted(text), DidYouMeanOf(text, ids_)));
    return std::nullopt;
  }
  std::vector<Node*> parts = {&root_};
  if (Node* cases = FindEntry(root_, "cases")) {
    for (Node& one : cases->children) parts.push_back(&one);
  }
  for (Node* part : parts) {
    if (auto taken = TakeOwn(*part, port, name)) {
      if (part == &root_) return taken;
      reporter_.At(id, absl::StrCat(Quoted(text), " stands in a case: edit it by hand"));
      return std::nullopt;
    }
  }
  auto taken = Shared(port, name);
  if (!taken) {
    reporter_.At(id, absl::StrCat(Quoted(text), " comes of a template: edit it by hand"));
    return std::nullopt;
  }
  if (brought_.contains(full)) {
    Except(port, name);
  } else if (!TakeUsed(root_, port, name)) {
    reporter_.At(id, absl::StrCat(Quoted(text),
                                  " is named for several ports or in a case: edit it by hand"));
    return std::nullopt;
  }
  return taken;
}

void OpEditor::Remove(const Node& id) { Take(id); }

void OpEditor::Until(const Node& edit) {
  Move(edit, "until", [](std::string&, std::string& until, const std::string& sdk) { until = sdk; });
}

void OpEditor::Since(const Node& edit) {
  Move(edit, "since", [](std::string& since, std::string&, const std::string& sdk) { since = sdk; });
}

void OpEditor::Move(
    const Node& edit, std::string_view what,
    const std::function<void(std::string& since, std::string& until, const std::string& sdk)>& range) {
  MapReader map(edit, what, reporter_);
  const Node* id = map.need("id");
  const Node* sdk = map.need("sdk");
  map.Finish();
  if (id == nullptr || sdk == nullptr) return;
  auto taken = Take(*id);
  if (!taken) return;
  // "measured 2.49..2.52"
  std::string basis = taken->section, since, until;
  if (const size_t space = basis.find(' '), dots = basis.find(".."); space != basis.npos && dots != basis.npos) {
    since = basis.substr(space + 1, dots - space - 1);
    until = basis.substr(dots + 2);
    basis.resize(space);
  }
  range(since, until, sdk->text);
  if (!since.empty() || !until.empty()) absl::StrAppend(&basis, " ", since, "..", until);
  Node& sections = id->text.starts_with('#') ? Rows() : root_;
  Append(SectionOf(sections, basis), taken->key, std::move(taken->body));
}

}  // namespace quantgate::opdefs
