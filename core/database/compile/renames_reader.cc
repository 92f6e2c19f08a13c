#include "core/database/compile/renames_reader.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/document/document_types.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {
namespace {

using namespace shapes;  // NOLINT(google-build-using-namespace)

constexpr DocumentShape kOneOrMore = {.type = kText, .as_list = &kTexts};
constexpr DocumentShape kPlaces = {.type = kNamed, .item = &kOneOrMore};
constexpr DocumentKey kEntryKeys[] = {
    {"now", &kOneOrMore}, {"gone", &kAnyText}, {"ports", &kPlaces}};
constexpr DocumentShape kEntry = {
    .type = kMap, .what = "an entry of a name", .keys = kEntryKeys, .one_of = "now|gone"};
// A list of maps only: several new names stand in `now`.
constexpr DocumentShape kEntries = {.type = kList, .item = &kEntry};
constexpr DocumentShape kOldName = {.type = kText, .as_list = &kEntries};
constexpr DocumentShape kOldNames = {.type = kNamed, .item = &kOldName};
constexpr DocumentShape kOfBackends = {.type = kNamed, .item = &kOldNames};

class RenamesReader {
 public:
  RenamesReader(const Reporter& reporter, const Ir& ir) : reporter_(reporter), ir_(ir) {}

  std::vector<Rename> Read(const Node& file) {
    for (const Node& version : file.children) {
      if (!IsVersion(version.key)) {
        reporter_.AtKey(version, absl::StrCat("a version of quantgate is quoted text like \"0.2\", "
                                              "not ",
                                              Quoted(version.key)));
      }
      for (const Node& backend : version.children) OfBackend(version.key, backend);
    }
    return std::move(renames_);
  }

 private:
  static bool IsVersion(std::string_view text) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    const size_t dot = text.find('.');
    return dot != text.npos && dot > 0 && dot + 1 < text.size() &&
           std::all_of(text.begin(), text.end(), [&](char c) { return digit(c) || c == '.'; });
  }

  void OfBackend(const std::string& version, const Node& backend) {
    const auto known = ir_.backends.find(backend.key);
    if (known == ir_.backends.end()) {
      std::vector<std::string_view> names;
      for (const auto& [name, row] : ir_.backends) names.push_back(name);
      return reporter_.AtKey(backend, absl::StrCat("unknown backend ", Quoted(backend.key),
                                                   DidYouMeanOf(backend.key, names)));
    }
    backend_ = &known->second;
    names_.clear();
    for (const auto& [op, row] : backend_->ops) {
      for (const Constraint& c : row.constraints) {
        names_.insert(std::string_view(c.id).substr(c.id.rfind('/') + 1));
      }
    }
    for (const Node& old : backend.children) {
      rename_ = {.since = version,
                 .backend = backend.key,
                 .was = old.key,
                 .places = {},
                 .now = {},
                 .gone = {}};
      if (old.is_scalar()) {
        Now(old);
        renames_.push_back(rename_);
      } else {
        Entries(old);
      }
    }
  }

  void Entries(const Node& old) {
    std::set<std::string> seen;
    for (const Node& entry : old.children) {
      rename_.places.clear();
      rename_.now.clear();
      rename_.gone.clear();
      if (const Node* ports = entry.find("ports")) {
        Places(*ports, seen);
      } else if (&entry != &old.children.back()) {
        reporter_.At(entry, "an entry without `ports` is for all others: it must be the last");
      }
      if (const Node* now = entry.find("now")) Now(*now);
      if (const Node* gone = entry.find("gone")) rename_.gone = gone->text;
      renames_.push_back(rename_);
    }
  }

  void Places(const Node& ports, std::set<std::string>& seen) {
    for (const Node& op : ports.children) {
      const auto known = backend_->ops.find(op.key);
      if (known == backend_->ops.end()) {
        std::vector<std::string_view> names;
        for (const auto& [name, row] : backend_->ops) names.push_back(name);
        reporter_.AtKey(op,
                        absl::StrCat("unknown op ", Quoted(op.key), DidYouMeanOf(op.key, names)));
        continue;
      }
      for (const Node* port : OneOrMany(op)) {
        const std::string full = PortNameOf(port->text);
        std::string place = absl::StrCat(op.key, "/", full.empty() ? port->text : full);
        if (!IsSubject(known->second, *port)) continue;
        if (!seen.insert(place).second) {
          reporter_.At(*port, absl::StrCat(place, " stands here twice"));
        }
        rename_.places.push_back(std::move(place));
      }
    }
    std::sort(rename_.places.begin(), rename_.places.end());
  }

  // A port or param of the op, or "all".
  bool IsSubject(const Op& op, const Node& name) {
    std::vector<std::string> names = {"all"};
    for (const Param& param : op.params) names.push_back(param.name);
    for (const Port& port : op.ports) names.push_back(ShortPortName(port.name));
    const auto wanted = ParsePortName(PortNameOf(name.text));
    const bool declared = std::find(names.begin(), names.end(), name.text) != names.end();
    // "in3" is a tensor of in0..m.
    const bool element =
        wanted && std::any_of(op.ports.begin(), op.ports.end(), [&](const Port& port) {
          const auto own = ParsePortName(port.name);
          return own && own->variadic && own->input == wanted->input && own->first <= wanted->first;
        });
    if (declared || element) return true;
    reporter_.At(name, absl::StrCat("unknown port or param ", Quoted(name.text),
                                    DidYouMeanOf(name.text, names)));
    return false;
  }

  // Each of the names must be a constraint's, at every place.
  void Now(const Node& now) {
    for (const Node* name : OneOrMany(now)) {
      rename_.now.push_back(name->text);
      if (rename_.places.empty() && !names_.contains(name->text)) {
        reporter_.At(*name, absl::StrCat("no op of ", rename_.backend, " has a constraint ",
                                         Quoted(name->text), DidYouMeanOf(name->text, names_)));
      }
      for (const std::string& place : rename_.places) Has(place, *name);
    }
  }

  void Has(const std::string& place, const Node& name) {
    const size_t slash = place.find('/');
    const Op& op = backend_->ops.at(place.substr(0, slash));
    const std::string prefix = place.substr(slash + 1) + "/";
    std::vector<std::string_view> there;
    for (const Constraint& c : op.constraints) {
      if (c.id.starts_with(prefix)) there.push_back(std::string_view(c.id).substr(prefix.size()));
    }
    if (std::find(there.begin(), there.end(), name.text) != there.end()) return;
    reporter_.At(name, absl::StrCat(place, " has no constraint ", Quoted(name.text),
                                    DidYouMeanOf(name.text, there)));
  }

  const Reporter& reporter_;
  const Ir& ir_;
  const Backend* backend_ = nullptr;
  std::set<std::string_view> names_;  // of all constraints of the backend
  Rename rename_;
  std::vector<Rename> renames_;
};

}  // namespace

const opdb::DocumentShape kRenamesShape = {.type = kNamed, .item = &kOfBackends};

void ReadRenames(const Node& node, const Reporter& reporter, Ir& ir) {
  std::vector<Rename> renames = RenamesReader(reporter, ir).Read(node);
  std::set<std::pair<std::string, std::string>> said;
  for (const Rename& one : renames) said.insert({one.backend, one.was});
  std::erase_if(ir.renames, [&](const Rename& one) {
    return said.contains({one.backend, one.was});
  });
  ir.renames.insert(ir.renames.begin(), std::make_move_iterator(renames.begin()),
                    std::make_move_iterator(renames.end()));
}

}  // namespace quantgate::opdefs
