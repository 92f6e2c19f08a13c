#include "tools/quantgate/show/rule_examples.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "quantgate/encodings_file.h"
#include "quantgate/quantgate.h"
#include "quantgate/reader.h"
#include "tools/quantgate/show/texts.h"

namespace quantgate::cli {
namespace {

using SortedJson = nlohmann::json;

// The target of a fixture without flags of its own, as in the rules' tests.
constexpr std::string_view kTarget = "--sdk 2.51 --arch v73";

std::string_view FileOf(std::string_view slug, std::string_view name) {
  std::string head = "==> ";
  head.append(slug).append("/").append(name).append("\n");
  const size_t at = kRuleExamples.find(head);
  if (at == std::string_view::npos) return {};
  std::string_view text = kRuleExamples.substr(at + head.size());
  text = text.substr(0, text.find("\n==> "));
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::string TargetOf(std::string_view slug, std::string_view name) {
  std::string_view flags = FileOf(slug, name);
  return std::string(flags.empty() ? kTarget : flags);
}

// The file that --encodings names, and the flags without it.
std::string_view TakeFile(std::string_view slug, std::string_view name, std::string& flags) {
  const size_t at = flags.find(" --encodings ");
  if (at == std::string::npos) return {};
  const size_t path = at + std::string_view(" --encodings ").size();
  const size_t end = std::min(flags.find(' ', path), flags.size());
  const std::string_view ending = flags.substr(path, end - path).ends_with(".recipe")
                                      ? std::string_view(".recipe")
                                      : std::string_view(".encodings");
  flags.erase(at, end - at);
  return FileOf(slug, std::string(name).append(ending));
}

SortedJson Parsed(std::string_view text) {
  return text.empty() ? SortedJson::object() : SortedJson::parse(text, nullptr, /*allow_exceptions=*/false);
}

// Leaves by their path; items of lists are called by their name where they have one.
void Flatten(const SortedJson& value, const std::string& path, std::map<std::string, std::string>& into) {
  const bool leaf_list =
      value.is_array() && std::none_of(value.begin(), value.end(), [](const SortedJson& item) {
        return item.is_object() || item.is_array();
      });
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, child] : value.items()) {
      Flatten(child, path.empty() ? key : path + "/" + key, into);
    }
  } else if (value.is_array() && !leaf_list) {
    for (size_t i = 0; i < value.size(); ++i) {
      const SortedJson& item = value[i];
      const bool named = item.is_object() && item.contains("name") && item["name"].is_string();
      Flatten(item, path + "/" + (named ? item["name"].get<std::string>() : std::to_string(i)),
              into);
    }
  } else {
    into[path] = value.dump();
  }
}

std::vector<RuleExample::Difference> Differences(const SortedJson& bad, const SortedJson& good) {
  std::map<std::string, std::string> in_bad, in_good;
  Flatten(bad, "", in_bad);
  Flatten(good, "", in_good);
  std::vector<RuleExample::Difference> differences;
  for (const auto& [path, value] : in_bad) {
    const auto at = in_good.find(path);
    if (at == in_good.end()) {
      differences.push_back({path, value, ""});
    } else if (at->second != value) {
      differences.push_back({path, value, at->second});
    }
  }
  for (const auto& [path, value] : in_good) {
    if (!in_bad.contains(path)) differences.push_back({path, "", value});
  }
  return differences;
}

absl::StatusOr<Model> Read(std::string_view json) {
  const absl::StatusOr<InputFormat> format = GuessFormat("example.json", json);
  if (!format.ok()) return format.status();
  return *format == InputFormat::kLayers ? ReadLayers(json, "example")
                                         : ReadModelJson(json, "example");
}

std::optional<Report> Check(std::string_view model_json, std::string_view file_json,
                            const std::string& flags) {
  TargetSpec spec;
  ValidatorOptions options;
  std::istringstream words(flags);
  for (std::string flag, value; words >> flag >> value;) {
    if (flag == "--sdk") spec.sdk = value;
    if (flag == "--arch") spec.arch = value;
    if (flag == "--soc") spec.soc = value;
    if (flag == "--backend") spec.backend = value;
    if (flag == "--route") options.route = value;
  }
  const absl::StatusOr<Model> model = Read(model_json);
  absl::StatusOr<Target> target = Target::Parse(spec);
  if (!model.ok() || !target.ok()) return std::nullopt;
  const Validator validator(*std::move(target), options);
  if (file_json.empty()) return validator.Check(*model);
  absl::StatusOr<EncodingsFile> file = ReadEncodings(file_json);
  if (!file.ok()) return std::nullopt;
  file->source = "file";
  return validator.Check(*model, *file);
}

}  // namespace

std::optional<RuleExample> ExampleOf(const Rule& rule) {
  RuleExample example;
  example.bad = FileOf(rule.slug, "bad.json");
  example.good = FileOf(rule.slug, "ok.json");
  if (example.bad.empty() || example.good.empty()) return std::nullopt;
  example.bad_target = TargetOf(rule.slug, "bad.args");
  example.good_target = TargetOf(rule.slug, "ok.args");
  example.bad_file = TakeFile(rule.slug, "bad", example.bad_target);
  example.good_file = TakeFile(rule.slug, "ok", example.good_target);
  const SortedJson bad = SortedJson::parse(example.bad, nullptr, /*allow_exceptions=*/false);
  const SortedJson good = SortedJson::parse(example.good, nullptr, /*allow_exceptions=*/false);
  if (bad.is_discarded() || good.is_discarded()) return std::nullopt;
  example.differences = Differences(bad, good);
  for (RuleExample::Difference& difference :
       Differences(Parsed(example.bad_file), Parsed(example.good_file))) {
    difference.path = "file: " + difference.path;
    example.differences.push_back(std::move(difference));
  }
  if (example.bad_target.find("--opdefs") == std::string::npos) {
    example.report = Check(example.bad, example.bad_file, example.bad_target);
  }
  return example;
}

}  // namespace quantgate::cli
