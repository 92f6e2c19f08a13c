// What holds between the entries of a document, beyond its table.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/document/document_checker.h"
#include "quantgate/target.h"

namespace quantgate::opdefs {
namespace {

const Node* MapEntry(const Node& node, std::string_view key) {
  const Node* value = node.is_map() ? node.find(key) : nullptr;
  return value != nullptr && value->is_map() ? value : nullptr;
}

const std::vector<Node>& ItemsOf(const Node& node, std::string_view key) {
  static const std::vector<Node> kNone;
  const Node* value = node.is_map() ? node.find(key) : nullptr;
  return value != nullptr && value->is_list() ? value->children : kNone;
}

const Node* TempOf(const Node& port) {
  const Node* temp = port.is_map() ? port.find("temp") : nullptr;
  return temp != nullptr && temp->is_scalar() ? temp : nullptr;
}

// A tensor between two steps is an output of the one and an input of a later one.
void CheckSteps(const std::vector<Node>& steps, const Reporter& reporter) {
  std::vector<std::string_view> written;
  for (const Node& step : steps) {
    for (const Node& port : ItemsOf(step, "inputs")) {
      const Node* temp = TempOf(port);
      if (temp == nullptr || std::find(written.begin(), written.end(), temp->text) != written.end())
        continue;
      reporter.At(*temp, absl::StrCat("no step before writes ", Quoted(temp->text),
                                      DidYouMeanOf(temp->text, written)));
    }
    for (const Node& port : ItemsOf(step, "outputs")) {
      if (const Node* temp = TempOf(port)) written.push_back(temp->text);
    }
  }
}

void CheckCases(const std::vector<Node>& cases, const Reporter& reporter) {
  for (size_t i = 0; i < cases.size(); ++i) {
    CheckSteps(ItemsOf(cases[i], "steps"), reporter);
    if (i + 1 < cases.size() && cases[i].is_map() && cases[i].find("when") == nullptr) {
      reporter.At(cases[i + 1], "is never chosen: the case before has no `when`");
    }
  }
}

// "routes/qairt" says `route: qairt`.
void CheckOwnName(std::string_view document, std::string_view key, const Node& node,
                  const Reporter& reporter) {
  const std::string_view stem = document.substr(document.find('/') + 1);
  const Node* name = node.find(key);
  if (name == nullptr || name->text == stem) return;
  reporter.At(*name, absl::StrCat("`", std::string(key), "` must be the file's name, ",
                                  std::string(stem), ", not ", Quoted(name->text)));
}

// `from` and `before` of a row name releases, which are in the order of their SDKs.
void CheckReleases(const Node& node, const Reporter& reporter) {
  std::vector<std::string_view> names;
  SdkKey last = 0;
  for (const Node& release : ItemsOf(node, "releases")) {
    const Node *name = release.find("name"), *sdk = release.find("sdk");
    if (name == nullptr || sdk == nullptr) continue;
    names.push_back(name->text);
    const SdkKey key = ParseSdk(sdk->text).value_or(last);
    if (key < last) reporter.At(*sdk, "is older than the SDK of the release before it");
    last = key;
  }
  for (const Node& row : ItemsOf(node, "operators")) {
    for (const std::string_view key : {"from", "before"}) {
      const Node* release = row.is_map() ? row.find(key) : nullptr;
      if (release == nullptr || std::find(names.begin(), names.end(), release->text) != names.end()) continue;
      reporter.At(*release, absl::StrCat("no release of the route is named ", Quoted(release->text),
                                         DidYouMeanOf(release->text, names)));
    }
  }
}

void CheckMappings(const Node& node, const Reporter& reporter) {
  const Node* ops = MapEntry(node, "ops");
  if (ops == nullptr) return;
  for (const Node& entry : ops->children) {
    CheckSteps(ItemsOf(entry, "steps"), reporter);
    CheckCases(ItemsOf(entry, "cases"), reporter);
  }
}

void CheckRecipes(const Node& node, const Reporter& reporter) {
  const Node* forms = MapEntry(node, "forms");
  const Node* layers = MapEntry(node, "layers");
  if (forms == nullptr || layers == nullptr) return;
  std::vector<std::string_view> names;
  for (const Node& form : forms->children) names.push_back(form.key);
  for (const Node& dialect : layers->children) {
    for (const Node& layer : dialect.children) {
      const Node* form = layer.is_map() ? layer.find("form") : nullptr;
      if (form == nullptr || !form->is_scalar()) continue;
      if (std::find(names.begin(), names.end(), form->text) != names.end()) continue;
      reporter.At(*form, absl::StrCat("unknown form ", Quoted(form->text),
                                      DidYouMeanOf(form->text, names)));
    }
  }
}

}  // namespace

void CheckRelations(std::string_view document, const Node& node, const Reporter& reporter) {
  if (document.starts_with("resolve/")) {
    CheckOwnName(document, "dialect", node, reporter);
    CheckMappings(node, reporter);
  } else if (document.starts_with("routes/")) {
    CheckOwnName(document, "route", node, reporter);
    CheckReleases(node, reporter);
  } else if (document.starts_with("recipes/")) {
    CheckRecipes(node, reporter);
  }
}

}  // namespace quantgate::opdefs
