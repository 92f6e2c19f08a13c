#include "core/database/compile/section.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/base/nearest.h"
#include "core/database/compile/symbols.h"

namespace quantgate::opdefs {
namespace {

constexpr std::string_view kDocumented = "documented";
constexpr std::string_view kMeasured = "measured";

std::optional<SdkKey> SdkAt(std::string_view text, const Node& node, const Ir& ir,
                            const Backend& backend, const Reporter& reporter) {
  const auto key = KnownSdk(text, ir, backend);
  if (key.ok()) return *key;
  reporter.AtKey(node, std::string(key.status().message()));
  return std::nullopt;
}

}  // namespace

bool IsSection(std::string_view key) {
  const std::string_view word = key.substr(0, key.find(' '));
  return word == kDocumented || word == kMeasured;
}

bool TakesSection(MapReader& map, const Node& part) {
  map.Has(kDocumented);
  map.Has(kMeasured);
  if (!IsSection(part.key) && part.key.find(' ') == std::string::npos) return false;
  map.Has(part.key);
  return true;
}

std::optional<std::pair<SdkKey, SdkKey>> SdkRange(std::string_view text, const Node& node,
                                                  const Ir& ir, const Backend& backend,
                                                  const Reporter& reporter) {
  const size_t dots = text.find("..");
  if (dots == text.npos || text == "..") {
    reporter.AtKey(node, absl::StrCat(Quoted(text),
                                      " is no range of SDK versions: write 2.25.., ..2.47 or "
                                      "2.25..2.47 (the last is not part of it)"));
    return std::nullopt;
  }
  std::pair<SdkKey, SdkKey> range{0, kSdkOpen};
  const std::string_view first = text.substr(0, dots), last = text.substr(dots + 2);
  if (!first.empty()) {
    const auto since = SdkAt(first, node, ir, backend, reporter);
    if (!since) return std::nullopt;
    range.first = *since;
  }
  if (!last.empty()) {
    const auto until = SdkAt(last, node, ir, backend, reporter);
    if (!until) return std::nullopt;
    range.second = *until;
  }
  const SdkKey oldest = backend.sdks.empty() ? SdkKey{0} : backend.sdks.front();
  if (range.second <= std::max(range.first, oldest)) {
    reporter.AtKey(node,
                   absl::StrCat("empty range: until ", SdkName(range.second), " (exclusive) from ",
                                SdkName(std::max(range.first, oldest))));
    return std::nullopt;
  }
  return range;
}

std::optional<Section> ReadSection(const Node& node, const Ir& ir, const Backend& backend,
                                   const Reporter& reporter) {
  const std::string_view key = node.key;
  const size_t space = key.find(' ');
  const std::string_view word = key.substr(0, space);
  Section section;
  if (!IsSection(key)) {
    constexpr std::string_view kWords[] = {kDocumented, kMeasured};
    reporter.AtKey(node, absl::StrCat("unknown section ", Quoted(key),
                                      ": documented or measured, and maybe a range of SDKs",
                                      DidYouMeanOf(word, kWords)));
    return std::nullopt;
  }
  section.basis = word == kMeasured ? Basis::kMeasured : Basis::kDocumented;
  if (space == key.npos) return section;
  const auto range = SdkRange(key.substr(space + 1), node, ir, backend, reporter);
  if (!range) return std::nullopt;
  section.since = range->first;
  section.until = range->second;
  return section;
}

Evidence::Evidence(const Ir& ir, std::string_view backend) {
  for (const auto& [id, source] : ir.sources) {
    if (std::find(source.backends.begin(), source.backends.end(), backend) ==
        source.backends.end()) {
      continue;
    }
    auto& list = source.kind == SourceKind::kDocuments  ? documents_
                 : source.kind == SourceKind::kRevision ? revisions_
                                                        : measurements_;
    list.push_back({source.sdk, id, source.partial});
  }
  for (auto* list : {&documents_, &revisions_, &measurements_}) {
    std::sort(list->begin(), list->end(),
              [](const Entry& a, const Entry& b) { return a.sdk < b.sdk; });
  }
}

const Evidence::Entry* Evidence::LastDocumentBefore(SdkKey sdk) const {
  const Entry* last = nullptr;
  for (const Entry& entry : documents_) {
    if (entry.sdk < sdk) last = &entry;
  }
  return last;
}

std::string Evidence::RevisionOf(SdkKey sdk) const {
  for (const Entry& entry : revisions_) {
    if (entry.sdk == sdk) return entry.id;
  }
  return {};
}

std::optional<SdkKey> Evidence::FirstMeasured() const {
  if (measurements_.empty()) return std::nullopt;
  return measurements_.front().sdk;
}

opdb::Range Evidence::RangeOf(const Section& section) const {
  opdb::Range range;
  range.since = section.since;
  range.until = section.until;
  if (section.basis == Basis::kMeasured && section.since == 0 && !measurements_.empty()) {
    range.since = measurements_.front().sdk;
  }
  return range;
}

opdb::Range Evidence::RowRangeOf(const Section& section) const {
  opdb::Range range = RangeOf(section);
  if (section.basis == Basis::kMeasured && section.since == 0 && !measurements_.empty()) {
    const Entry* document = LastDocumentBefore(measurements_.front().sdk);
    if (document != nullptr) range.since = document->sdk;
  }
  return range;
}

SdkKey Evidence::RowUndocumentedUntil(const Section& section) const {
  if (section.basis == Basis::kMeasured) {
    return section.since == 0 && !measurements_.empty() &&
                   LastDocumentBefore(measurements_.front().sdk) != nullptr
               ? measurements_.front().sdk
               : 0;
  }
  if (section.since == 0 || RevisionOf(section.since).empty()) return 0;
  for (const Entry& entry : documents_) {
    if (entry.sdk > section.since && entry.sdk < section.until) return entry.sdk;
  }
  return 0;
}

std::vector<std::string> Evidence::SourcesOf(const Section& section, bool untested) const {
  std::vector<std::string> ids;
  const opdb::Range range = RangeOf(section);
  const auto within = [&](SdkKey sdk) { return range.since <= sdk && sdk < range.until; };
  if (section.basis == Basis::kDocumented) {
    for (const Entry& entry : documents_) {
      if (within(entry.sdk)) ids.push_back(entry.id);
    }
    if (ids.empty()) {
      if (const Entry* last = LastDocumentBefore(range.since)) ids.push_back(last->id);
    }
    const bool of_documents =
        std::any_of(documents_.begin(), documents_.end(),
                    [&](const Entry& entry) { return entry.sdk == section.since; });
    if (const std::string id = RevisionOf(section.since); !id.empty() && !of_documents) {
      ids.push_back(id);
    }
  }
  if (untested) return ids;
  for (const Entry& entry : measurements_) {
    // A version that was measured in part is evidence for what begins with it.
    if (within(entry.sdk) && (!entry.partial || entry.sdk == section.since)) {
      ids.push_back(entry.id);
    }
  }
  return ids;
}

}  // namespace quantgate::opdefs
