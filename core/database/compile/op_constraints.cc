#include "core/database/compile/op_constraints.h"

#include <algorithm>
#include <tuple>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/condition_reader.h"
#include "core/database/compile/template.h"

namespace quantgate::opdefs {
namespace {

bool SameSubject(const Cond& a, const Cond& b) {
  return std::tie(a.key, a.port, a.element, a.param) == std::tie(b.key, b.port, b.element, b.param);
}

Arg TextArg(opdb::ArgKey key, std::string text) {
  Arg arg;
  arg.key = key;
  arg.type = opdb::ArgType::kString;
  arg.text = std::move(text);
  return arg;
}

bool Same(const Cond& a, const Cond& b) {
  return SameSubject(a, b) && std::tie(a.mask, a.ints) == std::tie(b.mask, b.ints);
}

}  // namespace

void OpConstraints::Read(MapReader& map, std::vector<Constraint>& out) {
  for (Constraint& known : out) {
    by_id_.emplace(known.id, entries_.size());
    entries_.push_back({std::move(known), {}, nullptr, false});
  }
  out.clear();
  ReadPart(map, {});
  ReadCases(map);
  ReadRevisions(map);
  const auto subject = [](const Constraint& constraint) {
    return std::pair(constraint.port >= 0                ? int{constraint.port}
                     : constraint.port == opdb::kPortAll ? 1000
                                                         : 1001 + constraint.param,
                     int{constraint.element});
  };
  std::stable_sort(entries_.begin(), entries_.end(), [&](const Entry& a, const Entry& b) {
    return subject(a.constraint) < subject(b.constraint);
  });
  for (Entry& entry : entries_) {
    auto& conditions = entry.constraint.when;
    conditions.insert(conditions.end(), entry.when.begin(), entry.when.end());
    out.push_back(std::move(entry.constraint));
  }
}

void OpConstraints::ReadPart(MapReader& map, const std::vector<Cond>& when) {
  const size_t errors = reporter_.errors->count();
  Excluded excluded = ReadExcept(map);
  if (const Node* use = map.find("use")) {
    if (use->is_map()) {
      ReadUse(*use, excluded, when);
    } else {
      reporter_.At(*use, "`use` must be a map {port: names}");
    }
  }
  // A misspelt name brings nothing, and is reported as such.
  const bool clean = reporter_.errors->count() == errors && !profiles_.broken;
  for (const auto& [what, node] : excluded) {
    if (node == nullptr || !clean) continue;
    reporter_.At(*node, absl::StrCat("excludes nothing: no profile used here brings ",
                                     Quoted(what.second), " to ", what.first));
  }
  for (const Node& part : map.node().children) {
    if (TakesSection(map, part)) ReadOwn(part, when);
  }
}

void OpConstraints::ReadCases(MapReader& map) {
  for (const Node* node : map.list("cases")) {
    MapReader entry(*node, "a case", reporter_);
    if (!entry.ok()) continue;
    const Node* when = entry.need("when");
    if (when == nullptr) continue;
    const auto conditions = ConditionReader(symbols_, reporter_).Read(*when, -1);
    ReadPart(entry, conditions);
    entry.Finish();
  }
}

OpConstraints::Excluded OpConstraints::ReadExcept(MapReader& map) {
  Excluded excluded;
  const Node* except = map.find("except");
  if (except == nullptr) return excluded;
  if (!except->is_map()) {
    reporter_.At(*except, "`except` must be a map {port: names}");
    return excluded;
  }
  for (const Node& part : except->children) {
    for (const std::string& port : SplitPorts(part.key)) {
      for (const Node* name : OneOrMany(part)) {
        Node list;
        list.kind = Node::Kind::kList;
        list.children.push_back(*name);
        // The names of a profile stand for its constraints.
        for (const Used& used : ExpandUse(list, port, profiles_, reporter_)) {
          excluded[{port, used.name}] = name;
        }
      }
    }
  }
  return excluded;
}

void OpConstraints::ReadUse(const Node& use, Excluded& excluded, const std::vector<Cond>& when) {
  std::set<std::pair<std::string, std::string>> seen;
  for (const Node& part : use.children) {
    for (const std::string& port : SplitPorts(part.key)) {
      for (const Used& used : ExpandUse(part, port, profiles_, reporter_)) {
        const auto it = excluded.find({used.port, used.name});
        if (it != excluded.end()) {
          it->second = nullptr;
          continue;
        }
        if (seen.emplace(used.port, used.name).second) Use(used, part, when);
      }
    }
  }
}

Constraint OpConstraints::ReadOne(const Node& node, std::string_view name, const std::string& port,
                                  const Section& section, const Reporter& reporter) {
  symbols_.set_own_port(symbols_.FindPort(port));
  Constraint constraint = ConstraintReader(symbols_, reporter)
                              .Read(node, name, port, {section, evidence_, sources_});
  symbols_.set_own_port(std::nullopt);
  const std::string full = PortNameOf(port);
  constraint.id = absl::StrCat(full.empty() ? port : full, "/", std::string(name));
  return constraint;
}

void OpConstraints::Use(const Used& used, const Node& place, const std::vector<Cond>& when) {
  const SharedConstraint& shared = profiles_.constraints.find(used.name)->second;
  const bool subject = used.port == "all" || symbols_.FindPort(used.port) ||
                       symbols_.FindParam(used.port);
  if (!subject) {
    std::vector<std::string> names;
    for (const auto& known : symbols_.op().ports) names.push_back(ShortPortName(known.name));
    for (const auto& known : symbols_.op().params) names.push_back(known.name);
    reporter_.AtKey(place, absl::StrCat("unknown port or param ", Quoted(used.port),
                                        DidYouMeanOf(used.port, names)));
    return;
  }
  Constraint constraint =
      ReadOne(shared.node, used.name, used.port, shared.section, shared.reporter);
  constraint.profile = used.profile;
  if (Narrow(constraint)) Add({std::move(constraint), when, &place, true});
}

void OpConstraints::ReadOwn(const Node& part, const std::vector<Cond>& when) {
  const auto section = ReadSection(part, symbols_.ir(), symbols_.backend(), reporter_);
  if (!section) return;
  if (!part.is_map()) {
    reporter_.At(part, absl::StrCat("`", part.key, "` must be a map {PORT NAME: constraint}"));
    return;
  }
  for (const Node& written : part.children) {
    for (const Node& node : ExpandEach(written, reporter_)) {
      const size_t space = node.key.rfind(' ');
      if (space == std::string::npos || space == 0) {
        reporter_.AtKey(written, absl::StrCat("a constraint is written `PORT NAME: ...`, like in0 "
                                              "rank: ..5; ",
                                              Quoted(node.key), " names no port"));
        continue;
      }
      const std::string name = node.key.substr(space + 1);
      for (const std::string& port : SplitPorts(node.key.substr(0, space))) {
        Add({ReadOne(node, name, port, *section, reporter_), when, &written, false});
      }
    }
  }
}

// `revisions: {"2.18": text}`: what the revision history of the SDK says, nothing is checked.
void OpConstraints::ReadRevisions(MapReader& map) {
  const Node* revisions = map.find("revisions");
  if (revisions == nullptr) return;
  if (!revisions->is_map()) {
    reporter_.At(*revisions, "`revisions` must be a map {SDK: text}");
    return;
  }
  for (const Node& node : revisions->children) {
    Node sdk;
    sdk.kind = Node::Kind::kScalar;
    sdk.quoted = true;
    sdk.text = node.key;
    sdk.line = node.key_line;
    sdk.column = node.key_column;
    const auto since = symbols_.Sdk(sdk, reporter_);
    if (!since) continue;
    const std::string source = evidence_.RevisionOf(*since);
    if (source.empty()) {
      reporter_.AtKey(node, absl::StrCat("no source is the revision history of ", node.key));
      continue;
    }
    int count = 0;
    for (const Node* text : OneOrMany(node)) {
      Constraint note;
      note.kind = opdb::Kind::kNote;
      note.port = opdb::kPortAll;
      note.consequence = Consequence::kAdvice;
      note.range.since = *since;
      note.sources = {source};
      note.id = absl::StrCat("all/revision-", node.key, ++count > 1 ? absl::StrCat("-", count) : "");
      note.args = {TextArg(opdb::ArgKey::kTopic, "revision"),
                   TextArg(opdb::ArgKey::kText,
                           TextOf(*text, "a revision", reporter_).value_or(""))};
      Add({std::move(note), {}, &node, false});
    }
  }
}

bool OpConstraints::Join(std::vector<Cond>& into, const std::vector<Cond>& when) {
  if (into.size() != when.size()) return false;
  Cond* differs = nullptr;
  const Cond* other = nullptr;
  for (size_t i = 0; i < into.size(); ++i) {
    if (Same(into[i], when[i])) continue;
    if (differs != nullptr || !SameSubject(into[i], when[i]) ||
        into[i].key != opdb::CondKey::kParam) {
      return false;
    }
    differs = &into[i];
    other = &when[i];
  }
  if (differs == nullptr) return false;
  for (const int64_t value : other->ints) {
    if (std::find(differs->ints.begin(), differs->ints.end(), value) == differs->ints.end()) {
      differs->ints.push_back(value);
    }
  }
  return true;
}

void OpConstraints::Add(Entry entry) {
  const auto [it, added] = by_id_.emplace(entry.constraint.id, entries_.size());
  if (added) {
    entries_.push_back(std::move(entry));
    return;
  }
  Entry& known = entries_[it->second];
  if (entry.shared && known.shared && Join(known.when, entry.when)) return;
  if (entry.place != nullptr) {
    reporter_.AtKey(*entry.place,
                    absl::StrCat("duplicate constraint ", Quoted(entry.constraint.id)));
  }
}

bool OpConstraints::Narrow(Constraint& constraint) const {
  const auto own = [](const Cond& cond) {
    return cond.port == -1 && cond.key == opdb::CondKey::kDtype;
  };
  const auto it = std::find_if(constraint.when.begin(), constraint.when.end(), own);
  if (it == constraint.when.end() || constraint.port < 0) return true;
  DtypeMask possible = 0;
  for (const Variant& row : symbols_.op().variants) {
    possible |= row.dtypes[static_cast<size_t>(constraint.port)];
  }
  it->mask &= possible;
  return it->mask != 0;
}

}  // namespace quantgate::opdefs
