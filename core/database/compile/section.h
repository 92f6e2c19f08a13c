// "documented 2.25..", "measured", "documented ..2.25": the head of a section of an op or of the
// profiles. It says on what evidence the lines below it rest, and for which SDK versions they
// hold; the sources of a line follow from it.
#ifndef QUANTGATE_CORE_DATABASE_COMPILE_SECTION_H_
#define QUANTGATE_CORE_DATABASE_COMPILE_SECTION_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/database/compile/document/map_reader.h"
#include "core/database/compile/ir.h"

namespace quantgate::opdefs {

enum class Basis : uint8_t { kDocumented, kMeasured };

struct Section {
  Basis basis = Basis::kDocumented;
  // As written; 0 and kSdkOpen = not given. `until` is exclusive.
  SdkKey since = 0, until = kSdkOpen;
};

// Whether `key` begins a section: its first word is "documented" or "measured".
bool IsSection(std::string_view key);

// Whether `part` of `map` is a section. What begins with another word and a blank is none and
// nothing else: it is read by ReadSection, which says so. The two words become known to `map`.
bool TakesSection(MapReader& map, const Node& part);

// "2.25..", "..2.47", "2.13..2.25" -> [since, until); an error at `node`'s key where it is no
// range of known SDK versions.
std::optional<std::pair<SdkKey, SdkKey>> SdkRange(std::string_view text, const Node& node,
                                                  const Ir& ir, const Backend& backend,
                                                  const Reporter& reporter);

// The section that `node`'s key names; errors at the key.
std::optional<Section> ReadSection(const Node& node, const Ir& ir, const Backend& backend,
                                   const Reporter& reporter);

// The sources of a backend in the order of their SDK versions, as sources.yaml says.
class Evidence {
 public:
  Evidence(const Ir& ir, std::string_view backend);

  // The SDK versions for which a line of the section holds: a measured section begins with the
  // first measured version.
  opdb::Range RangeOf(const Section& section) const;
  // The same for a row: what the library accepts beyond the documents is known from the last
  // documents on, and undocumented below the first measured version.
  opdb::Range RowRangeOf(const Section& section) const;
  // Below this version a row of the section is undocumented; 0 = nowhere.
  SdkKey RowUndocumentedUntil(const Section& section) const;

  // Documents within the section's range (else the last before it), the revision that begins it,
  // and unless `untested` the measurements within it.
  std::vector<std::string> SourcesOf(const Section& section, bool untested) const;
  // The first version that was measured for the backend.
  std::optional<SdkKey> FirstMeasured() const;
  // Id of the revision history's entries of that version; "" = there are none.
  std::string RevisionOf(SdkKey sdk) const;

 private:
  struct Entry {
    SdkKey sdk;
    std::string id;
    bool partial;
  };
  const Entry* LastDocumentBefore(SdkKey sdk) const;

  std::vector<Entry> documents_, revisions_, measurements_;
};

}  // namespace quantgate::opdefs

#endif  // QUANTGATE_CORE_DATABASE_COMPILE_SECTION_H_
