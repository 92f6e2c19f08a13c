#include "core/database/compile/targets_reader.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "core/base/absl_view.h"
#include "core/base/nearest.h"
#include "core/database/compile/document/document_schema.h"
#include "core/database/compile/section.h"
#include "core/database/compile/symbols.h"
#include "core/database/image.h"
#include "core/database/kinds.h"
#include "quantgate/model.h"

namespace quantgate::opdefs {
namespace {

// An SDK version that needs not be known yet.
std::optional<SdkKey> NewSdk(const Node& node, const Reporter& reporter) {
  if (!node.is_scalar() || !node.quoted) {
    reporter.At(node, "an SDK version must be quoted text like \"2.25\"");
    return std::nullopt;
  }
  const auto key = ParseSdk(node.text);
  if (key.ok()) return *key;
  reporter.At(node, std::string(key.status().message()));
  return std::nullopt;
}

// Measured by others: as good as measured, but no evidence for a line by where that stands.
constexpr std::string_view kReported = "reported";

SourceKind KindOf(const Node& node, const Reporter& reporter) {
  if (node.text == kReported) return SourceKind::kMeasured;
  const auto names = opdb::SourceKindNames();
  const auto it = std::find(names.begin(), names.end(), node.text);
  if (node.is_scalar() && it != names.end()) {
    return static_cast<SourceKind>(it - names.begin());
  }
  reporter.At(node, absl::StrCat("a source is documents, revision, measured or reported, not ",
                                 Quoted(node.text), DidYouMeanOf(node.text, names)));
  return SourceKind::kDocuments;
}

// What only some chips have: `{float16: [FP16]}`, with the groups of rows that need it.
void ReadFeatures(const Node& node, const Reporter& reporter, Backend& backend) {
  if (!node.is_map()) {
    reporter.At(node, "`features` must be a map {FEATURE: [groups of rows that need it]}");
    return;
  }
  if (node.children.size() > opdb::kMaxFeatures) {
    reporter.At(node, absl::StrCat("more than ", opdb::kMaxFeatures, " features"));
    return;
  }
  for (const Node& feature : node.children) {
    const auto bit = static_cast<opdb::FeatureMask>(1u << backend.features.size());
    backend.features.push_back(feature.key);
    for (const Node* group : OneOrMany(feature)) {
      if (auto name = TextOf(*group, "a group", reporter)) backend.group_needs[*name] |= bit;
    }
  }
}

// Of backends whose ops are the operators of a file format.
void ReadFiles(MapReader& map, const Reporter& reporter, const Ir& ir, Backend& backend) {
  backend.dialect = map.text("dialect").value_or("");
  const Node* const dialect = map.find("dialect");
  if (dialect != nullptr && !DialectFromName(backend.dialect)) {
    reporter.At(*dialect, absl::StrCat("unknown dialect ", Quoted(backend.dialect),
                                       DidYouMeanOf(backend.dialect, DocumentStems("resolve"))));
  }
  backend.unlisted = map.text("unlisted").value_or("");
  if (const Node* since = map.find("unlisted_since")) {
    backend.unlisted_since = NewSdk(*since, reporter).value_or(0);
  }
  backend.route = map.text("route").value_or("");
  const Node* const route = map.find("route");
  if (route != nullptr && !ir.routes.contains(backend.route)) {
    reporter.At(*route, absl::StrCat("unknown route ", Quoted(backend.route),
                                     DidYouMeanOf(backend.route, ir.routes)));
  }
}

// False where there are more than an image can hold.
bool ReadArchs(const Node& node, MapReader& map, const Reporter& reporter, Backend& backend) {
  for (const Node* arch : map.list("archs")) {
    const auto name = TextOf(*arch, "an arch", reporter);
    if (!name) continue;
    if (std::find(backend.archs.begin(), backend.archs.end(), *name) != backend.archs.end()) {
      reporter.At(*arch, absl::StrCat("duplicate arch ", Quoted(*name)));
    }
    backend.archs.push_back(*name);
  }
  if (backend.archs.size() > opdb::kMaxArchs) {
    reporter.At(node, absl::StrCat("more than ", opdb::kMaxArchs, " archs"));
    return false;
  }
  const Node* arch = backend.archs.empty() ? map.find("default_arch") : map.need("default_arch");
  if (arch != nullptr) {
    const auto it = std::find(backend.archs.begin(), backend.archs.end(), arch->text);
    if (it == backend.archs.end()) {
      reporter.At(*arch, absl::StrCat("unknown arch ", Quoted(arch->text),
                                      DidYouMeanOf(arch->text, backend.archs)));
    } else {
      backend.default_arch = static_cast<int16_t>(it - backend.archs.begin());
    }
  }
  return true;
}

void ReadSdks(MapReader& map, const Reporter& reporter, Backend& backend) {
  if (const Node* tuples = map.need("tuple_rows")) {
    if (tuples->quoted) {
      backend.tuples_since = NewSdk(*tuples, reporter).value_or(0);
    } else {
      backend.tuples_since = map.flag("tuple_rows").value_or(true) ? 0 : kSdkOpen;
    }
  }
  const Node* sdks = map.need("sdks");
  for (const Node* sdk : map.list("sdks")) {
    const auto key = NewSdk(*sdk, reporter);
    if (!key) continue;
    if (!backend.sdks.empty() && *key <= backend.sdks.back()) {
      reporter.At(*sdk, "SDK versions must be listed once each, oldest first");
    }
    backend.sdks.push_back(*key);
  }
  if (sdks != nullptr && backend.sdks.empty()) reporter.At(*sdks, "no SDK version");
}

// Takes over what a backend has in the database that this one extends. False where they don't fit.
bool TakeOver(const Node& node, const Reporter& reporter, Backend& old, Backend& backend) {
  const auto must_begin = [&](std::string_view what) {
    reporter.At(node, absl::StrCat(Absl(what), " of ", node.key,
                                   " must begin with those of the database it extends"));
    return false;
  };
  const auto begins_with = [](const std::vector<std::string>& list, const std::vector<std::string>& first) {
    return list.size() >= first.size() && std::equal(first.begin(), first.end(), list.begin());
  };
  // Ops of the base refer to archs by their place in the list, and their rows to features.
  if (!begins_with(backend.archs, old.archs)) return must_begin("archs");
  if (backend.features.empty()) {
    backend.features = old.features;
    backend.group_needs = old.group_needs;
  } else if (!begins_with(backend.features, old.features)) {
    return must_begin("features");
  }
  backend.ops = std::move(old.ops);
  backend.has_socs |= old.has_socs;
  return true;
}

void ReadBackend(const Node& node, const Reporter& reporter, Ir& ir) {
  MapReader map(node, "a backend", reporter);
  if (!map.ok()) return;
  Backend backend;
  if (!ReadArchs(node, map, reporter, backend)) return;
  ReadSdks(map, reporter, backend);
  backend.measured_by = map.text("measured_by").value_or("");
  backend.has_op_validation = map.flag("op_validation").value_or(true);
  ReadFiles(map, reporter, ir, backend);
  backend.has_socs = map.flag("socs").value_or(false);
  if (const Node* features = map.find("features")) ReadFeatures(*features, reporter, backend);
  map.Finish();
  backend.first_measured = Evidence(ir, node.key).FirstMeasured().value_or(kSdkOpen);
  if (backend.sdks.empty()) return;
  const auto old = ir.backends.find(node.key);
  if (old != ir.backends.end() && !TakeOver(node, reporter, old->second, backend)) return;
  ir.backends[node.key] = std::move(backend);
}

void ReadSoc(const Node& node, const Reporter& reporter, Ir& ir, std::set<int64_t>& ids,
             std::set<std::string>& names) {
  MapReader map(node, "a soc", reporter);
  if (!map.ok()) return;
  Soc soc;
  map.need("id");
  map.need("name");
  const auto id = map.integer("id", 0, INT32_MAX);
  soc.name = map.text("name").value_or("");
  for (const Node* alias : map.list("aliases")) {
    if (auto name = TextOf(*alias, "an alias", reporter)) soc.aliases.push_back(*std::move(name));
  }
  const Node* arch = map.need("arch");
  if (arch != nullptr && !arch->is_null()) soc.arch = map.text("arch").value_or("");
  soc.vtcm_mb = static_cast<int16_t>(map.integer("vtcm_mb", 0, 4096).value_or(0));
  const Backend* const backend = ir.BackendOfSocs();
  for (const Node* feature : map.list("lacks")) {
    auto name = TextOf(*feature, "a feature", reporter);
    if (!name) continue;
    if (backend == nullptr || !absl::c_linear_search(backend->features, *name)) {
      reporter.At(*feature, absl::StrCat("no backend with `socs: true` has the feature ", Quoted(*name)));
    }
    soc.lacks.push_back(*std::move(name));
  }
  const Op none;
  const Backend no_backend;
  Symbols(ir, no_backend, none).Sources(map, true);
  map.Finish();
  if (!id) return;
  if (!ids.insert(*id).second) reporter.At(node, absl::StrCat("duplicate soc id ", *id));
  if (!names.insert(soc.name).second) {
    reporter.At(node, absl::StrCat("duplicate soc ", Quoted(soc.name)));
  }
  ir.socs[static_cast<int32_t>(*id)] = std::move(soc);
}

// What it confirms is looked up when the ops are known.
void ReadConfirms(MapReader& map, const Source& source) {
  const Node *confirms = map.find("confirms"), *kind = map.find("kind");
  const bool reported = kind != nullptr && kind->text == kReported;
  if (confirms != nullptr && (!reported || !confirms->is_map())) {
    map.reporter().AtKey(*confirms, "`confirms` is a map {backend/Op: [ids]} of a source of kind reported");
  }
  if (reported && (source.partial || !source.backends.empty())) {
    map.reporter().At(map.node(), "a reported source is evidence for what it `confirms` or what names it, and "
                                  "has neither `backends` nor `partial`");
  }
}

}  // namespace

void ReadSources(const Node& node, const Reporter& reporter, Ir& ir) {
  MapReader file(node, "sources.yaml", reporter);
  if (!file.ok()) return;
  file.need("sources");
  std::set<std::string> ids;
  for (const Node* entry : file.list("sources")) {
    MapReader map(*entry, "a source", reporter);
    if (!map.ok()) continue;
    Source source;
    for (const char* key : {"id", "kind", "title", "sdk"}) map.need(key);
    const std::string id = map.text("id").value_or("");
    source.title = map.text("title").value_or("");
    if (const Node* sdk = map.find("sdk")) source.sdk = NewSdk(*sdk, reporter).value_or(0);
    if (const Node* kind = map.find("kind")) source.kind = KindOf(*kind, reporter);
    source.partial = map.flag("partial").value_or(false);
    for (const Node* backend : map.list("backends")) {
      if (auto name = TextOf(*backend, "a backend", reporter)) {
        source.backends.push_back(*std::move(name));
      }
    }
    ReadConfirms(map, source);
    map.Finish();
    if (id.empty()) continue;
    if (!ids.insert(id).second) reporter.At(*entry, absl::StrCat("duplicate source ", Quoted(id)));
    ir.sources[id] = std::move(source);
  }
  file.Finish();
}

void ReadTargets(const Node& node, const Reporter& reporter, Ir& ir) {
  MapReader file(node, "targets.yaml", reporter);
  if (!file.ok()) return;
  if (const Node* backends = file.find("backends")) {
    if (!backends->is_map()) reporter.At(*backends, "`backends` must be a map");
    for (const Node& backend : backends->children) ReadBackend(backend, reporter, ir);
  }
  std::set<int64_t> ids;
  std::set<std::string> names;
  for (const Node* soc : file.list("socs")) ReadSoc(*soc, reporter, ir, ids, names);
  file.Finish();
}

}  // namespace quantgate::opdefs
