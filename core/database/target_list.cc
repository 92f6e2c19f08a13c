#include "quantgate/target_list.h"

#include <algorithm>

#include "absl/status/status.h"
#include "quantgate/text.h"

namespace quantgate {
namespace {

constexpr std::string_view kArch = "arch";

absl::Status Wrong(std::string_view entry, const std::string& reason) {
  return absl::InvalidArgumentError("target '" + Printable(entry, 80) + "': " + reason);
}

// The entries of a list, without the space around them.
std::vector<std::string_view> EntriesOf(std::string_view list) {
  constexpr std::string_view kSpace = " \t\n";
  std::vector<std::string_view> entries;
  while (true) {
    const size_t comma = list.find(',');
    std::string_view entry = list.substr(0, comma);
    entry.remove_prefix(std::min(entry.find_first_not_of(kSpace), entry.size()));
    entry = entry.substr(0, entry.find_last_not_of(kSpace) + 1);
    entries.push_back(entry);
    if (comma == std::string_view::npos) return entries;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

absl::StatusOr<TargetSpec> ParseTargetEntry(std::string_view entry, const std::string& backend,
                                            const Database& database) {
  TargetSpec spec;
  spec.backend = backend;
  std::vector<std::string> known = database.Backends();
  const size_t colon = entry.find(':');
  if (colon == std::string_view::npos) {
    const bool is_backend = std::find(known.begin(), known.end(), entry) != known.end();
    (is_backend ? spec.backend : spec.soc) = std::string(entry);
    return spec;
  }
  const std::string_view kind = entry.substr(0, colon);
  spec.arch = std::string(entry.substr(colon + 1));
  if (spec.arch.empty()) {
    return Wrong(entry, "an arch is missing after the colon");
  }
  if (kind == kArch) return spec;
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    known.emplace_back(kArch);
    return Wrong(entry, "'" + Printable(kind, 40) + "' is neither a backend nor `arch`" +
                            DidYouMeanOf(kind, known));
  }
  spec.backend = std::string(kind);
  return spec;
}

namespace {

std::string LabelOf(const Target& target, const std::string& backend, const std::string& sdk) {
  std::string label = target.soc();
  if (label.empty() && target.arch().empty()) label = target.backend();
  if (label.empty()) {
    const std::string_view kind = target.backend() == backend ? kArch : target.backend();
    label = std::string(kind) + ":" + target.arch();
  }
  return sdk.empty() ? label : label + "@" + target.sdk();
}

}  // namespace

absl::StatusOr<std::vector<ListedTarget>> ParseTargets(std::string_view list,
                                                       const std::string& backend,
                                                       const std::vector<std::string>& sdks,
                                                       const Database& database) {
  std::vector<ListedTarget> targets;
  for (const std::string_view entry : EntriesOf(list)) {
    if (entry.empty()) return absl::InvalidArgumentError("--targets: an entry is empty");
    const size_t at = entry.rfind('@');
    std::vector<std::string> of_entry = sdks.empty() ? std::vector<std::string>{""} : sdks;
    if (at != std::string_view::npos) of_entry = {std::string(entry.substr(at + 1))};
    if (of_entry.front().empty() && at != std::string_view::npos) {
      return Wrong(entry, "an SDK is missing after the @");
    }
    absl::StatusOr<TargetSpec> spec = ParseTargetEntry(entry.substr(0, at), backend, database);
    if (!spec.ok()) return spec.status();
    for (const std::string& sdk : of_entry) {
      spec->sdk = sdk;
      absl::StatusOr<Target> target = Target::Parse(*spec, database);
      if (!target.ok()) return target.status();
      std::string label = LabelOf(*target, backend, sdk);
      const bool known = std::any_of(targets.begin(), targets.end(),
                                     [&](const ListedTarget& t) { return t.label == label; });
      if (!known) targets.push_back({std::move(label), *std::move(target)});
    }
  }
  return targets;
}

}  // namespace quantgate
