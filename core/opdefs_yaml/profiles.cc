#include "core/opdefs_yaml/profiles.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/opdefs_yaml/constraint_form.h"
#include "core/opdefs_yaml/template.h"
#include "core/types/nearest.h"

namespace quantgate::opdefs {
namespace {


std::string Unknown(std::string_view name, const Profiles& profiles) {
  std::vector<std::string_view> known;
  for (const auto& [id, node] : profiles.profiles) known.push_back(id);
  for (const auto& [id, constraint] : profiles.constraints) known.push_back(id);
  return absl::StrCat("unknown profile or constraint ", Quoted(name), DidYouMeanOf(name, known));
}

class Expander {
 public:
  Expander(Profiles& profiles, const Reporter& reporter)
      : profiles_(profiles), reporter_(reporter) {}

  void Names(const Node& list, std::string_view port, const std::string& outermost) {
    if (!list.is_list() || list.children.empty()) {
      reporter_.At(list, "must be a list of names of profiles or constraints");
      return;
    }
    for (const Node& item : list.children) Name(item, port, outermost);
  }

  std::vector<Used> out;

 private:
  void Name(const Node& item, std::string_view port, const std::string& outermost) {
    if (!item.is_scalar()) {
      reporter_.At(item, "a name must be text");
      return;
    }
    const std::string& name = item.text;
    profiles_.used[name] = true;
    const std::string& top = outermost.empty() ? name : outermost;
    if (profiles_.constraints.contains(name)) {
      if (port == "op") {
        reporter_.At(item, absl::StrCat(Quoted(name), " is a constraint: name it at a port"));
      } else {
        out.push_back({std::string(port), name, outermost});
      }
      return;
    }
    const auto it = profiles_.profiles.find(name);
    if (it == profiles_.profiles.end()) {
      reporter_.At(item, Unknown(name, profiles_));
      return;
    }
    if (std::find(path_.begin(), path_.end(), name) != path_.end()) {
      std::string cycle;
      for (const std::string& step : path_) absl::StrAppend(&cycle, step, " -> ");
      reporter_.At(item, absl::StrCat("a cycle of profiles: ", cycle, name));
      return;
    }
    const Node& profile = it->second;
    if (profile.is_map() != (port == "op")) {
      reporter_.At(item, profile.is_map()
                             ? absl::StrCat(Quoted(name), " is a profile of a whole op: name it "
                                                          "under `op`")
                             : absl::StrCat(Quoted(name), " is a profile of one port: name it at "
                                                          "a port"));
      return;
    }
    path_.push_back(name);
    if (profile.is_map()) {
      for (const Node& part : profile.children) {
        for (const std::string& to : SplitPorts(part.key)) Names(part, to, top);
      }
    } else {
      Names(profile, port, top);
    }
    path_.pop_back();
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
      profiles.constraints.insert_or_assign(
          std::move(name), SharedConstraint{std::move(entry), *section, reporter});
    }
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
  MapReader map(node, "profiles.yaml", reporter);
  if (!map.ok()) return;
  std::set<std::string> names;
  for (const Node& part : node.children) {
    if (!IsSection(part.key)) continue;
    map.Has(part.key);
    ReadConstraints(part, reporter, ir, backend, profiles, names);
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
    if (!profile.is_map() && !profile.is_list()) {
      reporter.At(profile, "a profile must be a list of names, or a map of them by port");
      continue;
    }
    profiles.profiles.insert_or_assign(profile.key, profile);
  }
  // Unknown names and cycles are told here, whether an op uses them or not.
  for (const Node& profile : list->children) {
    if (!profile.is_map() && !profile.is_list()) continue;
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

std::vector<Used> ExpandUse(const Node& names, std::string_view port, Profiles& profiles,
                            const Reporter& reporter) {
  Expander expander(profiles, reporter);
  expander.Names(names, port, "");
  return std::move(expander.out);
}

}  // namespace quantgate::opdefs
