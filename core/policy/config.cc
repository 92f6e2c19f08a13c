#include "quantgate/config.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <span>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/base/absl_view.h"
#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/document/yaml.h"
#include "core/policy/toml.h"
#include "core/readers/file_bytes.h"
#include "quantgate/policy.h"
#include "quantgate/target_list.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

using opdefs::Errors;
using opdefs::MapReader;
using YamlNode = opdefs::Node;
using opdefs::OneOrMany;
using opdefs::TextOf;

class ConfigReader {
 public:
  ConfigReader(const std::string& file, Errors& errors)
      : reporter_{file, &errors}, folder_(std::filesystem::path(file).parent_path()) {
    config_.file = file;
  }

  Config Read(const YamlNode& root) && {
    MapReader map(root, "the configuration", reporter_);
    if (const YamlNode* target = map.find("target")) Targets({target});
    if (const YamlNode* targets = map.find("targets")) {
      if (map.find("target") != nullptr) {
        reporter_.AtKey(*targets, "`targets` stands beside `target`; one of both is enough");
      } else {
        Targets(OneOrMany(*targets));
      }
    }
    if (const YamlNode* mode = map.find("mode")) {
      constexpr std::array<std::string_view, 2> kModes = {"strict", "warn"};
      if (const auto index = OneOf(*mode, "mode", kModes)) {
        config_.mode = *index == 0 ? Mode::kStrict : Mode::kWarn;
      }
    }
    if (const YamlNode* fail_on = map.find("fail-on")) FailOn(*fail_on);
    if (const YamlNode* select = map.find("select")) Rules(*select, config_.policy.select);
    if (const YamlNode* ignore = map.find("ignore")) Rules(*ignore, config_.policy.ignore);
    if (const YamlNode* levels = map.find("levels")) Levels(*levels);
    if (const YamlNode* opdefs = map.find("opdefs")) {
      for (const YamlNode* folder : OneOrMany(*opdefs)) {
        if (const auto text = TextOf(*folder, "a folder", reporter_)) {
          config_.opdefs.push_back(Beside(*text));
        }
      }
    }
    if (const auto baseline = map.text("baseline")) config_.baseline = Beside(*baseline);
    for (const YamlNode* suppression : map.list("suppressions")) Suppression(*suppression);
    map.Finish();
    return std::move(config_);
  }

 private:
  // Paths in a file are meant from its folder.
  std::string Beside(const std::string& path) const {
    return (folder_ / path).lexically_normal().string();
  }

  std::optional<size_t> OneOf(const YamlNode& node, std::string_view key,
                              std::span<const std::string_view> values) {
    const auto at = std::find(values.begin(), values.end(), node.text);
    if (node.is_scalar() && at != values.end()) return static_cast<size_t>(at - values.begin());
    std::string known;
    for (const std::string_view value : values) {
      absl::StrAppend(&known, known.empty() ? "" : ", ", Absl(value));
    }
    reporter_.At(
        node, absl::StrCat("`", Absl(key), "` is one of ", known, DidYouMean(node.text, values)));
    return std::nullopt;
  }

  void Targets(const std::vector<const YamlNode*>& targets) {
    for (const YamlNode* node : targets) {
      if (node->is_scalar()) {
        Entries(*node);
        continue;
      }
      MapReader map(*node, "a target", reporter_);
      ConfigTarget target;
      if (const auto text = map.text("backend")) target.spec.backend = *text;
      if (const auto text = map.text("sdk")) target.spec.sdk = *text;
      if (const auto text = map.text("soc")) target.spec.soc = *text;
      if (const auto text = map.text("arch")) target.spec.arch = *text;
      if (const auto text = map.text("route")) target.route = *text;
      map.Finish();
      config_.targets.push_back(std::move(target));
    }
  }

  // As of --targets: separated by commas, `@SDK` where it differs.
  void Entries(const YamlNode& node) {
    for (const absl::string_view part : absl::StrSplit(Absl(node.text), ',')) {
      const absl::string_view stripped = absl::StripAsciiWhitespace(part);
      const std::string_view entry(stripped.data(), stripped.size());
      const size_t at = std::min(entry.rfind('@'), entry.size());
      ConfigTarget target;
      target.entry = entry.substr(0, at);
      if (at < entry.size()) target.spec.sdk = entry.substr(at + 1);
      if (target.entry.empty() || (at < entry.size() && target.spec.sdk.empty())) {
        reporter_.At(node, "a target such as `SM8550`, `arch:v79` or `arch:v79@2.25` is missing");
        return;
      }
      config_.targets.push_back(std::move(target));
    }
  }

  void FailOn(const YamlNode& node) {
    const std::vector<std::string_view> lines = FailOnNames();
    if (const auto index = OneOf(node, "fail-on", lines)) {
      config_.fail_on = ConsequenceFromName(lines[*index]);
    }
  }

  std::vector<const Rule*> RulesOf(const YamlNode& node) {
    const auto selector = TextOf(node, "a rule", reporter_);
    if (!selector) return {};
    const auto rules = RulesNamed(*selector);
    if (rules.ok()) return *rules;
    reporter_.At(node, std::string(rules.status().message()));
    return {};
  }

  void Rules(const YamlNode& node, std::set<const Rule*>& rules) {
    for (const YamlNode* item : OneOrMany(node)) {
      for (const Rule* rule : RulesOf(*item)) rules.insert(rule);
    }
  }

  void Levels(const YamlNode& node) {
    if (!node.is_map()) return reporter_.At(node, "`levels` must be a map of rules to levels");
    for (const YamlNode& entry : node.children) {
      constexpr std::array<std::string_view, 4> kLevels = {"off", "note", "warning", "error"};
      const auto rules = RulesNamed(entry.key);
      if (!rules.ok()) reporter_.AtKey(entry, std::string(rules.status().message()));
      const auto index = OneOf(entry, entry.key, kLevels);
      if (!rules.ok() || !index) continue;
      for (const Rule* rule : *rules) {
        config_.policy.levels[rule] = *RuleLevelFromName(kLevels[*index]);
      }
    }
  }

  std::vector<std::string> Patterns(MapReader& map, std::string_view key) {
    std::vector<std::string> patterns;
    const YamlNode* node = map.find(key);
    if (node == nullptr) return patterns;
    for (const YamlNode* item : OneOrMany(*node)) {
      if (auto text = TextOf(*item, "a pattern", reporter_)) patterns.push_back(*std::move(text));
    }
    return patterns;
  }

  void Suppression(const YamlNode& node) {
    MapReader map(node, "a suppression", reporter_);
    SuppressionRule rule;
    rule.place = absl::StrCat(Printable(reporter_.file), ":", node.line, ":", node.column);
    rule.nodes = Patterns(map, "nodes");
    rule.tensors = Patterns(map, "tensors");
    rule.models = Patterns(map, "models");
    if (const YamlNode* rules = map.find("rules")) {
      for (const YamlNode* item : OneOrMany(*rules)) {
        for (const Rule* named : RulesOf(*item)) rule.rules.push_back(named);
      }
    }
    if (const YamlNode* reason = map.need("reason")) {
      rule.reason = TextOf(*reason, "`reason`", reporter_).value_or("");
    }
    if (const YamlNode* expires = map.find("expires")) {
      if (expires->is_scalar() && IsDay(expires->text)) {
        rule.expires = expires->text;
      } else {
        reporter_.At(*expires, "`expires` must be a day: YYYY-MM-DD");
      }
    }
    if (map.ok() && !map.find("nodes") && !map.find("tensors") && !map.find("rules")) {
      reporter_.At(node, "a suppression needs `nodes`, `tensors` or `rules`: it would silence all");
    }
    map.Finish();
    config_.policy.suppressions.push_back(std::move(rule));
  }

  const opdefs::Reporter reporter_;
  const std::filesystem::path folder_;
  Config config_;
};

// The first of several errors; one line.
absl::Status FirstOf(const Errors& errors) {
  const std::string all(errors.status().message());
  std::string text = all.substr(0, all.find('\n'));
  if (errors.count() > 1) absl::StrAppend(&text, " (and ", errors.count() - 1, " more)");
  return absl::InvalidArgumentError(text);
}

}  // namespace

absl::StatusOr<Config> LoadConfig(const std::string& path) {
  const absl::StatusOr<FileBytes> bytes =
      FileBytes::Open(path, [](std::string_view) { return absl::OkStatus(); });
  if (!bytes.ok())
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", bytes.status().message()));
  if (bytes->bytes().size() > opdefs::kMaxFileBytes) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": is too large for a configuration"));
  }
  if (bytes->bytes().find_first_not_of(" \t\r\n") == std::string_view::npos) {
    Config config;
    config.file = path;
    return config;
  }
  Errors errors;
  std::optional<YamlNode> root = path.ends_with(".toml")
                                     ? ParseToolTable(bytes->bytes(), path, errors)
                                     : opdefs::ParseYaml(bytes->bytes(), path, errors);
  if (!errors.empty()) return FirstOf(errors);
  if (!root) return absl::InvalidArgumentError(absl::StrCat(path, ": has no [tool.quantgate]"));
  Config config = ConfigReader(path, errors).Read(*root);
  if (!errors.empty()) return FirstOf(errors);
  return config;
}

absl::Status ResolveTargets(Config& config, const Database& database) {
  const std::vector<std::string> routes = database.Routes();
  for (ConfigTarget& target : config.targets) {
    if (const absl::Status status = database.CheckRelease(target.route); !status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(config.file, ": `route`: ", status.message()));
    }
    const std::string_view route = ParseRouteName(target.route).name;
    if (!route.empty() && !absl::c_linear_search(routes, route)) {
      return absl::InvalidArgumentError(
          absl::StrCat(config.file, ": `route` is one of ", absl::StrJoin(routes, ", "),
                       DidYouMean(route, std::vector<std::string_view>(routes.begin(), routes.end()))));
    }
    if (target.entry.empty()) continue;
    absl::StatusOr<TargetSpec> spec =
        ParseTargetEntry(target.entry, target.spec.backend, database);
    if (!spec.ok()) return spec.status();
    spec->sdk = target.spec.sdk;
    target.spec = *std::move(spec);
    target.entry.clear();
  }
  return absl::OkStatus();
}

}  // namespace quantgate
