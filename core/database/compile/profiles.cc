#include "core/database/compile/profiles.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/base/nearest.h"
#include "core/database/compile/constraint_form.h"
#include "core/database/compile/template.h"

namespace quantgate::opdefs {
namespace {

std::string Unknown(std::string_view name, const Profiles& profiles) {
  std::vector<std::string_view> known;
  for (const auto& [id, profile] : profiles.profiles) known.push_back(id);
  for (const auto& [id, constraint] : profiles.constraints) known.push_back(id);
  return absl::StrCat("unknown profile or constraint ", Quoted(name), DidYouMeanOf(name, known));
}

class Expander {
 public:
  Expander(Profiles& profiles, const Reporter& reporter)
      : profiles_(profiles), reporter_(reporter) {}

  void Names(const Node& list, std::string_view port, const std::string& outermost) {
    Names(list, port, outermost, reporter_);
  }

  std::vector<Used> out;

 private:
  // `to`: of the file that the names stand in.
  void Names(const Node& list, std::string_view port, const std::string& outermost,
             const Reporter& to) {
    if (!list.is_list() || list.children.empty()) {
      to.At(list, "must be a list of names of profiles or constraints");
      return;
    }
    for (const Node& item : list.children) Name(item, port, outermost, to);
  }

  void Name(const Node& item, std::string_view port, const std::string& outermost,
            const Reporter& to) {
    if (!item.is_scalar()) {
      to.At(item, "a name must be text");
      return;
    }
    const std::string& name = item.text;
    profiles_.used[name] = true;
    const std::string& top = outermost.empty() ? name : outermost;
    if (profiles_.constraints.contains(name)) {
      if (port == "op") {
        to.At(item, absl::StrCat(Quoted(name), " is a constraint: name it at a port"));
      } else {
        out.push_back({std::string(port), name, outermost});
      }
      return;
    }
    const auto it = profiles_.profiles.find(name);
    if (it == profiles_.profiles.end()) {
      // It may stand in what couldn't be read.
      if (!profiles_.broken) to.At(item, Unknown(name, profiles_));
      return;
    }
    if (const auto begin = std::find(path_.begin(), path_.end(), name); begin != path_.end()) {
      Cycle(item, {begin, path_.end()}, to);
      return;
    }
    const Node& profile = it->second.node;
    if (profile.is_map() != (port == "op")) {
      to.At(item, absl::StrCat(Quoted(name), profile.is_map()
                                                 ? " is a profile of a whole op: name it under `op`"
                                                 : " is a profile of one port: name it at a port"));
      return;
    }
    path_.push_back(name);
    if (profile.is_map()) {
      for (const Node& part : profile.children) {
        for (const std::string& one : SplitPorts(part.key)) {
          Names(part, one, top, it->second.reporter);
        }
      }
    } else {
      Names(profile, port, top, it->second.reporter);
    }
    path_.pop_back();
  }

  // Said once, wherever a reader enters it.
  void Cycle(const Node& item, std::vector<std::string> names, const Reporter& to) {
    const std::string path = absl::StrCat(absl::StrJoin(names, " -> "), " -> ", names[0]);
    std::sort(names.begin(), names.end());
    if (!profiles_.cycles.insert(std::move(names)).second) return;
    to.At(item, absl::StrCat("a cycle of profiles: ", path));
  }

  Profiles& profiles_;
  const Reporter& reporter_;
  std::vector<std::string> path_;
};

void ReadConstraints(const Node& node, const Reporter& reporter, const Ir& ir,
                     const Backend& backend, Profiles& profiles, std::set<std::string>& names) {
  const auto section = ReadSection(node, ir, backend, reporter);
  if (!section) return;
  if (!node.is_map()) {
    reporter.At(node, absl::StrCat("`", node.key, "` must be a map {name: constraint}"));
    return;
  }
  for (const Node& written : node.children) {
    for (Node& entry : ExpandEach(written, reporter)) {
      if (!names.insert(entry.key).second) {
        reporter.AtKey(written, absl::StrCat("duplicate name ", Quoted(entry.key)));
      }
      FindForm(entry, entry.key, reporter);
      std::string name = entry.key;
      profiles.constraints.insert_or_assign(std::move(name),
                                            SharedConstraint{std::move(entry), *section, reporter});
    }
  }
}

void Read(const Node& node, const Reporter& reporter, const Ir& ir, const Backend& backend,
          Profiles& profiles) {
  MapReader map(node, "profiles.yaml", reporter);
  if (!map.ok()) return;
  const size_t before = reporter.errors->count();
  std::set<std::string> names;
  for (const Node& part : node.children) {
    if (TakesSection(map, part)) ReadConstraints(part, reporter, ir, backend, profiles, names);
  }
  const Node* list = map.find("profiles");
  map.Finish();
  if (list == nullptr) return;
  if (!list->is_map()) {
    reporter.At(*list, "`profiles` must be a map {name: names}");
    return;
  }
  for (const Node& profile : list->children) {
    if (!names.insert(profile.key).second) {
      reporter.AtKey(profile, absl::StrCat("duplicate name ", Quoted(profile.key)));
      continue;
    }
    profiles.profiles.insert_or_assign(profile.key, SharedProfile{profile, reporter});
  }
  // Of a section that isn't one every name would be unknown.
  if (reporter.errors->count() != before) return;
  // Unknown names and cycles are reported here, whether an op uses them or not.
  for (const Node& profile : list->children) {
    Node use;
    use.kind = Node::Kind::kList;
    Node& item = use.children.emplace_back();
    item.kind = Node::Kind::kScalar;
    item.text = profile.key;
    item.line = profile.key_line;
    item.column = profile.key_column;
    const bool was_used = profiles.used[profile.key];
    ExpandUse(use, profile.is_map() ? "op" : "this", profiles, reporter);
    profiles.used[profile.key] = was_used;
  }
}

}  // namespace

std::vector<std::string> SplitPorts(std::string_view text) {
  std::vector<std::string> ports;
  while (!text.empty()) {
    const size_t comma = std::min(text.find(','), text.size());
    std::string_view one = text.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    while (one.ends_with(' ')) one.remove_suffix(1);
    if (!one.empty()) ports.emplace_back(one);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return ports;
}

void ReadProfiles(const Node& node, const Reporter& reporter, const Ir& ir, const Backend& backend,
                  Profiles& profiles) {
  const size_t errors = reporter.errors->count();
  Read(node, reporter, ir, backend, profiles);
  profiles.broken = profiles.broken || reporter.errors->count() != errors;
}

std::vector<Used> ExpandUse(const Node& names, std::string_view port, Profiles& profiles,
                            const Reporter& reporter) {
  Expander expander(profiles, reporter);
  expander.Names(names, port, "");
  return std::move(expander.out);
}

}  // namespace quantgate::opdefs
